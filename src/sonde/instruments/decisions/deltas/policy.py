"""Which nodes of two trees are equal, and which of the others are still the same thing, changed."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Phase

N = TypeVar("N")


@dataclass(frozen=True, slots=True)
class EditPolicy(Generic[N]):
    """What the search for the cheapest edits needs to know of nodes."""

    label: Callable[[N], Hashable]
    """Equal for equal nodes."""
    group: Callable[[N], Hashable | None]
    """Nodes of a group may be matched although they differ; None: never. Equal nodes are of one group."""
    children: Callable[[N], Sequence[N]]


def _no_group(_: object) -> None:
    return None


def _call_label(call: CallSite) -> Hashable:
    return call.at, call.column, call.method, str(call.kind)  # hashing a member of an enumeration takes longer


def _call_group(call: CallSite) -> Hashable:
    """A call is the same call whatever became of it."""
    return call.at, call.column, call.method


def _optimization_label(node: Phase | Decision) -> Hashable:
    if isinstance(node, Phase):
        return node.name
    if len(node.properties) > 1:
        return node.identity
    for key, value in node.properties:  # most decisions have one at most, which is told faster
        return node.name, node.event, node.position, node.outcome, key, type(value), value
    return node.name, node.event, node.position, node.outcome


def _optimizations_in(node: Phase | Decision) -> Sequence[Phase | Decision]:
    return node.children if isinstance(node, Phase) else ()


def _context_label(node: ContextNode) -> Hashable:
    content = node.content
    if isinstance(content, CallSite):
        return CallSite, _call_label(content)
    return _optimization_label(content) if isinstance(content, Decision) else content


def _context_group(node: ContextNode) -> Hashable | None:
    return _call_group(node.content) if isinstance(node.content, CallSite) else None


INLINING: EditPolicy[CallSite] = EditPolicy(_call_label, _call_group, lambda call: call.children)
OPTIMIZATIONS: EditPolicy[Phase | Decision] = EditPolicy(_optimization_label, _no_group, _optimizations_in)
CONTEXT: EditPolicy[ContextNode] = EditPolicy(_context_label, _context_group, lambda node: node.children)
