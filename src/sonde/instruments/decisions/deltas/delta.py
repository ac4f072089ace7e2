"""The delta tree: the nodes of two trees, each with what became of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

N = TypeVar("N")


class Edit(StrEnum):
    """What became of a node; the value is how it is shown."""

    SAME = "."
    DELETED = "-"
    INSERTED = "+"
    CHANGED = "*"


@dataclass(slots=True)
class DeltaNode(Generic[N]):
    """A node of one tree, or of both."""

    edit: Edit
    left: N | None
    """None: inserted."""
    right: N | None
    """None: deleted."""
    children: list["DeltaNode[N]"] = field(default_factory=list)

    @property
    def node(self) -> N:
        """The left one, if there is one."""
        node = self.right if self.left is None else self.left
        assert node is not None
        return node


def never(_: object) -> bool:
    """No node is kept beside others."""
    return False


def pruned(root: DeltaNode[N], keep_beside: Callable[[N], bool] = never) -> DeltaNode[N] | None:
    """What differs, and what that is in; a copy. None: nothing differs.

    Args:
        keep_beside: which nodes stay although nothing below them differs, if their parents stay.

    >>> same, new = DeltaNode(Edit.SAME, "b", "b"), DeltaNode(Edit.INSERTED, None, "c")
    >>> [child.right for child in pruned(DeltaNode(Edit.SAME, "a", "a", [same, new])).children]
    ['c']
    """
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    differing: set[int] = set()
    for node in reversed(nodes):  # children come after parents
        if node.edit is not Edit.SAME or any(id(child) in differing for child in node.children):
            differing.add(id(node))
    if id(root) not in differing:
        return None
    top: DeltaNode[N] = DeltaNode(root.edit, root.left, root.right)
    pending = [(root, top)]
    while pending:
        node, copy = pending.pop()
        for child in node.children:
            if id(child) in differing or keep_beside(child.node):
                kept: DeltaNode[N] = DeltaNode(child.edit, child.left, child.right)
                copy.children.append(kept)
                pending.append((child, kept))
    return top
