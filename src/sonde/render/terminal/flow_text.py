"""Control flow on paper: a row for each block, with where it leads."""

from heapq import nlargest

from sonde.base.units import format_share
from sonde.report import Column, FlowChart, FlowEdge, Row, Table, Tone


def flow_table(chart: FlowChart) -> Table:
    """A chart as a table: blocks in the order of the code, and how often each led to which.

    Cost: O(blocks + edges + blocks of the ways).
    """
    numbers = range(len(chart.blocks))
    kept = set(numbers)
    if chart.most and len(kept) > chart.most:
        kept = set(nlargest(chart.most, numbers, key=lambda number: (chart.blocks[number].amount, -number)))
    after: dict[int, list[FlowEdge]] = {}
    for edge in chart.edges:
        after.setdefault(edge.source, []).append(edge)
    ways = [(way.name, set(way.blocks)) for way in chart.ways]
    columns = (
        Column("times", "times", "count", max((block.amount for block in chart.blocks), default=0), is_hot=True),
        Column("block", "block", "count"),
        Column("lines", "lines", "text"),
        Column("leads_to", "leads to", "text"),
        *((Column("ways", "on", "text", priority=1),) if ways else ()),
        Column("inlined", "", shown="below"),
    )
    rows = []
    for number in sorted(kept):
        block = chart.blocks[number]
        on = [name for name, blocks in ways if number in blocks]
        cells = (block.amount, number, block.lines, _leads_to(after.get(number, []), block.amount))
        inlined = f"with {', '.join(block.inlined)}" if block.inlined else None
        tone: Tone = "faint" if not block.amount else "strong" if ways and number in ways[0][1] else ""
        rows.append(Row((*cells, *((", ".join(on),) if ways else ()), inlined), tone=tone))
    left_out = len(chart.blocks) - len(kept)
    return Table(chart.key, chart.title, columns, rows, chart.notes, "block", left_out=left_out)


def _leads_to(edges: list[FlowEdge], times: int) -> str:
    """Where a block leads, the most frequent first; where it never went, in brackets."""
    told = []
    for edge in sorted(edges, key=lambda edge: -(edge.amount or 0)):
        if edge.amount is None:
            told.append(str(edge.target))
        elif edge.amount:
            share = f" {format_share(edge.amount, times)}" if len(edges) > 1 else ""
            told.append(f"{edge.target}{share}")
        elif not edge.is_exceptional:
            told.append(f"({edge.target})")
    return ", ".join(told)
