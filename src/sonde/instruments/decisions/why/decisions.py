"""Why something was decided in one run only: its code was not inlined in the other, a phase did not run, or what came
before it differed."""

from itertools import pairwise

from sonde.instruments.decisions.deltas import Edit
from sonde.instruments.decisions.model import Decision, Phase
from sonde.instruments.decisions.why.background import Background
from sonde.instruments.decisions.why.wording import SIDES, Sides, call_text, fitted, short_name


def decision_reasons(decision: Decision, edit: Edit, background: Background, sides: Sides = SIDES) -> list[str]:
    """Short lines about a decision that was made in one of the runs.

    Args:
        edit: `DELETED` if it was made in the first, `INSERTED` if in the second.
    """
    other = 1 if edit is Edit.DELETED else 0
    lines = []
    not_inlined = _not_inlined(decision, other, background, sides)
    if not_inlined is not None:
        lines.append(not_inlined)
    else:
        lines.extend(_phases(decision, edit, background, sides))
        before = _before(decision, edit, background, sides)
        if before is not None:
            lines.append(before)
    return [fitted(line) for line in lines]


def _not_inlined(decision: Decision, other: int, background: Background, sides: Sides) -> str | None:
    """The first of the calls that lead to the code, from the compiled method on, which the other run did not inline."""
    call = None
    for caller, callee in pairwise(reversed(decision.position)):
        there = [each for each in background.calls_below(other, call) if each.method == callee.method]
        here = [each for each in there if each.at == caller.at]
        inlined = [each for each in here if each.inlined]
        if inlined:
            call = inlined[0]
            continue
        where = f"{short_name(callee.method)} at {caller.at} in {short_name(caller.method)}"
        if here:
            return f"{sides[other]} did not inline {where} ({call_text(here[0])})"
        return f"{sides[other]} has no call of {where}"
    return None


def _phases(decision: Decision, edit: Edit, background: Background, sides: Sides) -> list[str]:
    """The phase in which it was decided, if it ran less often in the other run."""
    phase = _phase_of(decision, 0 if edit is Edit.DELETED else 1, background)
    if phase is None:
        return []
    first, second = (counts[phase] for counts in background.phase_counts)
    own, other = (first, second) if edit is Edit.DELETED else (second, first)
    if own <= other:
        return []
    return [f"{phase} ran {_times(first)} in {sides[0]}, {_times(second)} in {sides[1]}"]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _phase_of(decision: Decision, side: int, background: Background) -> str | None:
    waiting: list[Phase] = [background.trees[side].optimizations]
    while waiting:
        phase = waiting.pop()
        if any(child is decision or child == decision for child in phase.children if isinstance(child, Decision)):
            return phase.name
        waiting.extend(child for child in reversed(phase.children) if isinstance(child, Phase))
    return None


def _before(decision: Decision, edit: Edit, background: Background, sides: Sides) -> str | None:
    """The first other difference, in the order of the phases: one in the same method, else any."""
    number = background.place_in_order(edit, decision)
    if not number:
        return None
    earlier = background.differing[:number]
    method = decision.position[0].method if decision.position else None
    in_method = [
        node
        for node in earlier
        if isinstance(node.node, Decision) and node.node.position and node.node.position[0].method == method
    ]
    first = (in_method or earlier)[0]
    node = first.node
    side = sides[0 if first.edit is Edit.DELETED else 1]
    if isinstance(node, Phase):
        what = f"{node.name} ran" if first.edit is not Edit.CHANGED else f"{node.name} is another phase"
    else:
        what = f"{node.name} {node.event}".strip()
        if node.position:
            what += f" at {node.position[0].at} in {short_name(node.position[0].method)}"
    return f"what differed first before it: {what}, in {side} only"
