"""Where the level of a series changes: optimal partitioning of the scores of its ranks."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sonde import native
from sonde.base.errors import InputError
from sonde.stats.samples import LARGEST, Sample, checked_sample

Indices = npt.NDArray[np.int64]

_COLUMNS = np.int64, np.int64, np.float64, np.float64, np.int64, np.float64
"""Types of what `native.change_points` returns."""
_VALUES_PER_THREAD = 500_000
"""About 50 ms of work: a thread starts in less than 1."""


class Segment(NamedTuple):
    """Consecutive values between two changes. (A tuple, as there may be a million.)

    >>> Segment(0, 10, 2.0, 0.25).length
    10
    """

    start: int
    """Index of its first value."""
    stop: int
    """Index behind its last."""
    mean: float
    """Of all its values: outliers are not left out."""
    variance: float
    """Of all its values, by n - 1; 0 for a single one."""

    @property
    def length(self) -> int:
        """Number of values."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A series, cut where its level changes."""

    segments: tuple[Segment, ...]
    """In order, without gaps."""

    @property
    def change_points(self) -> tuple[int, ...]:
        """Index of the first value after each change."""
        return tuple(segment.start for segment in self.segments[1:])


@dataclass(frozen=True, slots=True)
class Parts:
    """Many series, cut where their levels change: what `Segmentation` is for one, in columns.

    The parts of series i are those from `firsts[i]` up to `firsts[i + 1]`.
    """

    firsts: list[int]
    starts: list[int]
    """Of each part; index in its series."""
    stops: list[int]
    means: list[float]
    variances: list[float]
    levels: list[float]
    """Mean of the middle half of the part's values: what it is compared with others by."""
    spreads: list[float]
    """Distance of its quartiles."""
    drifts: list[int]
    """Of each series: the part from which on a straight line fits better than steps, counted from its first; -1."""
    alike: list[float]
    """Of each series: autocorrelation at lag 1 of the scores within the parts, from 0 to 0.9."""

    def segments(self, series: int) -> tuple[Segment, ...]:
        """Those of one series."""
        which = slice(self.firsts[series], self.firsts[series + 1])
        columns = self.starts[which], self.stops[which], self.means[which], self.variances[which]
        return tuple(map(Segment, *columns))


def change_points(values: npt.ArrayLike, penalty: float | None = None) -> Segmentation:
    """Cut a series where its level changes.

    The values are replaced by the normal scores of their ranks: outliers weigh no more than any other largest value,
    and are in the means all the same. The scores are cut so that the sum of squares around the means of the parts,
    with a penalty for each cut, is least. If neighbouring residuals are alike, the penalty grows by (1 + r) / (1 - r),
    r being their autocorrelation. Each part is then ranked and cut anew. Parts have 4 values or more, but for a head
    of slow or fast values that is too short for this, and extreme. At last each change is moved by up to 3 values to
    where the values themselves say it is.

    Args:
        values: one or more, in the order in which they were measured.
        penalty: by how much the squares must shrink for each cut, in units of the scores' variance; when not given,
            the calibrated one: 2 ln n + 6.
    Raises:
        InputError: there are no values, one is not finite, or the penalty is not above 0.
    Guarantee: the unit does not matter; nor, for whether a series is cut at all, any increasing function of it, but
        for heads of 1 to 3 values.
    Guarantee: of the scores that are cut, no other parts cost less (see the twin's `best_partition`).
    Guarantee: noise of any distribution, with autocorrelation of up to 0.3, is cut in at most 5 % of all series of
        20 to 2,000 values; mostly in 1 % (docs/notes/warm-up.md).
    Cost: O(n^2) where nothing changes, about linear where changes are frequent; 9 us for 100 values.
    Source: Killick, Fearnhead, Eckley, JASA 107(500), 2012 (the search).
    Differs: scores of ranks, not values; a change in variance alone is none; the penalty is calibrated.

    >>> change_points([5.0, 5.1, 5.3, 5.2] + [1.0, 2.0, 1.5, 1.4] * 5).change_points
    (4,)
    """
    parts = parts_of_many([checked_sample(values)], penalty)
    return Segmentation(parts.segments(0))


def parts_of_many(series: Sequence[Sample], penalty: float | None = None) -> Parts:
    """Cut many series at once; see `change_points`.

    Args:
        series: (n,) float64 each, n >= 1; one or more.
    Raises:
        InputError: as `change_points`.
    Cost: 9 us of processor time for a flat series of 100 values, about 30 us for one that is cut; on all processors
        from 500,000 values on.
    """
    if penalty is not None and not 0.0 < penalty < np.inf:
        raise InputError(f"cannot cut with a penalty of '{penalty}': it must be above 0", slug="bad-penalty")
    lengths = np.fromiter(map(len, series), np.int64, len(series))
    if lengths.min(initial=1) < 1:
        checked_sample(series[int(np.argmin(lengths))])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    values = np.concatenate([np.zeros(0), *series]) if len(series) != 1 else np.ascontiguousarray(series[0])
    if not (np.abs(values) <= LARGEST).all():
        for sample in series:
            checked_sample(sample)
    points, bounds, levels, spreads, drifts, alike = _searched(values, offsets, penalty or 0.0)
    # Each series has one part more than change points: it begins at 0, and the last ends at its length.
    firsts = bounds + np.arange(len(bounds))
    starts = np.insert(points, bounds[:-1], 0)
    stops = np.insert(points, bounds[1:], lengths)
    begins = starts + np.repeat(offsets[:-1], np.diff(firsts))
    counts = stops - starts
    means = np.add.reduceat(values, begins) / counts if len(begins) else np.zeros(0)
    squares = np.square(values - np.repeat(means, counts))
    variances = np.add.reduceat(squares, begins) / np.maximum(counts - 1, 1) if len(begins) else np.zeros(0)
    return Parts(
        firsts=firsts.tolist(),
        starts=starts.tolist(),
        stops=stops.tolist(),
        means=means.tolist(),
        variances=variances.tolist(),
        levels=levels.tolist(),
        spreads=spreads.tolist(),
        drifts=drifts.tolist(),
        alike=alike.tolist(),
    )


def _searched(values: Sample, offsets: Indices, penalty: float) -> tuple[npt.NDArray[Any], ...]:
    """The columns of `native.change_points`; large batches by as many threads as there are processors."""
    threads = min(len(os.sched_getaffinity(0)), 1 + len(values) // _VALUES_PER_THREAD)
    edges = np.searchsorted(offsets, np.linspace(0, len(values), threads + 1)[1:-1]).tolist()
    lots = list(pairwise([0, *edges, len(offsets) - 1]))

    def search(lot: tuple[int, int]) -> list[npt.NDArray[Any]]:
        begin, end = offsets[lot[0]], offsets[lot[1]]
        columns = native.change_points(values[begin:end], offsets[lot[0] : lot[1] + 1] - begin, penalty)
        return [np.frombuffer(column, kind) for column, kind in zip(columns, _COLUMNS, strict=True)]

    if threads == 1:
        return tuple(search(lots[0]))
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(search, lots))
    before = np.cumsum([0, *(len(columns[0]) for columns in found)])
    bounds = [columns[1][:-1] + first for columns, first in zip(found, before, strict=False)]
    points, _, *others = (np.concatenate(column) for column in zip(*found, strict=True))
    return points, np.concatenate([*bounds, before[-1:]]), *others
