"""Two groups of runs compared, as a report: which functions changed, by how much, and how sure that is."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from sonde.base.units import counted
from sonde.code import Place
from sonde.evidence import Doubt, Loss, Remark, Reservation
from sonde.groups.figures import Measure, RunFigures
from sonde.groups.function_changes import Difference, GroupComparison
from sonde.groups.group_tests import LEVEL
from sonde.report import (
    Block,
    Column,
    Estimated,
    Fact,
    Facts,
    Notices,
    Report,
    Row,
    Table,
    Tone,
    Unit,
    amount_text,
    short_name,
    times_text,
)

_ROWS = 15
"""Functions on paper."""
_IN_HEADLINE = 3
"""Functions that the headline tells of, if they have room."""
_WIDEST_HEADLINE = 156
"""Letters of a sentence that has two lines on paper of 80 columns."""

_LEGEND = "▲ more · ▼ less · + only after · − only before; without a mark: noise could explain it"

Sides = tuple[Sequence[tuple[str, RunFigures]], Sequence[tuple[str, RunFigures]]]
"""Both groups: what to call each run, and its figures."""


def group_report(
    comparison: GroupComparison, kind: str, sides: Sides, *, rows: int = _ROWS, of_what: str = ""
) -> Report:
    """A comparison of groups for reading.

    Args:
        kind: of the profiles, as the registry has it.
        sides: the runs that were compared.
        rows: functions on paper.
        of_what: which functions were looked at, in words; empty for all.
    Cost: O(n) for n functions and runs.
    """
    is_undecided = bool(comparison.why_undecided)
    blocks: list[Block] = [
        Facts(tuple(_facts(comparison)), is_detail=True),
        _functions(comparison, rows),
        Notices(tuple(_doubts(comparison, sides))),
        _runs(comparison.measure, sides),
    ]
    return Report(
        f"{kind}-groups",
        " → ".join(_group_name([name for name, _ in side]) for side in sides),
        tuple(blocks),
        changed=None if is_undecided else bool(comparison.established) or comparison.total.is_established,
        is_undecided=is_undecided,
        outcome="cannot say" if is_undecided else "",
        headline=tuple(_headline(comparison, f" ({of_what})" if of_what else "")),
    )


def _group_name(names: Sequence[str]) -> str:
    """The first and the last run; of that without its folder, if it is the same.

    >>> _group_name(["runs/a1.sonde", "runs/a2.sonde", "runs/a3.sonde"])
    'runs/a1.sonde … a3.sonde'
    """
    if len(names) == 1:
        return names[0]
    first, last = PurePath(names[0]), PurePath(names[-1])
    return f"{names[0]} … {last.name if last.parent == first.parent else names[-1]}"


def _headline(comparison: GroupComparison, of_what: str) -> Iterator[str]:
    n, m = comparison.sizes
    total, changed = comparison.total, comparison.established
    whole_run = _run_words(total, comparison.measure)
    if comparison.why_undecided:
        yield f"cannot say what changed: {comparison.why_undecided}."
        largest = comparison.functions[:1]
        seen = [f"{_change_words(each, comparison.measure)}" for each in largest if each.after != each.before]
        if seen:
            yield f"Largest difference, which noise could explain: {seen[0]}{whole_run}."
    elif changed:
        what = f"{len(changed):,} of {counted(comparison.seen, 'function')} changed{of_what}"
        words = [_change_words(each, comparison.measure) for each in changed[:_IN_HEADLINE]]
        told = [f"{what}: {_listed(words[:most], len(changed))}{whole_run}." for most in range(1, 1 + len(words))]
        yield max((each for each in told if len(each) <= _WIDEST_HEADLINE), key=len, default=told[0])
    elif total.is_established:
        alone = f"no single function changed{of_what} that noise of {n} and {m} runs could not explain"
        yield f"{alone}, but {whole_run.removeprefix('; ')}."
    else:
        yield f"nothing changed{of_what} that noise of {n} and {m} runs could not explain{whole_run}."


def _listed(words: Sequence[str], count: int) -> str:
    return ", ".join(words) + (", …" if count > len(words) else "")


def _run_words(total: Difference, measure: Measure) -> str:
    """`; a whole run is 1.08 times [1.05, 1.11] slower`, or what it takes of the time before, where noise explains it.

    Nothing where functions are compared by their shares of a run, or one side did nothing.
    """
    if measure.unit == "share" or not total.before or not total.after:
        return ""
    if total.after == total.before:
        return "; a whole run is as before"
    is_time = measure.unit == "duration"
    if total.is_established:
        told = _more_or_less(total, measure)
    else:
        interval = "" if total.ratio is None else f" [{total.ratio.low:.3g}, {total.ratio.high:.3g}]"
        of = "the time" if is_time else f"the {measure.what}"
        told = f"{'takes' if is_time else 'has'} {total.after / total.before:.3g} times{interval} {of}"
    return f"; a whole run {told}"


def _change_words(each: Difference, measure: Measure) -> str:
    """`parse is 1.42 times [1.31, 1.55] slower`."""
    assert each.function is not None
    name = short_name(each.function)
    what = f" {measure.what}" if measure.unit == "count" else ""
    if not each.before:
        return f"{name} is new: {amount_text(each.after, measure.unit)}{what}"
    if not each.after:
        return f"{name} is gone: {amount_text(each.before, measure.unit)}{what}"
    return f"{name} {_more_or_less(each, measure)}"


def _more_or_less(each: Difference, measure: Measure) -> str:
    """`is 1.42 times [1.31, 1.55] slower`, `has 2 times more calls`."""
    word = measure.more if each.after > each.before else measure.less
    times = times_text(each.before, each.after, each.ratio)
    return f"has {times} {word} {measure.what}" if measure.unit == "count" else f"is {times} {word}"


def _facts(comparison: GroupComparison) -> Iterator[Fact]:
    n, m = comparison.sizes
    yield Fact("runs_before", n, "count", "{} runs before", "{} run before")
    yield Fact("runs_after", m, "count", "{} runs after", "{} run after")
    yield Fact("paired", "took turns" if comparison.is_paired else "took no turns")
    yield Fact("functions", comparison.seen, "count", "{} functions", "{} function")
    yield Fact("tested", len(comparison.functions), "count", "{} heavy enough to count")


def _functions(comparison: GroupComparison, rows: int) -> Table:
    measure = comparison.measure
    changes: Unit = "points" if measure.unit == "share" else measure.unit
    whole = 1.0 if measure.unit == "share" else max(comparison.total.before, comparison.total.after)
    columns = (
        Column(
            "change", "change", changes, whole, "both", is_signed=True, meaning="of means; share of the heavier side"
        )
        if measure.unit != "share"
        else Column("change", "change", changes, is_signed=True),
        Column("ratio", "ratio", "ratio", meaning="of means, after to before, with its interval", axis="log"),
        Column("before", "before", measure.unit, priority=1),
        Column("after", "after", measure.unit, priority=1),
        Column("p_value", "p", "p-value", priority=2, meaning="adjusted for the number of functions tested"),
        Column("function", "function", "name"),
        Column("place", "", "place"),
        Column("established", "established", shown="data"),
        Column("change_interval", "change", changes, shown="data"),
    )
    count = len(comparison.established)
    title = "functions that changed, and what noise could explain" if count else "largest differences"
    notes = (f"mean {measure.what} by run",)
    listed = tuple(_row(each) for each in comparison.functions if each.after != each.before)
    most = max(rows, count) if count else min(rows, _ROWS)
    return Table("functions", title, columns, listed, notes, "function", most, legend=_LEGEND if count else "")


def _row(each: Difference) -> Row:
    assert each.function is not None
    ratio = None if each.ratio is None else Estimated(each.after / each.before, each.ratio)
    tone, mark = _look(each)
    change = None if each.change is None else Estimated(each.after - each.before, each.change)
    return Row(
        (
            each.after - each.before,
            ratio if ratio is not None else (each.after / each.before if each.before and each.after else None),
            each.before,
            each.after,
            each.p_value,
            each.function,
            Place(each.function.file, each.function.first_line) if each.function.file else None,
            "yes" if each.is_established else "no",
            change,
        ),
        tone=tone,
        mark=mark,
    )


def _look(each: Difference) -> tuple[Tone, str]:
    if not each.is_established:
        return "faint", ""
    if not each.before:
        return "new", "+"
    if not each.after:
        return "gone", "−"
    return ("bad", "▲") if each.after > each.before else ("good", "▼")


def _doubts(comparison: GroupComparison, sides: Sides) -> Iterator[Reservation]:
    lost = [loss for side in sides for _, run in side for loss in run.losses]
    for kind in dict.fromkeys(loss.kind for loss in lost):
        these = [loss for loss in lost if loss.kind == kind]
        yield Loss(kind, sum(loss.amount for loss in these), f"of {counted(len(these), 'run')}: {these[0].detail}")
    measure = comparison.measure
    if any(comparison.above):
        before, after = (amount_text(above, measure.unit) for above in comparison.above)
        yield Doubt(
            "profile-approximate",
            f"recorded in bounded memory: any function may have had {before} more before and {after} more after, on"
            " average; what could be within that is not called a change",
        )
    if measure.depends_on_machine and not comparison.is_paired and not comparison.why_undecided:
        yield Doubt(
            "",
            "the sides took no turns: what changed on the machine from one to the other looks like a change of the"
            " program",
            hint="record one run of each side in turn",
        )
    if comparison.missing:
        missing = counted(comparison.missing, "function")
        yield Remark("", f"{missing} did not run in all runs, and count as 0 where they did not")
    if not comparison.why_undecided:
        yield Remark("", f"how changes are told from noise: {_method(comparison)}")


def _method(comparison: GroupComparison) -> str:
    n, m = comparison.sizes
    how = "pairs of runs that took turns" if comparison.is_paired else f"{n} and {m} runs"
    return (
        f"ratios of means over {how}, Fieller's {100 * LEVEL:g}% intervals; false discovery rate at most"
        f" {100 * (1 - LEVEL):.0f}% over {counted(len(comparison.functions), 'function')} heavy enough to count"
        " (Benjamini-Hochberg)"
    )


def _runs(measure: Measure, sides: Sides) -> Table:
    columns = (
        Column("side", "side", is_category=True),
        Column("profile", "profile", "place"),
        Column("total", "total", measure.unit),
        Column("started_at", "started", priority=1),
    )
    rows = [
        Row((word, Place(name, 0), run.total, run.started_at or None))
        for word, side in zip(("before", "after"), sides, strict=True)
        for name, run in side
    ]
    return Table("runs", "runs", columns, rows, is_secondary=True)
