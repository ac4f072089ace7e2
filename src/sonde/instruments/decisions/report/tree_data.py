"""Trees as plain data for programs: whole, with everything that the record says."""

from collections.abc import Callable
from typing import Any

from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.experiments import TooBig
from sonde.instruments.decisions.model import CallSite, ContextNode, Decision, Note, Phase, Position, ReceiverProfile
from sonde.instruments.decisions.report.tree_items import Node

Data = dict[str, Any]


def tree_as_data(root: Node) -> Data:
    """A tree with all its nodes; each has its `children`, which are left out where there are none.

    A node of a tree of differences has `edit`: `same`, `deleted`, `inserted` or `changed`; one that changed has both
    sides, in `first` and `second`, any other one what it is by itself.

    Cost: O(n) for n nodes. No recursion.
    """
    top: list[Data] = []
    pending: list[tuple[Node, list[Data]]] = [(root, top)]
    while pending:
        node, siblings = pending.pop()
        data = _node(node)
        siblings.append(data)
        children: list[Node] = [] if isinstance(node, Decision) else list(node.children)
        if children:
            below: list[Data] = []
            data["children"] = below
            pending.extend((child, below) for child in reversed(children))
    return top[0]


def delta_as_data(tree: Any, as_data: Callable[[Node], Data] = tree_as_data) -> Data | str | None:
    """A tree of differences, `"too big"`, or None where there is none."""
    if tree is None:
        return None
    return "too big" if isinstance(tree, TooBig) else as_data(tree)


def position_as_data(position: Position) -> list[Data]:
    """The inline stack, innermost first."""
    return [
        {"method": place.method, "at": place.at, **({"column": place.column} if place.column else {})}
        for place in position
    ]


def _node(node: Node) -> Data:
    if not isinstance(node, DeltaNode):
        return _content(node.content if isinstance(node, ContextNode) else node)
    left, right = (side.content if isinstance(side, ContextNode) else side for side in (node.left, node.right))
    data: Data = {"edit": node.edit.name.lower()}
    both = isinstance(left, CallSite) and isinstance(right, CallSite)
    if both and (node.edit.value == "*" or _said(left) != _said(right)):
        return data | {"first": _content(left), "second": _content(right)}
    return data | _content(left if left is not None else right)


def _said(content: Any) -> tuple[object, ...]:
    return (content.reasons, content.receivers)


def _content(content: CallSite | Phase | Decision | Note | None) -> Data:
    if isinstance(content, CallSite):
        return _call(content)
    if isinstance(content, Phase):
        return {"phase": content.name, **({"more": dict(content.more)} if content.more else {})}
    if isinstance(content, Decision):
        return {
            "optimization": content.name,
            "event": content.event,
            "outcome": content.outcome,
            "position": position_as_data(content.position),
            "properties": dict(content.properties),
        }
    return {"note": content.text if content is not None else ""}


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
