"""Trees of decisions as the paper prints them, so that tests read like its listings."""

from collections.abc import Iterator

from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.model import NO_OFFSET, CallSite, ContextNode, Decision, Note, Phase

Node = CallSite | Phase | Decision | ContextNode


def text_of(node: Node) -> str:
    """A tree, two spaces for each level; positions innermost, or all of them in a map when `in_full`."""
    return "\n".join(_lines(node, ""))


def delta_text(delta: DeltaNode[ContextNode] | DeltaNode[CallSite] | DeltaNode[Phase | Decision]) -> str:
    """A tree of differences: the sign, then the node."""
    return "\n".join(_delta_lines(delta, ""))


def call_text(site: CallSite, was: CallSite | None = None) -> str:
    kind = site.kind if was is None else f"{was.kind} -> {site.kind}"
    return f"({kind}) {site.method}" + (f" line {site.at}" if site.at != NO_OFFSET else "")


def decision_text(decision: Decision) -> str:
    """`LoopPeeling line 12 with {peelings: 1}`."""
    text = decision.name
    if decision.position:
        text += f" line {decision.position[0].at}"
    if decision.properties:
        text += " with {" + ", ".join(f"{key}: {value}" for key, value in decision.properties) + "}"
    return text


def _line(node: Node, was: Node | None = None) -> str:
    if isinstance(node, ContextNode):
        before = was.content if isinstance(was, ContextNode) else None
        if isinstance(node.content, Note):
            return node.content.text
        return _line(node.content, None if isinstance(before, Note) else before)
    if isinstance(node, CallSite):
        return call_text(node, was if isinstance(was, CallSite) else None)
    return node.name if isinstance(node, Phase) else decision_text(node)


def _lines(node: Node, indent: str) -> Iterator[str]:
    yield indent + _line(node)
    for child in () if isinstance(node, Decision) else node.children:
        yield from _lines(child, indent + "  ")


def _delta_lines(
    delta: DeltaNode[ContextNode] | DeltaNode[CallSite] | DeltaNode[Phase | Decision], indent: str
) -> Iterator[str]:
    shown = delta.right if delta.left is None else delta.left
    assert shown is not None
    if delta.edit == Edit.CHANGED and delta.right is not None:
        yield f"{indent}* {_line(delta.right, delta.left)}"
    else:
        yield f"{indent}{delta.edit} {_line(shown)}"
    for child in delta.children:
        yield from _delta_lines(child, indent + "  ")
