"""The report of an audit: what was found of each profiler, and the figures behind it."""

from sonde.base.units import counted, format_share
from sonde.evidence import Doubt, Loss, Remark, Reservation
from sonde.instruments.audit.analysis import Audit, Fault, Verdict, audit_of, comparable_functions, shares_of
from sonde.instruments.audit.options import AuditViewOptions
from sonde.instruments.audit.profile import DENSE, AuditProfile
from sonde.instruments.audit.report.bias_plot import bias_plot
from sonde.instruments.audit.report.code_table import code_table
from sonde.instruments.audit.report.verdict_words import NOTHING_FOUND, fault_sentence, verdict_words
from sonde.report import Block, Column, Fact, Facts, Note, Notices, Report, Row, Table

_WORST = ("changes-program", "counts-calls", "charges-callers", "loses-time", "differs", "blind", "fails", "missing")
"""Faults in the order in which they are told."""


def audit_report(profile: AuditProfile, options: AuditViewOptions) -> Report:
    """Everything that is told of an audit."""
    audit = audit_of(profile)
    blocks: list[Block] = [_facts(profile), Notices(_notices(profile, audit)), _verdict_table(profile, audit)]
    tables = [_function_table(profile, options.rows), *([code_table(profile, audit)] if profile.code else [])]
    blocks += [table for table in tables if table.rows]
    plot = bias_plot(profile)
    if plot is not None:
        blocks.append(plot)
    blocks.append(Note(_how_to_read(profile), key="how-to-read", title="how to read", is_detail=True))
    # One that is not installed has no answer that could be wrong.
    has_faults = any(fault.kind != "missing" for verdict in audit.verdicts for fault in verdict.faults)
    is_undecided = not has_faults and not any(verdict.looked_at for verdict in audit.verdicts)
    return Report(
        "audit",
        " ".join(profile.command),
        tuple(blocks),
        changed=None if is_undecided else has_faults,
        is_undecided=is_undecided,
        outcome="faults found" if has_faults else "no fault found",
        headline=_headline(profile, audit),
    )


def _how_to_read(profile: AuditProfile) -> str:
    span = "once it is compiled" if profile.is_compiled else "from start to end"
    rate = "4,000" if profile.is_compiled else "2,000"
    moved = (
        f" moves: how far the answer moves without {profile.turned_off}, beyond what runs differ by chance."
        if profile.turned_off
        else ""
    )
    return (
        f"time: how long the program takes under the profiler, {span}, against runs without one. overlap: what the"
        f" answer has in common with a sample by another process, {rate} times a second in runs of its own. calls: how"
        " much of the answer is explained by how often functions are called in place of their time. callers: how much"
        " is told of a function's caller in place of it. told: the time that it tells of, against its process's own"
        f" clock. agree: overlap of each two of its runs.{moved} Intervals are 95 %."
    )


def _facts(profile: AuditProfile) -> Facts:
    return Facts(
        (
            Fact("runs", len(profile.runs), "count", "{} runs", "{} run"),
            Fact("rounds", profile.rounds, "count", "in {} rounds", "in {} round"),
            Fact("profilers", len(profile.profilers), "count", "{} profilers", "{} profiler"),
            Fact("functions", len(profile.functions), "count", "{} functions", "{} function"),
            *([] if profile.is_compiled else [Fact("python", f"Python {profile.python}")]),
            *([Fact("turned_off", f"half without {profile.turned_off}")] if profile.turned_off else []),
        )
    )


def _headline(profile: AuditProfile, audit: Audit) -> tuple[str, ...]:
    believed = [verdict.profiler.name for verdict in audit.verdicts if verdict.looked_at and not verdict.faults]
    faults = [(fault, verdict) for verdict in audit.verdicts for fault in verdict.faults]
    faults.sort(key=lambda item: (_WORST.index(item[0].kind), -_size(item[0])))
    sentences = [_believed(believed, audit)] if believed else [_too_short(profile, audit)] if audit.is_too_short else []
    sentences += [fault_sentence(verdict.profiler.name, fault) for fault, verdict in faults[: 3 - len(sentences)]]
    if sentences:
        return tuple(sentences)
    return ("The runs do not suffice to judge any profiler: more rounds, or a program that runs longer, may.",)


def _too_short(profile: AuditProfile, audit: Audit) -> str:
    seconds = _plain_s(profile)
    if audit.needed is None or seconds is None:
        return "The program is too short to audit: the dense sample hardly sees it. Let it run for a second or more."
    return (
        f"The program is too short to audit: it runs for {seconds:.2g} s, and should for"
        f" {max(1.0, seconds * audit.needed):.2g} s or so, for answers to be compared."
    )


def _plain_s(profile: AuditProfile) -> float | None:
    """How long the program runs by itself."""
    plain = [run.program_wall_ns for run in profile.runs_of("plain") if run.program_wall_ns]
    return sum(plain) / len(plain) / 1e9 if plain else None


def _believed(names: list[str], audit: Audit) -> str:
    found = [verdict for verdict in audit.verdicts if verdict.profiler.name in names]
    best = max(
        # Who tells of the program's files alone is compared on these alone.
        [verdict for verdict in found if not verdict.profiler.tells_program_only] or found,
        key=lambda verdict: verdict.accuracy.amount if verdict.accuracy else 0.0,
    )
    overlap = format_share(best.accuracy.amount, 1) if best.accuracy else "?"
    if len(names) == 1:
        return f"Of {names[0]} {NOTHING_FOUND}: its answer and the dense sample have {overlap} in common."
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Of {listed} {NOTHING_FOUND}; closest to the dense sample is {best.profiler.name}, {overlap} in common."


def _size(fault: Fault) -> float:
    return abs(fault.size.amount) if fault.size else 0.0


def _notices(profile: AuditProfile, audit: Audit) -> tuple[Reservation, ...]:
    told: list[Reservation] = list(profile.losses)
    if audit.needed is not None:
        seconds = _plain_s(profile)
        length = f" (now {seconds:.1f} s)" if seconds is not None else ""
        told.append(
            Doubt(
                "program-too-short",
                "two halves of the dense sample have less than 95 % in common: a program, or an audit,"
                f" {audit.needed:.1f} times as long{length} would tell more",
                hint="give the program more to do, or --rounds",
            )
        )
    told += _undone(profile)
    if audit.control is not None and not audit.control.low <= 1.0 <= audit.control.high:
        told.append(
            Doubt(
                "control-differs",
                "runs without a profiler differ from others without one:"
                f" {audit.control.amount:.3f} times the time [{audit.control.low:.3f}, {audit.control.high:.3f}];"
                " smaller costs than that are not to be believed",
            )
        )
    moved = audit.dense.movement
    if profile.turned_off and (moved is None or not moved.is_seen):
        detail = (
            f"too few rounds to say who notices the lack of {profile.turned_off}"
            if moved is None
            else f"the dense sample does not move without {profile.turned_off}: who would notice is not known"
        )
        told.append(Remark("realism-not-told", detail))
    return tuple(told)


def _undone(profile: AuditProfile) -> list[Reservation]:
    """What of the dense sample failed."""
    failures = [run.failure for run in profile.runs if run.profiler == DENSE and run.failure]
    if not failures:
        return []
    detail = f"{counted(len(failures), 'dense sample')} failed, so that answers are compared with fewer: {failures[0]}"
    return [Loss("dense-sample-failed", len(failures), detail)]


def _verdict_table(profile: AuditProfile, audit: Audit) -> Table:
    columns = (
        Column("profiler", "profiler", "name"),
        Column("cost", "time", "ratio", meaning="against runs without a profiler"),
        Column("overlap", "overlap", "share", meaning="of its answer with the dense sample"),
        Column("ranks", "first 10", "share", priority=4, meaning="of the first functions of both"),
        Column("calls", "calls", "share", priority=2, meaning="how much of its answer follows calls in place of time"),
        Column("callers", "callers", "share", priority=3, meaning="how much it tells of callers in their place"),
        Column("told", "told", "share", priority=2, meaning="time that it tells of, against its run's own clock"),
        Column("precision", "agree", "share", priority=3, meaning="overlap of each two of its runs"),
        Column("moves", "moves", "share", priority=3, meaning="without an optimisation, beyond chance"),
        Column("moves_p", "p", "p-value", shown="data"),
        Column("correlation", "r", "number", shown="data", meaning="of what it adds and calls"),
        Column("told_of_plain", "told of plain runs", "share", shown="data"),
        Column("version", "version", "text", shown="details"),
        Column("runs", "runs", "count", shown="data"),
        Column("verdict", "", shown="below"),
    )
    control = Row(("without, again", audit.control, *[None] * 12, "the control: what chance does"), tone="faint")
    rows = [_row(each, verdict_words(each)) for each in audit.verdicts]
    dense = _row(audit.dense, "what answers are compared with; overlap of its halves", tone_faint=True)
    return Table(
        "verdicts",
        "what was found of each profiler",
        columns,
        [*rows, dense, control],
        notes=("by how often it was asked for",) if not profile.profilers else (),
        noun="profiler",
    )


def _row(verdict: Verdict, words: str, *, tone_faint: bool = False) -> Row:
    moved, is_missing = verdict.movement, bool(verdict.profiler.missing)
    return Row(
        (
            verdict.profiler.name,
            verdict.cost,
            verdict.accuracy,
            verdict.ranks,
            verdict.biases.calls,
            verdict.biases.callers,
            verdict.told.of_own_run,
            verdict.precision,
            None if moved is None else max(0.0, moved.distance - moved.by_chance),
            None if moved is None else moved.p_value,
            verdict.biases.correlation,
            verdict.told.of_plain,
            verdict.profiler.version or None,
            verdict.answers,
            words,
        ),
        tone="faint" if tone_faint or is_missing else "bad" if verdict.faults else "good" if verdict.looked_at else "",
    )


def _function_table(profile: AuditProfile, most: int) -> Table:
    """The functions that profilers differ on most, or have most of, with the share that each says they have."""
    among = comparable_functions(profile)
    said = {
        name: shares_of([run.own for run in profile.answers_of(name)], among)
        for name in (DENSE, *(each.name for each in profile.profilers))
    }
    means = {name: runs.mean(axis=0) for name, runs in said.items() if len(runs)}
    calls = sum(profile.calls.values())
    columns = (
        Column("function", "function", "name"),
        Column("calls", "calls", "count", calls or None, "share", priority=1),
        *(Column(f"said_{at}", name, "share", is_hot=True, whole=1.0) for at, name in enumerate(means)),
    )
    shown = range(len(profile.functions)) if means else ()
    largest = sorted(shown, key=lambda number: -max(float(each[number]) for each in means.values()))
    rows = [
        Row(
            (
                profile.functions[number],
                profile.calls.get(number, 0),
                *(float(each[number]) for each in means.values()),
            )
        )
        for number in largest
        if any(each[number] > 0 for each in means.values())
    ]
    return Table(
        "functions", "who says what", columns, rows, ("by the largest share that any says",), "function", 2 * most
    )
