"""Control flow as the page gets it."""

from collections.abc import Callable
from heapq import nlargest
from typing import Any

from sonde.report import FlowChart

_MOST_BLOCKS = 500
"""What has more is not looked at as a whole."""
_MOST_WAYS = 12


def flow_data(chart: FlowChart, cut: Callable[[str], str]) -> dict[str, Any]:
    """Blocks, edges and ways as lists; of many blocks, those entered most.

    Args:
        cut: makes a text short enough.
    """
    numbers = range(len(chart.blocks))
    kept = sorted(nlargest(_MOST_BLOCKS, numbers, key=lambda number: (chart.blocks[number].amount, -number)))
    place = {number: at for at, number in enumerate(kept)}
    blocks = [
        [number, block.amount, block.line, cut(block.lines), cut(", ".join(block.inlined))]
        for number in kept
        for block in (chart.blocks[number],)
    ]
    edges = [
        [place[edge.source], place[edge.target], -1 if edge.amount is None else edge.amount, int(edge.is_exceptional)]
        for edge in chart.edges
        if edge.source in place and edge.target in place
    ]
    ways = [
        [cut(way.name), way.amount, [place[number] for number in way.blocks if number in place]]
        for way in chart.ways[:_MOST_WAYS]
    ]
    return {"blocks": blocks, "edges": edges, "ways": ways, "left_out": len(chart.blocks) - len(kept)}
