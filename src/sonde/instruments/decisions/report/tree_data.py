"""Trees for programs: whole, with everything that the record says."""

from typing import Any

from sonde.instruments.decisions.analysis.tree_items import Content, Node
from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Phase, Position, ReceiverProfile
from sonde.report import Column, Record, Row, Table

Data = dict[str, Any]

_COLUMNS = (Column("what", "", "name"), Column("of", ""), Column("edit", ""), Column("node", ""))
_COLUMNS_OF_ONE = (_COLUMNS[0], _COLUMNS[1], _COLUMNS[3])


def tree_data_table(key: str, title: str, root: Node) -> Table:
    """A tree with all its nodes.

    `what` is the name of a method, phase, optimization or note, `of` which of these it is, `edit` of a tree of
    differences `same`, `deleted`, `inserted` or `changed`. `node` has what else is known; of a call that is not the
    same on both sides, in `first` and `second`.

    Cost: O(n) for n nodes. No recursion.
    """
    order: list[tuple[Node, int]] = []
    pending: list[tuple[Node, int]] = [(root, -1)]
    while pending:
        node, above = pending.pop()
        children: list[Any] = [] if isinstance(node, Decision) else node.children
        number = len(order)
        order.append((node, above))
        if children:
            pending.extend([(child, number) for child in reversed(children)])
    below: list[list[Row]] = [[] for _ in order]
    rows: list[Row] = []
    for number in range(len(order) - 1, -1, -1):  # children come after parents
        node, above = order[number]
        under = below[number]
        row = Row(_cells(node), tuple(under[::-1]) if under else ())
        (below[above] if above >= 0 else rows).append(row)
    columns = _COLUMNS if isinstance(root, DeltaNode) else _COLUMNS_OF_ONE
    return Table(key, title, columns, rows, is_secondary=True)


def position_as_data(position: Position) -> list[Data]:
    """The inline stack, innermost first."""
    return [
        {"method": place.method, "at": place.at, **({"column": place.column} if place.column else {})}
        for place in position
    ]


def _cells(node: Node) -> tuple[str | Record | None, ...]:
    if not isinstance(node, DeltaNode):
        return _told(node.content if isinstance(node, ContextNode) else node)
    left, right = (side.content if isinstance(side, ContextNode) else side for side in (node.left, node.right))
    said = left if left is not None else right
    assert said is not None
    what, of, record = _told(said)
    if (
        isinstance(left, CallSite)
        and isinstance(right, CallSite)
        and (node.edit is Edit.CHANGED or (left.reasons, left.receivers) != (right.reasons, right.receivers))
    ):
        record = Record({"first": _call(left), "second": _call(right)})
    return what, of, node.edit.name.lower(), record


def _told(content: Content) -> tuple[str | None, str, Record | None]:
    """What it is called, what it is, and what else is known of it."""
    if isinstance(content, Decision):
        data: Data = {
            "event": content.event,
            "outcome": content.outcome,
            "position": position_as_data(content.position) if content.position else [],
            "properties": dict(content.properties),
        }
        return content.name, "optimization", Record(data)
    if isinstance(content, Phase):
        return content.name, "phase", Record({"more": dict(content.more)}) if content.more else None
    if isinstance(content, CallSite):
        return content.method, "call", Record(_call(content))
    return content.text, "note", None


def _call(site: CallSite) -> Data:
    data: Data = {
        "kind": site.kind.value,
        "method": site.method,
        "at": site.at,
        "inlined": site.inlined,
        "alive": site.alive,
        "indirect": site.indirect,
        "reasons": list(site.reasons),
    }
    if site.more:
        data["more"] = dict(site.more)
    if site.column:
        data["column"] = site.column
    if site.receivers is not None:
        data["receivers"] = _receivers(site.receivers)
    return data


def _receivers(profile: ReceiverProfile) -> Data:
    return {
        "mature": profile.mature,
        "types": [
            {"type": one.type_name, "probability": one.probability, "method": one.method} for one in profile.types
        ],
    }
