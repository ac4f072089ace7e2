"""Two profiles compared, as a report: totals, the tree of differences, the functions, and the doubts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sonde.base.units import format_percent
from sonde.code import Place
from sonde.evidence import Doubt, Loss, Reservation, cut_off
from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge, JudgedFunctions, is_sampled
from sonde.instruments.contexts.profile import ContextProfile, are_independent
from sonde.instruments.contexts.profile.comparison import ContextDiff, FunctionPair
from sonde.instruments.contexts.report.comparison.change_tables import (
    change_unit,
    changed_contexts,
    changed_functions,
    former_name,
)
from sonde.instruments.contexts.report.comparison.difference_data import difference_data
from sonde.instruments.contexts.report.comparison.difference_headline import difference_headline, judged_headline
from sonde.instruments.contexts.report.comparison.judged_functions import judged_functions
from sonde.instruments.contexts.report.exactness import exactness
from sonde.instruments.contexts.report.flame_graph import difference_graph
from sonde.instruments.contexts.report.run_blocks import command_text, details
from sonde.report import Block, Column, Fact, Facts, Notices, Report, Row, Table

_NOISE_OF_APPROXIMATE = "what was not kept or not seen looks like a change; record again before you believe a small one"

_INEXACT = ("profile-approximate", "profile-sampled")
"""Kinds of doubts about a whole profile, which has better words than one number allows."""

_EXAMPLES = 4
"""Names listed for each kind of doubt; data have all."""


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """How much of a comparison to list."""

    rows: int = 40
    """Lines of the tree, about."""
    functions: int = 15
    """Lines of the function table; 0 leaves it out."""


def difference_report(
    diff: ContextDiff,
    limits: DiffLimits | None = None,
    *,
    names: tuple[str, str] = ("before", "after"),
    with_data: bool = True,
    of_what: str = "",
    judge: ChangeJudge | None = None,
) -> Report:
    """A comparison for reading.

    Args:
        names: what to call the two profiles, their files for instance.
        of_what: which functions were looked at, in words; empty for all.
        with_data: whether to make the tables of all that changed, which only programs and pages read.
        judge: of profiles that are samples, if not the usual one.
    Cost: O(n) for n contexts.
    """
    limits = limits or DiffLimits()
    blocks: list[Block] = []
    if of_what:
        fact = Fact("code", of_what, words="changes of {}; totals are of all code")
        blocks.append(Facts((fact,), "shown"))
    if judge is None and is_sampled(diff):
        judge = ChangeJudge(diff)
    answer = _plain_answer(diff, limits, of_what) if judge is None else _judged_answer(diff, judge, limits, of_what)
    if answer.is_worth_a_graph and with_data:
        blocks.append(difference_graph(diff, change_unit(diff.yardstick)))
    blocks += [*answer.tables, _profiles(diff, names), Notices((*answer.doubts, *_doubts(diff, judge)))]
    if with_data:
        blocks += [_measure(diff), *difference_data(diff)]
        blocks += [*details(diff.before, "before_"), *details(diff.after, "after_")]
    return Report(
        "contexts-diff",
        " → ".join(names),
        tuple(blocks),
        changed=answer.changed,
        is_undecided=answer.changed is None,
        outcome="cannot say" if answer.changed is None else "",
        headline=answer.headline,
    )


class _Answer(NamedTuple):
    headline: tuple[str, ...]
    tables: list[Table]
    changed: bool | None
    """None: it cannot be said."""
    is_worth_a_graph: bool
    doubts: tuple[Reservation, ...] = ()


def _plain_answer(diff: ContextDiff, limits: DiffLimits, of_what: str) -> _Answer:
    is_established = _is_established(diff)
    headline = difference_headline(diff, is_established=is_established, of_what=of_what)
    if not diff.has_changes:
        return _Answer(headline, [], False, False)
    tables = [changed_contexts(diff, rows=limits.rows)]
    functions = changed_functions(diff, most=limits.functions or 1)
    if limits.functions and functions.rows:
        tables.append(functions)
    return _Answer(headline, tables, True if is_established else None, True)


def _judged_answer(diff: ContextDiff, judge: ChangeJudge, limits: DiffLimits, of_what: str) -> _Answer:
    judged = judge.functions()
    contexts = changed_contexts(diff, rows=limits.rows, judge=judge)
    headline = judged_headline(diff, judged, changed_contexts=contexts.rows, of_what=of_what)
    functions = judged_functions(diff, judged, most=limits.functions or 1)
    tables = [functions] if limits.functions and functions.rows else []
    if contexts.rows:
        tables.append(contexts)
    changed = True if judged.changed or contexts.rows else None if judged.is_undecided else False
    return _Answer(headline, tables, changed, bool(contexts.rows), tuple(_doubts_of_changes(diff, judged)))


def _doubts_of_changes(diff: ContextDiff, judged: JudgedFunctions) -> Iterator[Reservation]:
    yardstick = diff.yardstick
    ratio = yardstick.total_after / yardstick.total_before if yardstick.total_before else 0.0
    if yardstick.metric == "time" and yardstick.normalise == "none" and judged.have_changed_alike(ratio):
        yield Doubt(
            "changed-alike",
            f"all that changed takes about {ratio:.2g} times as long, as the whole run does: another machine, or a run"
            " of another length, would look the same",
            hint="--normalise total compares shares",
        )


def _is_established(diff: ContextDiff) -> bool:
    """Whether what changed is no noise: counts of calls, all of which were kept, have none."""
    return diff.yardstick.metric == "calls" and all(_has_exact_calls(each) for each in (diff.before, diff.after))


def _has_exact_calls(profile: ContextProfile) -> bool:
    """Whether all were counted and kept, though times may be of a sample."""
    is_counted = profile.sampling is None or (profile.sampling.is_of_times_only and profile.has_calls)
    return is_counted and not profile.left_something_out


def _profiles(diff: ContextDiff, names: tuple[str, str]) -> Table:
    columns = (
        Column("profile", "profile", "place"),
        Column("in_threads", "in threads", "duration"),
        Column("calls", "calls", "count"),
        Column("contexts", "contexts", "count", priority=1),
        Column("python", "python"),
        Column("command", "command"),
    )
    sides = zip(names, (diff.before, diff.after), strict=True)
    rows = [Row((Place(name, 0), *_run_cells(profile))) for name, profile in sides]
    return Table("profiles", "profiles", columns, rows)


def _run_cells(profile: ContextProfile) -> tuple[int | str | None, ...]:
    return (
        profile.total_ns if profile.has_time else None,
        profile.total_calls if profile.has_calls else None,
        len(profile.contexts),
        ", ".join(dict.fromkeys(process.python for process in profile.processes)),
        command_text(profile),
    )


def _measure(diff: ContextDiff) -> Facts:
    yardstick = diff.yardstick
    facts = (
        Fact("metric", yardstick.metric),
        Fact("normalise", yardstick.normalise),
        Fact("least_change", yardstick.least_change, "number"),
    )
    return Facts(facts, "measure", is_secondary=True)


def _doubts(diff: ContextDiff, judge: ChangeJudge | None) -> Iterator[Reservation]:
    if judge is not None:
        yield from _doubts_of_judgement(diff, judge)
    for profile, side in ((diff.before, "first"), (diff.after, "second")):
        for loss in profile.losses:
            yield Loss(loss.kind, loss.amount, f"{side} profile: {loss.detail}")
        if not profile.run.complete:
            yield cut_off(f"{side} profile")
        if not _is_exact(profile):
            yield Doubt("", f"{side} profile: {', '.join(exactness(profile))}")
    if judge is None and diff.has_changes and not (_is_exact(diff.before) and _is_exact(diff.after)):
        yield Doubt("", _NOISE_OF_APPROXIMATE)
    for note in diff.unaligned:
        if note.kind not in _INEXACT:
            yield Doubt(note.kind, note.detail, amount=note.amount, examples=_examples(diff, note))


def _doubts_of_judgement(diff: ContextDiff, judge: ChangeJudge) -> Iterator[Reservation]:
    if diff.yardstick.metric != "time":
        return
    if are_independent(diff.before.sampling) != are_independent(diff.after.sampling):
        yield Doubt(
            "clocks-differ",
            "times of one profile are by a clock at each call, those of the other by samples: what the clock adds to"
            " short calls, and what is too short to be sampled, are among the differences",
            hint="record both the same way",
        )
    noise = f"{format_percent(judge.run_noise)} are allowed for it (--run-noise)"
    if judge.is_noise_seen:
        noise = f"most functions differ by {100 * judge.run_noise:.2g}% from one run to the other, which is allowed for"
    yield Doubt(
        "one-run-each",
        f"one run of each does not show how runs vary; {noise}",
        hint="several runs of each, in turns: sonde diff a*.sonde --against b*.sonde",
    )


def _is_exact(profile: ContextProfile) -> bool:
    return profile.sampling is None and not profile.left_something_out


def _examples(diff: ContextDiff, note: Loss) -> str:
    """The heaviest few functions that a doubt is about."""
    functions, changes = diff.contexts.functions, diff.function_changes
    how = note.kind.removeprefix("functions-").replace("-", " ")
    if note.kind == "functions-guessed":
        numbers = list(functions.guessed)
    elif note.kind == "call-sites-guessed":
        return _guessed_sites(diff)
    else:
        numbers = [i for i, pair in enumerate(functions.pairs) if pair.how == how]
    numbers.sort(key=lambda i: (-abs(changes.total[i]), i))
    names = [_example(functions.pairs[i]) for i in numbers[:_EXAMPLES]]
    return ", ".join(names) + (", …" if len(numbers) > _EXAMPLES else "")


def _example(pair: FunctionPair) -> str:
    if pair.how == "moved" and pair.before is not None:
        return f"{pair.either.label} ({pair.before.module} → {pair.either.module})"
    return f"{pair.either.label}{former_name(pair)}"


def _guessed_sites(diff: ContextDiff) -> str:
    pairs, guessed = diff.contexts.functions.pairs, diff.contexts.guessed_sites
    names = [
        f"{pairs[sites.callee].either.label} in {pairs[sites.caller].either.label}"
        f" ({_lines(sites.lines_before)} → {_lines(sites.lines_after)})"
        for sites in guessed[:_EXAMPLES]
    ]
    return ", ".join(names) + (", …" if len(guessed) > _EXAMPLES else "")


def _lines(lines: tuple[int, ...]) -> str:
    if len(lines) > _EXAMPLES:
        return f"{lines[0]}, … {len(lines)} lines"
    return ", ".join(map(str, lines))
