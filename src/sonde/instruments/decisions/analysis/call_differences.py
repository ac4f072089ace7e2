"""Which calls two compilations treated differently: the topmost differences of their inlining trees."""

from collections.abc import Iterator
from dataclasses import dataclass

from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.experiments import InliningPath, PathElement
from sonde.instruments.decisions.model import CallKind, CallSite, ContextNode


@dataclass(frozen=True, slots=True, eq=False)
class CallDifference:
    """A call that differs; everything below it follows."""

    caller: str | None
    left: CallSite | None
    right: CallSite | None
    """Not of the same method as `left` where the compilers put different methods in one place."""
    node: DeltaNode[CallSite]
    partner: DeltaNode[CallSite] | None
    """The inserted node where `node` is a deleted one in the same place."""
    path: InliningPath
    """The code that it is in."""
    follows: int
    """Calls below it that are on one side only."""
    paths: tuple[list[InliningPath], list[InliningPath]]
    """On either side which code was inlined for it that is not there on the other."""

    @property
    def is_of_inlining(self) -> bool:
        """Whether its code is in the caller on one side and not on the other."""
        return _is_inlined(self.left) != _is_inlined(self.right)


def call_differences(root: DeltaNode[CallSite] | None) -> list[CallDifference]:
    """The topmost differences, in the order of the tree.

    A call of one method that is only on the left and a call of another in the same place that is only on the right
    are one difference.

    Cost: O(n) for n nodes.
    """
    found: list[CallDifference] = []
    if root is None:
        return found
    left = root.left or root.right
    start: InliningPath = (PathElement(left.method if left else None, -1),)
    pending: list[tuple[DeltaNode[CallSite], InliningPath]] = [(root, start)]
    if root.edit is Edit.CHANGED:
        found.append(_difference(None, root, None, ()))
    while pending:
        parent, path = pending.pop()
        caller = (parent.left or parent.right).method if parent.left or parent.right else None  # type: ignore[union-attr]
        partners = dict(_partners(parent.children))
        taken = {id(partner) for partner in partners.values()}
        below: list[tuple[DeltaNode[CallSite], InliningPath]] = []
        for child in parent.children:
            if child.edit is Edit.SAME:
                below.append((child, path + _element(child.left)))
            elif id(child) not in taken:
                found.append(_difference(caller, child, partners.get(id(child)), path))
        pending.extend(reversed(below))
    return found


def calls_only(root: DeltaNode[ContextNode]) -> DeltaNode[CallSite] | None:
    """The calls of a tree of differences of context trees; None without any.

    Cost: O(n) for n nodes. No recursion.
    """
    top: list[DeltaNode[CallSite]] = []
    pending: list[tuple[DeltaNode[ContextNode], list[DeltaNode[CallSite]]]] = [(root, top)]
    while pending:
        node, siblings = pending.pop()
        left, right = (_call_of(side) for side in (node.left, node.right))
        if left is not None or right is not None:
            made: DeltaNode[CallSite] = DeltaNode(node.edit, left, right, [])
            siblings.append(made)
            siblings = made.children
        pending.extend((child, siblings) for child in reversed(node.children))
    return top[0] if top else None


def _call_of(node: ContextNode | None) -> CallSite | None:
    return node.content if node is not None and isinstance(node.content, CallSite) else None


def _difference(
    caller: str | None, node: DeltaNode[CallSite], partner: DeltaNode[CallSite] | None, path: InliningPath
) -> CallDifference:
    left = node.left
    right = partner.right if partner is not None else node.right
    below = _one_sided(node) + (_one_sided(partner) if partner is not None else 0)
    sides = [set(_inlined_paths(site, path)) for site in (left, right)]
    paths = (sorted(sides[0] - sides[1], key=str), sorted(sides[1] - sides[0], key=str))
    return CallDifference(caller, left, right, node, partner, path, below, paths)


def _inlined_paths(site: CallSite | None, path: InliningPath) -> Iterator[InliningPath]:
    """The outermost code that was inlined for a call: its own, or that of what it was devirtualized to."""
    pending = [] if site is None else [(site, path)]
    while pending:
        call, above = pending.pop()
        here = above + _element(call)
        if call.inlined or call.is_root:
            yield here
        else:
            pending.extend((child, here) for child in call.children)


def _partners(children: list[DeltaNode[CallSite]]) -> Iterator[tuple[int, DeltaNode[CallSite]]]:
    """Deleted calls, by `id`, with an inserted one in the same place."""
    inserted: dict[int, list[DeltaNode[CallSite]]] = {}
    for child in children:
        if child.edit is Edit.INSERTED and child.right is not None and child.right.at >= 0:
            inserted.setdefault(child.right.at, []).append(child)
    for child in children:
        if child.edit is Edit.DELETED and child.left is not None and inserted.get(child.left.at):
            yield id(child), inserted[child.left.at].pop(0)


def _one_sided(node: DeltaNode[CallSite]) -> int:
    count = 0
    pending = list(node.children)
    while pending:
        below = pending.pop()
        count += below.edit is not Edit.SAME
        pending.extend(below.children)
    return count


def _element(site: CallSite | None) -> InliningPath:
    """What a call adds to a path; those whose target is found as it runs add nothing."""
    if site is None or site.kind in (CallKind.INDIRECT, CallKind.DEVIRTUALIZED):
        return ()
    return (PathElement(site.method, site.at),)


def _is_inlined(site: CallSite | None) -> bool:
    return site is not None and site.kind in (CallKind.INLINED, CallKind.DEVIRTUALIZED)
