"""Iterations as a page holds them: two bytes each, thinned where there are too many to be drawn."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench.judging import Sample

Values = npt.NDArray[np.float64]

MAX_VALUES = 1_500_000
"""Iterations in a page: 4 MB of it. A plot is a few hundred pixels high, two bytes are enough for each."""

LEAST_VALUES = 8
"""An invocation keeps at least so many, four stretches, however many invocations there are."""

_LEVELS = 65_535


def values_per_invocation(samples: Sequence[Sample]) -> int:
    """How many values of each invocation a page has room for, so that none is thinned that need not be.

    Returns:
        An even number; invocations with no more iterations are kept whole.
    """
    lengths = [len(run) for sample in samples for run in runs_of(sample)]
    if sum(lengths) <= MAX_VALUES:
        return max(lengths, default=0) + 1
    low, high = LEAST_VALUES, max(lengths)
    counted = np.array(lengths)
    while high - low > 1:
        middle = (low + high) // 2
        if int(np.minimum(counted, middle).sum()) <= MAX_VALUES:
            low = middle
        else:
            high = middle
    return low - low % 2


def runs_of(sample: Sample) -> list[Values]:
    """The iterations of each invocation that ended well; none with one value each, or where another metric counts."""
    if sample.metric != sample.series.metric:
        return []
    # Where values without a known process are taken as a sample, one invocation is counted many times.
    runs = [sample.series.invocations[i].values for i in dict.fromkeys(sample.counted)]
    return runs if any(len(run) > 1 for run in runs) else []


def packed_runs(sample: Sample, room: int) -> dict[str, Any] | None:
    """The iterations of a sample's invocations for the page's scripts.

    Args:
        room: values of each invocation; longer ones are cut into stretches of `step` iterations, of which the least
            and the greatest value are kept, so that no outlier is lost.
    Returns:
        `low` and `high` of all values; for each invocation its `lengths` and `steps` (1: not thinned); and `data`,
        base64 of little-endian 16-bit numbers from 0 at `low` to 65535 at `high`. None without iterations.
    """
    runs = runs_of(sample)
    if not runs:
        return None
    everything = np.concatenate(runs)
    low, high = float(everything.min()), float(everything.max())
    steps = [1 if len(run) <= room else -(-len(run) // (room // 2)) for run in runs]
    thinned = np.concatenate([_thinned(run, step) for run, step in zip(runs, steps, strict=True)])
    levels = np.rint((thinned - low) * (_LEVELS / (high - low) if high > low else 0.0))
    return {
        "low": low,
        "high": high,
        "lengths": [len(run) for run in runs],
        "steps": steps,
        "data": b64encode(levels.astype("<u2").tobytes()).decode("ascii"),
    }


def _thinned(run: Values, step: int) -> Values:
    """The least and the greatest value of each stretch, one after the other."""
    if step == 1:
        return run
    starts = np.arange(0, len(run), step)
    return np.column_stack((np.minimum.reduceat(run, starts), np.maximum.reduceat(run, starts))).ravel()
