"""Guide lines of a tree: what stands left of each name.

    main
    ├─ parse
    │  tokenize        the only callee of `parse`: no deeper indentation
    └─ write

A node that is its caller's only child stands right below it without a guide, so that long chains
of calls do not run off the page; only where a tree branches does it move to the right.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Node = TypeVar("Node")


def outline(
    roots: Sequence[Node],
    children: Callable[[Node], Sequence[Node]],
    *,
    is_narrow: bool = False,
    is_indented: bool = False,
) -> Iterator[tuple[str, Node]]:
    """Walk a forest from the top, yielding each node with the guide before its name.

    Args:
        roots: several are drawn as if something above them had called them all.
        children: what to draw below a node, in order.
        is_narrow: draw guides of two columns instead of three.
        is_indented: roots have no guides, and only children have one: for groups, not for chains.
    Cost: O(n) nodes; guides are as long as the tree is deep in branches. No recursion.
    """
    guides = ("├ ", "│ ", "└ ", "  ") if is_narrow else ("├─ ", "│  ", "└─ ", "   ")
    top = [("", "", root) for root in roots] if is_indented else _placed("", roots, guides, is_indented=False)
    pending: list[tuple[str, str, Node]] = list(reversed(top))
    while pending:
        guide, below, node = pending.pop()
        yield guide, node
        pending.extend(reversed(_placed(below, children(node), guides, is_indented=is_indented)))


def _placed(
    before: str, nodes: Sequence[Node], guides: tuple[str, str, str, str], *, is_indented: bool
) -> list[tuple[str, str, Node]]:
    """Each node with its own guide and the start of the guides below it."""
    if len(nodes) == 1 and not is_indented:
        return [(before, before, nodes[0])]
    branch, beside, last, blank = guides
    placed = [(before + branch, before + beside, node) for node in nodes]
    if placed:
        placed[-1] = (before + last, before + blank, nodes[-1])
    return placed


def continued(guide: str) -> str:
    """The guide for a second line under the same node."""
    return guide.replace("├─", "│ ").replace("└─", "  ").replace("├", "│").replace("└", " ")
