"""What led to a node of a delta tree."""

from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase
from sonde.instruments.decisions.why.background import Background
from sonde.instruments.decisions.why.calls import call_reasons
from sonde.instruments.decisions.why.decisions import decision_reasons
from sonde.instruments.decisions.why.wording import SIDES, Sides

MOST_LINES = 4

Node = CallSite | Phase | Decision | ContextNode


def reasons_for(
    delta: DeltaNode[CallSite] | DeltaNode[Phase | Decision] | DeltaNode[ContextNode],
    background: Background | None = None,
    sides: Sides = SIDES,
) -> list[str]:
    """Short lines on what led to a difference, most telling first; empty if nothing is known, or nothing differs.

    Args:
        background: the trees of both sides; without it, only calls can be told about.
        sides: what the runs are called.
    Guarantee: at most `MOST_LINES` lines of at most `WIDEST` columns. All is said by the compilers' own records; that
        one thing came before another, or holds its code, does not prove that it is the cause.
    Cost: for the first decision that of comparing the optimization trees, then O(n) for each.
    """
    if delta.edit is Edit.SAME:
        return []
    left, right = _content(delta.left), _content(delta.right)
    if isinstance(left, CallSite) or isinstance(right, CallSite):
        calls = (left if isinstance(left, CallSite) else None, right if isinstance(right, CallSite) else None)
        return call_reasons(*calls, sides)[:MOST_LINES]
    decision = right if left is None else left
    if isinstance(decision, Decision) and background is not None and delta.edit is not Edit.CHANGED:
        return decision_reasons(decision, delta.edit, background, sides)[:MOST_LINES]
    return []


def _content(node: Node | None) -> CallSite | Phase | Decision | Note | None:
    return node.content if isinstance(node, ContextNode) else node
