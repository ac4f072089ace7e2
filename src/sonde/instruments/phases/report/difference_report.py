"""Two profiles of phases compared, as a report: which phase became slower, and by which counter."""

from sonde.base.units import format_duration, format_share
from sonde.instruments.phases.analysis import CounterChange, PhaseChange, phase_changes
from sonde.instruments.phases.options import PhaseDiffOptions
from sonde.instruments.phases.profile import PhaseProfile
from sonde.report import Change, Column, Fact, Facts, Note, Report, Row, Table, short_name, times_text, total_change

_NOISE = "Times are of one run each, whose noise is not known: compare several of each with --against."


def difference_report(
    before: PhaseProfile, after: PhaseProfile, options: PhaseDiffOptions, names: tuple[str, str] = ("before", "after")
) -> Report:
    """What changed, the largest change of time first. Whether that is more than noise, two runs cannot say."""
    whole = max(before.whole_ns, after.whole_ns, 1)
    changes = [each for each in phase_changes(before, after) if abs(each.change_ns) >= options.min_change * whole]
    title = " → ".join(names)
    facts = Facts(
        (
            Fact("before_ns", before.whole_ns, "duration", "before: {}"),
            Fact("after_ns", after.whole_ns, "duration", "after: {}"),
        )
    )
    if not changes:
        same = f"no phase changed by {options.min_change:.1%} of the program's time"
        return Report("phases-diff", title, (facts, Note(same)), changed=False)
    table = _table(changes, options.rows)
    headline = _headline(changes[0], before.whole_ns, after.whole_ns)
    return Report("phases-diff", title, (facts, table, Note(_NOISE)), is_undecided=True, headline=(headline,))


def _table(changes: list[PhaseChange], most: int) -> Table:
    columns = (
        Column("change", "change", "duration", is_signed=True),
        Column("time", "time", "duration"),
        Column("calls", "calls", "count", priority=2),
        Column("by", "counter that changed", "text"),
        Column("function", "phase", "name"),
    )
    rows = [
        Row(
            (
                each.change_ns,
                Change(each.before.total_ns if each.before else None, each.after.total_ns if each.after else None),
                Change(each.before.calls if each.before else None, each.after.calls if each.after else None),
                _words(each.by) if each.by else None,
                each.function,
            ),
            tone="new"
            if each.before is None
            else "gone"
            if each.after is None
            else "bad"
            if each.change_ns > 0
            else "good",
        )
        for each in changes
    ]
    return Table("phases", "phases", columns, rows, ("by change of time",), "phase", most)


def _words(by: CounterChange) -> str:
    if not by.before or not by.after:
        return f"{by.name} {by.before:,} → {by.after:,}"
    return f"{by.name} ×{by.after / by.before:.2f}"


def _headline(top: PhaseChange, whole_before: int, whole_after: int) -> str:
    """How much longer a phase takes, or how much of the run it is in, where it is in one only."""
    name, took = short_name(top.function), format_duration(abs(top.change_ns))
    total = total_change(whole_before, whole_after)
    if top.before is None:
        share = format_share(abs(top.change_ns), max(whole_after, 1))
        return f"{name} takes {took} ({share} of the run) and was no phase before{total}."
    if top.after is None:
        share = format_share(abs(top.change_ns), max(whole_before, 1))
        return f"{name} took {took} ({share} of the run) and is no phase now{total}."
    words = "slower" if top.change_ns > 0 else "faster"
    times = times_text(top.before.total_ns, top.after.total_ns)
    by = f"; {_words(top.by)}" if top.by else "; no counter changed with it"
    return f"{name} is {took} {words}{f' ({times})' if times else ''}{by}{total}."
