"""Ratios of interleaved runs, with an interval: all that a shared machine lets one say."""

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_RESAMPLES = 2000


@dataclass(frozen=True)
class Ratio:
    """Median of the per-round ratios to the baseline, with a 95 % bootstrap interval."""

    median: float
    low: float
    high: float
    rounds: int

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}, {self.high:.2f}]"


def ratio(values: Sequence[float], baseline: Sequence[float]) -> Ratio:
    """Compare `values[i]` with `baseline[i]`, measured in the same round."""
    ratios = [value / base for value, base in zip(values, baseline, strict=True)]
    return Ratio(statistics.median(ratios), *median_interval(ratios), len(ratios))


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the median.

    Method: percentile bootstrap, seeded, 2,000 resamples.
    """
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return medians[int(0.025 * _RESAMPLES)], medians[int(0.975 * _RESAMPLES)]
