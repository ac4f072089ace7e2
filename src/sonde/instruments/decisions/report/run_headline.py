"""What a compiler decided about the hottest unit, and what it missed in hot code, in one to three sentences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sonde.base.errors import InputError
from sonde.base.units import counted, format_count
from sonde.instruments.decisions.analysis.shares import share_of_run, share_text
from sonde.instruments.decisions.analysis.words import call_counts
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.glossary import glossary_of
from sonde.instruments.decisions.model import (
    CallKind,
    CallSite,
    Decision,
    DecisionRun,
    Trees,
    Unit,
    decisions_in,
)
from sonde.instruments.decisions.report.headline_words import (
    headline_name,
    is_vectorization,
    meaning_clause,
    place_words,
    reason_words,
)

_UNITS = 10
"""Units that are looked at: as many as are hot if nobody says otherwise."""
_MISSED = 2
"""Missed optimizations that are told."""


class _Missed(NamedTuple):
    rank: int
    """0: a loop that was not vectorized; 1: a call that was not inlined; 2: what else one can do something about."""
    sentence: str


def run_headline(experiment: Experiment, units: Sequence[Unit]) -> tuple[str, ...]:
    """The hottest unit, or where times are not known all units; then what was missed that is worth knowing.

    Args:
        units: those that are told, with most time first.
    Cost: reads the trees of the first `_UNITS` units.
    """
    run = experiment.run
    read = [(unit, trees) for unit in units[:_UNITS] if (trees := _trees(unit)) is not None]
    if not read:
        return ()
    first, trees = read[0]
    share = share_of_run(run, first.period)
    if share:
        about = f"{headline_name(first.method)} has {share_text(share)} of the time: {_counts([trees])}."
    else:
        more = "" if len(read) == len(units) else f"the first {len(read)} of "
        about = f"{more}{counted(len(units), 'unit')}: {_counts([each for _, each in read])}."
    missed: dict[str, _Missed] = {}
    for unit, each in read:
        for one in _missed(run, unit, each):
            missed.setdefault(one.sentence, one)
    told = sorted(missed.values(), key=lambda one: one.rank)[:_MISSED]
    return (about, *(one.sentence for one in told))


def _trees(unit: Unit) -> Trees | None:
    try:
        return unit.load()
    except InputError:  # it is told where its trees would be
        return None


def _counts(every: Sequence[Trees]) -> str:
    """`3 of 5 calls inlined, 12 optimizations, 2 missed`."""
    calls: dict[CallKind, int] = {}
    applied = missed = 0
    for trees in every:
        for kind, count in call_counts(trees.inlining).items():
            calls[kind] = calls.get(kind, 0) + count
        for decision in decisions_in(trees.optimizations):
            applied += decision.outcome == "applied"
            missed += decision.outcome == "missed"
    total = sum(calls.values())
    said = [f"{format_count(calls.get(CallKind.INLINED, 0))} of {counted(total, 'call')} inlined"] if total else []
    said.append(counted(applied, "optimization"))
    return ", ".join([*said, *([f"{format_count(missed)} missed"] if missed else [])])


def _missed(run: DecisionRun, unit: Unit, trees: Trees) -> Iterator[_Missed]:
    decisions = [*decisions_in(trees.optimizations)]
    yield from _loops(run, unit, [each for each in decisions if is_vectorization(each.name)])
    yield from _calls(run, trees.inlining)
    glossary = glossary_of(run.kind)
    for each in decisions:
        if each.outcome != "missed" or is_vectorization(each.name):
            continue
        meaning = glossary.of_decision(each)
        if meaning is not None and meaning.remedy:
            where = f"{headline_name(_method(unit, each))}{place_words(run, [each])}"
            yield _Missed(2, f"{where}: {meaning_clause(run, [each])} ({each.name}).")


def _loops(run: DecisionRun, unit: Unit, decisions: Sequence[Decision]) -> Iterator[_Missed]:
    """Of each method the first reason why a loop of it was not vectorized."""
    by_method: dict[str, list[Decision]] = {}
    for each in decisions:
        if each.outcome != "applied":
            by_method.setdefault(_method(unit, each), []).append(each)
    for method, said in by_method.items():
        if any(each.outcome == "missed" for each in said):
            reason = meaning_clause(run, said)
            words = f"{headline_name(method)}{place_words(run, said)} is not vectorized"
            yield _Missed(0, f"{words}: {reason}." if reason else f"{words}.")


def _calls(run: DecisionRun, root: CallSite) -> Iterator[_Missed]:
    """Calls that were left, and of which the inliner gave a reason about which one can do something."""
    glossary = glossary_of(run.kind)
    pending = [root]
    while pending:
        caller = pending.pop()
        for call in caller.children:
            if call.inlined:
                pending.append(call)
            elif call.alive and call.reasons:
                meaning = glossary.of_reason(call.reasons[-1])
                if meaning is not None and meaning.remedy:
                    into = headline_name(caller.method)
                    words = f"{headline_name(call.method)} is not inlined into {into}"
                    yield _Missed(1, f"{words}: {reason_words(call.reasons)}.")


def _method(unit: Unit, decision: Decision) -> str:
    """Whose code it is about."""
    return decision.position[0].method if decision.position else unit.method
