"""Series of several dimensions as a table: one of them across, the others down, and which is best in each row."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sonde.base.fitted_text import keep_both_ends, printable
from sonde.base.word_lists import in_a_row
from sonde.instruments.bench.judging import Judgement, Sample, Summary, are_told_apart
from sonde.instruments.bench.report.estimates import Cells, measured, row_of
from sonde.instruments.bench.report.ratio_words import best_and_worst
from sonde.report import Column, Margin, Quantity, Row, Table
from sonde.stats import Estimate

MOST_ACROSS = 12
"""Columns; what has more is no table for people."""

LEAST_POINTS = 3
"""Of a line: two say nothing of how it is bent."""

BENCHMARK, ALTERNATIVE = "benchmark", "alternative"
_LONGEST_TITLE = 12

_Place = tuple[str, ...]
"""The levels of a series, one for each dimension."""


@dataclass(frozen=True, slots=True)
class Dimensions:
    """What tells series apart: names of factors, and `benchmark` and `alternative` where those do not."""

    names: tuple[str, ...]
    places: tuple[_Place, ...]
    """The levels of each series, all different."""

    @property
    def across(self) -> tuple[str, ...]:
        """The levels of the last dimension, in the order of the series."""
        return tuple(dict.fromkeys(place[-1] for place in self.places))

    @property
    def down(self) -> tuple[_Place, ...]:
        """The combinations of levels of the others."""
        return tuple(dict.fromkeys(place[:-1] for place in self.places))

    @property
    def is_grid(self) -> bool:
        """Whether there is more than one row, and more than one column, but not too many, and most places are taken."""
        rows, columns = len(self.down), len(self.across)
        return rows > 1 and 1 < columns <= MOST_ACROSS and 2 * len(self.places) > rows * columns


def dimensions_of(samples: Sequence[Sample]) -> Dimensions | None:
    """The fewest dimensions that tell series apart; None where none do, or where they are of different metrics.

    Cost: O(n) for n series.
    """
    if len({sample.metric for sample in samples}) != 1:
        return None
    known = [dict(sample.series.levels) for sample in samples]
    factors = [
        name
        for name in known[0]
        if all(name in levels for levels in known) and len({levels[name] for levels in known}) > 1
    ]
    for names in (
        factors,
        [*factors, ALTERNATIVE],
        [BENCHMARK, *factors],
        [BENCHMARK, *factors, ALTERNATIVE],
    ):
        places = tuple(
            tuple(levels[name] if name in levels else _own_name(sample, name) for name in names)
            for sample, levels in zip(samples, known, strict=True)
        )
        if len(set(places)) == len(samples):
            return Dimensions(tuple(names), places)
    return None


def numeric_dimension(found: Dimensions) -> int | None:
    """The place of the parameter that values can be drawn against: that with most levels, all of them numbers."""
    levels = {
        at: {place[at] for place in found.places}
        for at, name in enumerate(found.names)
        if name not in (BENCHMARK, ALTERNATIVE)
    }
    numeric = [
        at for at, of in levels.items() if len(of) >= LEAST_POINTS and all(number_of(level) is not None for level in of)
    ]
    return max(numeric, key=lambda at: len(levels[at]), default=None)


def number_of(level: str) -> float | None:
    """The number that a level is; None if it is none."""
    try:
        value = float(level)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Series by two dimensions."""

    dimensions: Dimensions
    rows: Mapping[_Place, Mapping[str, Summary | None]]
    """By what stands down and across; all rows have all columns, in one order."""


def grid_of(judgement: Judgement) -> Grid | None:
    """The series of one file by their dimensions; None where these are no two, or benchmarks of a pair, of which the
    comparisons tell.

    Cost: O(n) for n series.
    """
    summaries = judgement.summaries
    if len(judgement.provenances) != 1 or len(summaries) < 2:
        return None
    found = dimensions_of([summary.sample for summary in summaries])
    if found is None or len(found.names) < 2 or not found.is_grid:
        return None
    if found.names == (BENCHMARK, ALTERNATIVE) and len(found.across) == 2:
        return None
    by_place = dict(zip(found.places, summaries, strict=True))
    return Grid(found, {down: {last: by_place.get((*down, last)) for last in found.across} for down in found.down})


def pivot_table(judgement: Judgement, grid: Grid, least: Mapping[int, float | None]) -> Table:
    """Medians with their intervals, and the best of each row.

    What cannot be told from the best one is named with it; where nothing can, that is said.

    Args:
        least: of each sample, by its `id`, the least mean, by which its unit is chosen.
    Cost: O(n) for n series, O(m^2) for m in a row.
    """
    found = grid.dimensions
    metric = judgement.summaries[0].sample.metric
    best, _ = best_and_worst(metric)
    columns = (*_columns(found), Column("name", ", ".join(found.names[:-1]), "name"), Column("best", best))
    rows = [_row(judgement, columns, down, row, least) for down, row in grid.rows.items()]
    note = f"median {metric.name} by {found.names[-1]}, ± half of its {100 * judgement.policy.level:g}% interval"
    return Table("pivot", f"{found.names[-1]} across, {', '.join(found.names[:-1])} down", columns, rows, (note,))


def leader_of(judgement: Judgement, row: Mapping[str, Summary | None]) -> tuple[str, list[str]] | None:
    """The level with the best mean, and those that cannot be told from it; None where fewer than two ended well."""
    there = {level: each.sample for level, each in row.items() if each is not None and not each.sample.is_broken}
    there = {level: sample for level, sample in there.items() if len(sample.values)}
    if len(there) < 2:
        return None
    order = sorted(there, key=lambda level: float(there[level].values.mean()))
    first = order[0] if there[order[0]].metric.better == "lower" else order[-1]
    return first, [
        level for level in there if level != first and not are_told_apart(there[first], there[level], judgement)
    ]


def _own_name(sample: Sample, dimension: str) -> str:
    return sample.series.benchmark if dimension == BENCHMARK else sample.series.alternative


def _columns(found: Dimensions) -> tuple[Column, ...]:
    """For each level its medians, how far they may be off, and for programs their intervals."""
    columns: list[Column] = []
    for number, (level, title) in enumerate(zip(found.across, short_titles(found.across), strict=True), 1):
        columns += (
            Column(f"median-{number}", title, "measured", meaning=level),
            Column(f"margin-{number}", "±", "margin", priority=1),
            Column(f"interval-{number}", f"{title}, interval", "measured", shown="details"),
        )
    return tuple(columns)


def _row(
    judgement: Judgement,
    columns: Sequence[Column],
    down: _Place,
    row: Mapping[str, Summary | None],
    least: Mapping[int, float | None],
) -> Row:
    cells: Cells = {"name": ", ".join(down), "best": _best(judgement, row)}
    for number, summary in enumerate(row.values(), 1):
        if summary is None or summary.median is None:
            continue
        unit, by = summary.sample.metric.unit, least[id(summary.sample)]
        cells |= {
            f"median-{number}": Quantity(float(summary.median.value), unit, by),
            f"margin-{number}": _margin(summary.median),
            f"interval-{number}": measured(summary.median, unit, by),
        }
    return row_of(columns, cells)


def _margin(median: Estimate) -> Margin | None:
    """The longer side of the interval."""
    if median.interval is None or not median.value > 0.0:
        return None
    return Margin(median.value, median.interval.reach_from(median.value))


def _best(judgement: Judgement, row: Mapping[str, Summary | None]) -> str:
    leader = leader_of(judgement, row)
    if leader is None:
        return ""
    first, tied = leader
    if len(tied) == sum(each is not None and not each.sample.is_broken for each in row.values()) - 1:
        return "cannot say"
    title = dict(zip(row, short_titles(list(row)), strict=True))
    names = [title[level] for level in (first, *tied)]
    return in_a_row(names, "or")


def short_titles(names: Sequence[str]) -> list[str]:
    """Names as there is room for them over columns: of long ones the part that tells them apart.

    >>> short_titles(["python -c 'sum(range(9))'", "python -c 'max(range(9))'"]), short_titles(["old", "new"])
    (['…sum…', '…max…'], ['old', 'new'])
    """
    told = [printable(name) for name in names]
    if max(map(len, told)) <= _LONGEST_TITLE:
        return told
    start, end = (_in_common(each) for each in (told, [name[::-1] for name in told]))
    end = min(end, min(map(len, told)) - start)
    while start and told[0][start - 1].isalnum():  # whole words
        start -= 1
    while end and told[0][-end].isalnum():
        end -= 1
    middles = [name[start : len(name) - end] for name in told]
    if not all(middles):
        return [keep_both_ends(name, _LONGEST_TITLE) for name in told]
    return [keep_both_ends(f"{'…' * (start > 0)}{middle}{'…' * (end > 0)}", _LONGEST_TITLE) for middle in middles]


def _in_common(names: Sequence[str]) -> int:
    """With how many letters all names begin."""
    return next(
        (at for at, letters in enumerate(zip(*names, strict=False)) if len(set(letters)) > 1), min(map(len, names))
    )
