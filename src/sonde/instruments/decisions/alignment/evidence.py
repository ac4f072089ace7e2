"""What the trees of a run tell of its methods: where they are called, what they call, what was decided in them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sonde.instruments.decisions.model import CallSite, Phase, Trees, decisions_in

Site = tuple[int, str]
"""Where in the method, and what is there."""


@dataclass(slots=True)
class MethodEvidence:
    """Of one method."""

    calls: set[Site] = field(default_factory=set)
    """Where it calls what."""
    decisions: set[Site] = field(default_factory=set)
    """Where something was decided, and what."""
    callers: set[tuple[str, int]] = field(default_factory=set)
    """Which methods call it, and where."""
    places: set[int] = field(default_factory=set)
    """All places in it that occur; negative ones, which are the compiler's own, do not count."""


def gather(runs_trees: Iterable[Trees]) -> dict[str, MethodEvidence]:
    """All methods that occur, in the order in which they first do."""
    found: dict[str, MethodEvidence] = {}
    for trees in runs_trees:
        _gather_calls(trees.inlining, found)
        _gather_decisions(trees.optimizations, found)
    return found


def _of(method: str, found: dict[str, MethodEvidence]) -> MethodEvidence:
    evidence = found.get(method)
    if evidence is None:
        evidence = found[method] = MethodEvidence()
    return evidence


def _gather_calls(root: CallSite, found: dict[str, MethodEvidence]) -> None:
    waiting: list[tuple[CallSite, str | None]] = [(root, None)]
    while waiting:
        call, caller = waiting.pop()
        if call.method is not None:
            evidence = _of(call.method, found)
            if caller is not None and call.at >= 0:
                evidence.callers.add((caller, call.at))
                in_caller = _of(caller, found)
                in_caller.calls.add((call.at, call.method))
                in_caller.places.add(call.at)
        within = caller_below(call, caller)
        waiting.extend((child, within) for child in reversed(call.children))


def caller_below(call: CallSite, caller: str | None) -> str | None:
    """The method whose code the calls below `call` are in.

    Below an indirect call are the calls that it was turned into, which are where it was.
    """
    return caller if call.indirect and not call.is_root else call.method


def _gather_decisions(root: Phase, found: dict[str, MethodEvidence]) -> None:
    for node in decisions_in(root):
        for place in node.position:
            evidence = _of(place.method, found)
            if place.at >= 0:
                evidence.places.add(place.at)
        if node.position and node.position[0].at >= 0:
            innermost = node.position[0]
            found[innermost.method].decisions.add((innermost.at, f"{node.name} {node.event}"))
