"""A second run in the words of the first."""

from collections.abc import Callable
from dataclasses import replace

from sonde.instruments.decisions.alignment.aligning import Alignment
from sonde.instruments.decisions.alignment.evidence import caller_below
from sonde.instruments.decisions.model import (
    CallSite,
    Decision,
    DecisionRun,
    Phase,
    ReceiverProfile,
    Trees,
    rewritten_phases,
)


def aligned_run(second: DecisionRun, alignment: Alignment) -> DecisionRun:
    """The second run with the methods and places of the first; its trees are still read when they are asked for.

    Guarantee: nothing but names and places changes; the run that is given does not. `DecisionRun.source_line` still
        tells where a place is in the source of the second run.
    """
    if alignment.is_identity:
        return second
    units = [
        replace(
            unit,
            method=alignment.name(unit.method),
            load=_loading(unit.load, alignment),
            spread=tuple((alignment.position(position), period) for position, period in unit.spread),
        )
        for unit in second.units
    ]
    sources = {alignment.name(method): source for method, source in second.sources.items()}
    moved = {method: {there: here for here, there in moves.items()} for method, moves in alignment.offsets.items()}
    return replace(second, units=units, sources=sources, moved=moved)


def _loading(load: Callable[[], Trees], alignment: Alignment) -> Callable[[], Trees]:
    return lambda: aligned_trees(load(), alignment)


def aligned_trees(trees: Trees, alignment: Alignment) -> Trees:
    """Copies of both trees of a compilation of the second run, with the names and places of the first.

    Guarantee: nothing but names and places changes; the trees that are given do not.
    Cost: O(n).
    """
    return Trees(_calls(trees.inlining, alignment), _phases(trees.optimizations, alignment))


def _calls(root: CallSite, alignment: Alignment) -> CallSite:
    top = replace(root)
    waiting: list[tuple[CallSite, str | None]] = [(top, None)]
    while waiting:
        call, caller = waiting.pop()
        if call.method is not None:
            call.method = alignment.name(call.method)
        if caller is not None:
            call.at = alignment.place(caller, call.at)
        if call.receivers is not None:
            call.receivers = _receivers(call.receivers, alignment)
        call.children = [replace(child) for child in call.children]
        within = caller_below(call, caller)
        waiting.extend((child, within) for child in call.children)
    return top


def _receivers(profile: ReceiverProfile, alignment: Alignment) -> ReceiverProfile:
    types = tuple(
        replace(each, method=each.method if each.method is None else alignment.name(each.method))
        for each in profile.types
    )
    return replace(profile, types=types)


def _phases(root: Phase, alignment: Alignment) -> Phase:
    def aligned(node: Phase | Decision) -> Phase | Decision:
        return node if isinstance(node, Phase) else replace(node, position=alignment.position(node.position))

    return rewritten_phases(root, lambda phase: map(aligned, phase.children))
