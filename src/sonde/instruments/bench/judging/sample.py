"""From a series to a sample: one number for each invocation, that of its steady state."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench.measurements import Invocation, Metric, Series
from sonde.stats import Steadiness

ENOUGH_TO_COMPARE = 5
"""Invocations of each alternative below which the ratio of two is not told."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a series says, one number for each invocation that ended well.

    Invocations are what an experiment repeats independently; iterations of one process share its memory layout, its
    hash seed and its compiled code, so they are averaged before anything is inferred (Georges, Buytaert and Eeckhout,
    OOPSLA 2007).
    """

    series: Series
    metric: Metric
    values: npt.NDArray[np.float64]
    """(n,) in units of the metric: the mean of the steady iterations of each counted invocation."""
    counted: tuple[int, ...]
    """Which of the series' invocations these are."""
    steady_from: tuple[int, ...]
    """The first iteration that counts, of each counted invocation."""
    steadiness: tuple[Steadiness, ...]
    """What became of each counted invocation; empty where there is one iteration each, or none were looked at."""
    failed: int
    """Invocations that failed, or were ended; they are not in `values`."""
    warm_up_rounds: int
    """Invocations that were run to warm the machine up; they are not in `values`."""
    unsupported: str
    """Why nothing can be inferred from it, whatever its values: `all values come from one process`; or empty."""
    steady_to: tuple[int, ...] = ()
    """Behind the last iteration that counts, of each counted invocation; empty: to its end."""
    unsettled: int = 0
    """Invocations that never were steady by their coefficient of variation, where that was the rule."""

    @property
    def rounds(self) -> tuple[int | None, ...]:
        """The round of each counted invocation."""
        return tuple(self.series.invocations[i].round for i in self.counted)

    @property
    def is_broken(self) -> bool:
        """Whether invocations failed, and too few are left to be compared."""
        return self.failed > 0 and len(self.values) < ENOUGH_TO_COMPARE

    @property
    def has_runs(self) -> bool:
        """Whether each value was computed from several iterations of an invocation of its own."""
        series = self.series
        lengths = (len(series.invocations[place].values) for place in self.counted)
        return series.separate and self.metric == series.metric and any(length > 1 for length in lengths)

    def typical(self) -> int:
        """The place of the median value, of two the lower one; there is at least one."""
        return int(np.argsort(self.values, kind="stable")[(len(self.values) - 1) // 2])

    def left_out(self) -> dict[int, Invocation]:
        """Invocations between and beside those that are counted: they failed, or were run to warm the machine up.

        Of one invocation that has several values, all is counted.
        """
        if any(first >= second for first, second in pairwise(self.counted)):
            return {}
        places = set(range(len(self.series.invocations))) - set(self.counted)
        return {place: self.series.invocations[place] for place in sorted(places)}

    def steady_runs(self) -> list[npt.NDArray[np.float64]]:
        """The iterations that count, of each counted invocation."""
        stops = self.steady_to or (None,) * len(self.counted)
        return [
            self.series.invocations[i].values[start:stop]
            for i, start, stop in zip(self.counted, self.steady_from, stops, strict=True)
        ]
