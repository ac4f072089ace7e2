"""Which functions differ between two groups of runs, beyond what noise explains."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sonde.base.errors import InputError
from sonde.base.units import format_percent
from sonde.code import CodeSelection, Function, no_code_left
from sonde.evidence import Interval, level_of_chosen
from sonde.groups.figures import FigureTable, GroupFigures, Measure, RunFigures, table_of
from sonde.groups.group_tests import LEVEL, Design, GroupTest, Sample, adjusted_together
from sonde.groups.turns import rounds_of

FEWEST = 5
"""Runs of each side below which nothing is established: as `sonde bench` has it."""

FEWEST_APART = 20
"""The same for times of sides that took no turns and are not known to be independent, see docs/decisions/0037."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One function, or the whole, on both sides."""

    function: Function | None
    """None: the whole."""
    before: float
    """The mean over the runs."""
    after: float
    ratio: Interval | None = None
    """Of `after / before`; None where it cannot be told, and where one of them is 0. Where bounded memory may have
    dropped something, its end nearer to 1 holds whatever that was."""
    change: Interval | None = None
    """Of `after - before`, where one of them is 0."""
    p_value: float | None = None
    """Of the whole by itself; of functions adjusted for how many were tested."""
    is_established: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class GroupComparison:
    """Two groups of runs compared."""

    measure: Measure
    sizes: tuple[int, int]
    is_paired: bool
    """Runs took turns: each is compared with the one next to it."""
    total: Difference
    functions: tuple[Difference, ...]
    """Those heavy enough to have changed by the least change, established ones first, largest change first."""
    seen: int
    """How many functions ran."""
    missing: int
    """How many of them did not run in all runs."""
    above: tuple[float, float]
    """What a function may have had more on each side, on average: given up in bounded memory."""
    why_undecided: str = ""
    """Why nothing can be established; empty where it can."""

    @property
    def established(self) -> tuple[Difference, ...]:
        """The functions that changed."""
        return tuple(each for each in self.functions if each.is_established)


def compare_groups(before: GroupFigures, after: GroupFigures, *, is_independent: bool = False) -> GroupComparison:
    """Compare what the runs of two groups took, by function.

    Times of runs that took turns are compared in pairs; those of others from 20 runs on, or from 5 on if they are known
    to be independent, as counts are. A function changed if the false discovery rate over all that are heavy enough
    allows to say so, and its mean differs by at least the least change. Which ones are heavy enough is decided by what
    they took in all runs of both sides together, which says nothing of a difference between the sides.

    Args:
        is_independent: whether runs are known not to resemble those before them.
    Raises:
        InputError: `nothing-in-common`, no function ran on both sides.
        UsageError: `no-code-left`, no function has the least share.
    Guarantee: of the functions called changed at most 1 - level are false on average, as far as the p-values hold;
        intervals of those that changed cover the truth in a share `LEVEL` of them, on average (false coverage rate;
        where runs vary so much that these would be unbounded, each by itself). A function that bounded memory may have
        dropped changed only if it did whatever was dropped.
    Cost: O(functions x runs), 0.2 ms for each that is tested.
    Source: Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995; Benjamini and Yekutieli, J. Am. Stat. Assoc. 100,
        2005; filtering: Bourgon, Gentleman and Huber, PNAS 107, 2010.

    >>> work = Function("work", "app", "app.py", 1)
    >>> one, other = (GroupFigures(Measure("calls", "count"), tuple(
    ...     RunFigures((work,), (own + i,), own + i) for i in range(5))) for own in (100, 200))
    >>> found = compare_groups(one, other)
    >>> [each.function.name for each in found.established], found.sizes
    (['work'], (5, 5))
    """
    measure, sizes = before.measure, (len(before.runs), len(after.runs))
    table = table_of((*before.runs, *after.runs))
    _check_common(table, sizes[0])
    pairs = rounds_of(*([run.started_at for run in side.runs] for side in (before, after)))
    design = Design(pairs, is_independent or not measure.depends_on_machine)
    why = _why_undecided(sizes, design)
    sides = _Sides(before.runs, after.runs, design, is_silent=bool(why))
    total, total_test = sides.draft(None, *(np.array([run.total for run in side.runs]) for side in (before, after)))
    least = measure.min_change * max(total.before, total.after)
    weights = table.own[:, : sizes[0]].mean(axis=1) + table.own[:, sizes[0] :].mean(axis=1)
    is_shown = (weights > 0.0) & (weights >= measure.min_share * (total.before + total.after))
    if measure.min_share and not is_shown.any():
        asked = f"what has at least {format_percent(measure.min_share)} of all runs"
        raise no_code_left(CodeSelection(), (), and_words=asked, hint="a smaller --min-share")
    tested = np.flatnonzero(is_shown & (weights >= least))
    drafts = [
        sides.draft(table.functions[row], table.own[row, : sizes[0]], table.own[row, sizes[0] :]) for row in tested
    ]
    return GroupComparison(
        measure=measure,
        sizes=sizes,
        is_paired=bool(pairs),
        total=_concluded([(total, total_test)], least)[0],
        functions=tuple(
            sorted(
                _concluded(drafts, least), key=lambda each: (not each.is_established, -abs(each.after - each.before))
            )
        ),
        seen=len(table.functions),
        missing=int((~table.is_there).any(axis=1).sum()),
        above=(float(sides.above[0].mean()), float(sides.above[1].mean())),
        why_undecided=why,
    )


_Draft = tuple[Difference, GroupTest | None]


class _Sides:
    """The runs of both sides, and what may be missing of each."""

    def __init__(
        self, before: Sequence[RunFigures], after: Sequence[RunFigures], design: Design, *, is_silent: bool
    ) -> None:
        self.above = [np.array([float(run.above) for run in side]) for side in (before, after)]
        self._design, self._is_silent = design, is_silent

    def draft(self, function: Function | None, before: Sample, after: Sample) -> _Draft:
        """One function on both sides with its test; none where nothing is known for sure."""
        found = Difference(function, float(before.mean()), float(after.mean()))
        if self._is_silent:
            return found, None
        if function is None:  # nothing is missing of the whole
            return found, GroupTest(before, after, self._design)
        # Of all that may be true, what speaks least for a change.
        has_grown = found.after >= found.before
        before, after = (before + self.above[0], after) if has_grown else (before, after + self.above[1])
        if (after.mean() >= before.mean()) != has_grown:
            return found, None
        return found, GroupTest(before, after, self._design)


def _concluded(drafts: Sequence[_Draft], least: float) -> list[Difference]:
    """All differences, with p-values that allow for one another and intervals that allow for what was chosen."""
    tests = [test for _, test in drafts if test is not None]
    counts = [
        each.after != each.before and abs(each.after - each.before) >= least
        for each, test in drafts
        if test is not None
    ]
    p_values = adjusted_together(tests, counts)
    level = level_of_chosen(sum(p <= 1.0 - LEVEL for p in p_values), len(tests), LEVEL)
    verdicts = iter(p_values)
    found = []
    for each, test in drafts:
        if test is not None:
            p = next(verdicts)
            is_established = p <= 1.0 - LEVEL
            asked = level if is_established else LEVEL
            each = replace(
                each,
                ratio=_around(each.after / each.before if each.before else 0.0, test.ratio(asked) or test.ratio(LEVEL)),
                change=_around(each.after - each.before, test.change(asked)),
                p_value=p,
                is_established=is_established,
            )
        found.append(each)
    return found


def _around(value: float, interval: Interval | None) -> Interval | None:
    """The interval, as far as the value: of what speaks least for a change it may be beside it."""
    return interval and Interval(min(interval.low, value), max(interval.high, value), interval.level)


def _why_undecided(sizes: tuple[int, int], design: Design) -> str:
    if min(sizes) < FEWEST:
        runs = f"{sizes[0]} and {sizes[1]} runs"
        return f"{runs} are too few to tell changes from noise; at least {FEWEST} of each are needed"
    if min(sizes) < FEWEST_APART and not (design.pairs or design.is_independent):
        return (
            f"{sizes[0]} and {sizes[1]} runs took no turns, so that times may follow the machine's; let them take"
            f" turns, record {FEWEST_APART} of each, or vouch for them by --assume-independent"
        )
    return ""


def _check_common(table: FigureTable, first: int) -> None:
    if not (table.is_there[:, :first].any(axis=1) & table.is_there[:, first:].any(axis=1)).any():
        raise InputError(
            "cannot compare these groups: no function ran on both sides",
            slug="nothing-in-common",
            hint="compare runs of one program",
        )
