"""Trees of decisions as they are told: repeated decisions once, phases that decided nothing only counted."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase

Content = CallSite | Phase | Decision | Note
Node = (
    CallSite
    | Phase
    | Decision
    | ContextNode
    | DeltaNode[CallSite]
    | DeltaNode[Phase | Decision]
    | DeltaNode[ContextNode]
)


@dataclass(slots=True, eq=False)
class Item:
    """A line of a tree, with what is below."""

    content: CallSite | Phase | Decision | Note | None
    """None: `phases` of a kind that nobody wants to read one by one."""
    edit: Edit | None = None
    """What it is in a comparison; None: there is only one tree."""
    other: CallSite | None = None
    """The same call on the right, where both sides have it."""
    children: list["Item"] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    """All that `content` stands for."""
    counterpart: "Item | None" = None
    """Of decisions on one side only: those beside them that are called the same, on the other side only."""
    names: list[str] = field(default_factory=list)
    """Phases without decisions; how many of them, and of these, in a comparison:"""
    phases: int = 0
    phases_deleted: int = 0
    phases_inserted: int = 0
    decisions_below: int = 0
    below: int = 0
    """Lines below."""


def items_of(root: Node, *, one_by_one: bool = False) -> Item:
    """The items of a tree, in which phases without decisions are one where they stand side by side.

    Args:
        root: of an inlining, optimization or context tree, or of a tree of differences of two.
        one_by_one: whether repeated decisions have an item each.
    Cost: O(n) for n nodes. No recursion.
    """
    order: list[tuple[Node, int]] = []
    pending: list[tuple[Node, int]] = [(root, -1)]
    while pending:
        node, above = pending.pop()
        number = len(order)
        order.append((node, above))
        pending.extend((child, number) for child in reversed(_children(node)))
    items = [_item(node) for node, _ in order]
    # Children come after their parents: backwards, all below an item is done before the item.
    for (_, above), item in zip(reversed(order), reversed(items), strict=True):
        item.children.reverse()
        _gather(item, one_by_one=one_by_one)
        if above >= 0:
            items[above].children.append(item)
    return items[0]


def highest_items(root: Item, rows: int) -> set[int]:
    """The items nearest to the root, by their `id`; of two as near, first what differs."""
    shown = {id(root)}
    level = deque([root])
    while level and len(shown) < rows:
        below = [child for item in level for child in item.children]
        room = rows - len(shown)
        if len(below) > room:
            # Everything on the way to something else is worth its line more than a leaf is.
            below = sorted(below, key=lambda item: (item.content is None, not item.below))[:room]
        shown.update(map(id, below))
        level = deque(below)
    # A line that says that one is left out is as long as that one.
    pending = [root]
    while pending:
        item = pending.pop()
        left_out = [child for child in item.children if id(child) not in shown]
        if len(left_out) == 1 and not left_out[0].below:
            shown.add(id(left_out[0]))
        pending.extend(child for child in item.children if id(child) in shown)
    return shown


def _children(node: Node) -> list[Node]:
    return [] if isinstance(node, Decision) else cast("list[Node]", node.children)


def _item(node: Node) -> Item:
    if not isinstance(node, DeltaNode):
        content = node.content if isinstance(node, ContextNode) else node
        return Item(content, decisions=[content] if isinstance(content, Decision) else [])
    left, right = (side.content if isinstance(side, ContextNode) else side for side in (node.left, node.right))
    said = left if left is not None else right
    return Item(
        said,
        node.edit,
        right if left is not None and isinstance(right, CallSite) else None,
        decisions=[said] if isinstance(said, Decision) else [],
    )


def _without_passes(children: list[Item]) -> Iterator[Item]:
    """Decisions of passes that are called as they are, as LLVM's are, instead of the passes."""
    for child in children:
        content = child.content
        is_named = (
            isinstance(content, Phase)
            and child.children
            and all(isinstance(each.content, Decision) and each.content.name == content.name for each in child.children)
        )
        yield from child.children if is_named else (child,)


def _gather(item: Item, *, one_by_one: bool) -> None:
    """Put repeated decisions together, then phases without decisions."""
    repeated: dict[tuple[Edit | None, str, str, str], Item] = {}
    gathered: list[Item] = []
    for child in item.children if one_by_one else _without_passes(item.children):
        content = child.content
        if isinstance(content, Decision) and not one_by_one:
            key = (child.edit, content.name, content.event, content.outcome)
            if key in repeated:
                repeated[key].decisions.extend(child.decisions)
                continue
            repeated[key] = child
        elif isinstance(content, Phase) and not child.decisions_below:
            folded = _folded(child)
            last = gathered[-1] if gathered else None
            if last is not None and last.content is None:
                _add(last, folded)
                continue
            child = folded
        gathered.append(child)
    for (edit, name, event, outcome), child in repeated.items():
        if edit is Edit.DELETED and (other := repeated.get((Edit.INSERTED, name, event, outcome))) is not None:
            child.counterpart, other.counterpart = other, child
    item.children = gathered
    item.decisions_below = sum(len(child.decisions) + child.decisions_below for child in gathered)
    item.below = sum(1 + child.below for child in gathered)


def _folded(phase: Item) -> Item:
    """One item for a phase without decisions and those in it, which are folded already."""
    folded = Item(None, phase.edit, names=[phase.content.name] if isinstance(phase.content, Phase) else [], phases=1)
    folded.phases_deleted = int(phase.edit is Edit.DELETED)
    folded.phases_inserted = int(phase.edit is Edit.INSERTED)
    for child in phase.children:
        _add(folded, child)
    return folded


def _add(folded: Item, other: Item) -> None:
    folded.names.extend(other.names)
    folded.phases += other.phases
    folded.phases_deleted += other.phases_deleted
    folded.phases_inserted += other.phases_inserted
    if folded.edit is not other.edit:
        folded.edit = Edit.CHANGED
