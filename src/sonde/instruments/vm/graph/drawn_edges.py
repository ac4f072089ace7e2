"""Edges as they are drawn: those between the same two blocks together, each with what it looks like."""

from dataclasses import dataclass
from typing import Literal

from sonde.instruments.vm.graph.flow_graph import Graph
from sonde.instruments.vm.graph.loop_order import LoopOrder

EdgeStyle = Literal["plain", "true", "false", "unwind", "back"]


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """One line of a drawing."""

    source: str
    target: str
    label: str
    """Labels of all edges that it stands for."""
    style: EdgeStyle


def edges_to_draw(graph: Graph, loops: LoopOrder) -> list[DrawnEdge]:
    """Lines for the edges of a graph, one for each pair of blocks, in the order of the first edge of each."""
    labels: dict[tuple[str, str], list[str]] = {}
    back: set[tuple[str, str]] = set()
    for number, edge in enumerate(graph.edges):
        ends = (edge.source, edge.target)
        labels.setdefault(ends, [])
        if edge.label:
            labels[ends].append(edge.label)
        if edge.is_back or number in loops.closing:
            back.add(ends)
    return [
        DrawnEdge(*ends, label=", ".join(texts), style="back" if ends in back else _style(texts))
        for ends, texts in labels.items()
    ]


def _style(labels: list[str]) -> EdgeStyle:
    match labels:
        case ["T"]:
            return "true"
        case ["F"]:
            return "false"
        case ["unwind"]:
            return "unwind"
        case _:
            return "plain"
