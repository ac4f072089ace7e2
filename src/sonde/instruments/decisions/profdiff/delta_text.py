"""The text of trees that are compared."""

from collections.abc import Iterator, Sequence

from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.experiments import Differences, TooBig
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase
from sonde.instruments.decisions.profdiff.lines import Line
from sonde.instruments.decisions.profdiff.node_text import (
    call_site_text,
    depth_below,
    detail_lines,
    optimization_text,
    reason_lines,
    receiver_lines,
    relabelled_text,
)
from sonde.instruments.decisions.profdiff.options import ProfdiffOptions

_NO_DIFFERENCES = "There are no differences"
_Content = CallSite | Phase | Decision | Note
_Delta = DeltaNode[CallSite] | DeltaNode[Phase | Decision] | DeltaNode[ContextNode]


def difference_lines(found: Differences, level: int, options: ProfdiffOptions) -> Iterator[Line]:
    """What differs in two compilations."""
    if options.context_tree:
        if isinstance(found.context, TooBig):
            yield level, "The optimization-context trees are too big to compare"
        else:
            yield from _delta_lines(found.context, level, options)
        return
    if isinstance(found.inlining, TooBig):
        yield level, "The inlining trees are too big to compare"
    else:
        yield level, "Inlining tree matching"
        yield from _delta_lines(found.inlining, level + 1, options)
    if isinstance(found.optimizations, TooBig):
        yield level, "The optimization trees are too big to compare"
    else:
        yield level, "Optimization tree matching"
        yield from _delta_lines(found.optimizations, level + 1, options)


def _delta_lines(root: _Delta | None, level: int, options: ProfdiffOptions) -> Iterator[Line]:
    """One delta tree of any kind, each node with its sign."""
    if root is None:
        yield level, _NO_DIFFERENCES
        return
    waiting: list[tuple[int, _Delta, int, int]] = [(level, root, 0, 0)]
    while waiting:
        at, node, left_depth, right_depth = waiting.pop()
        left, right = _content(node.left), _content(node.right)
        # What is on one side only was called as on that side: an indirect call there may be another kind here.
        yield from _node_lines(node.edit, left, right, at, options, right_depth if left is None else left_depth)
        left_depth, right_depth = _below(left, left_depth), _below(right, right_depth)
        children: Sequence[_Delta] = node.children
        waiting.extend((at + 1, child, left_depth, right_depth) for child in reversed(children))


def _below(content: _Content | None, depth: int) -> int:
    return depth_below(content, depth) if isinstance(content, CallSite) else depth


def _content(node: CallSite | Phase | Decision | ContextNode | None) -> _Content | None:
    return node.content if isinstance(node, ContextNode) else node


def _node_lines(
    edit: Edit,
    left: _Content | None,
    right: _Content | None,
    level: int,
    options: ProfdiffOptions,
    depth: int,
) -> Iterator[Line]:
    one = right if left is None else left
    assert one is not None
    if edit is not Edit.CHANGED:
        yield level, f"{edit} {_text(one, options, depth)}"
        if isinstance(one, CallSite) and edit is not Edit.SAME:
            yield from detail_lines(one, level, reasons=options.inliner_reasoning)
        elif isinstance(left, CallSite) and isinstance(right, CallSite):
            shows_reasons = options.inliner_reasoning and not left.is_root
            yield from _both_lines(left, right, level, reasons=shows_reasons)
    elif isinstance(left, CallSite) and isinstance(right, CallSite):
        yield level, f"{edit} {relabelled_text(left, right)}"
        shows_reasons = options.inliner_reasoning or left.inlined != right.inlined
        yield from _both_lines(left, right, level, reasons=shows_reasons)
    else:
        yield level, f"{edit} {_name(left)} -> {_name(right)}"


def _both_lines(left: CallSite, right: CallSite, level: int, *, reasons: bool) -> Iterator[Line]:
    if reasons:
        yield from reason_lines(left, level, 1)
        yield from reason_lines(right, level, 2)
    yield from receiver_lines(left, level, 1)
    yield from receiver_lines(right, level, 2)


def _text(content: _Content, options: ProfdiffOptions, depth: int) -> str:
    if isinstance(content, Note):
        return content.text
    if isinstance(content, CallSite):
        return call_site_text(content)
    return optimization_text(content, long_bci=options.long_bci, depth=depth)


def _name(content: _Content | None) -> str:
    """Of nodes that have nothing in common; only roots are compared then."""
    if isinstance(content, Phase | Decision):
        return content.name
    return content.text if isinstance(content, Note) else "null"
