"""A function in full: every block with its instructions."""

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.base.units import format_share
from sonde.instruments.vm.graph.block_rows import BlockRow, block_rows
from sonde.instruments.vm.graph.compact_text import summary
from sonde.instruments.vm.graph.count_text import count_text
from sonde.instruments.vm.graph.flow_graph import Graph
from sonde.instruments.vm.graph.plain_letters import in_plain_letters

LINE_INDENT = "    "


def full_text(graph: Graph, *, width: int = 80, is_plain: bool = False) -> str:
    """Print the blocks of a graph with their lines and their edges, in the order of `compact_text`.

    Args:
        width: columns; lines are cut to fit, edges go on in another line.
        is_plain: draw with ASCII letters only.

    >>> from sonde.instruments.vm.graph import Edge, Graph, Node
    >>> blocks = (Node("a", "%a", ("br i1 %c, label %b, label %d",)), Node("b", "%b", ("ret void",)))
    >>> print(full_text(Graph("f", blocks, (Edge("a", "b", "T"), Edge("a", "a", "F")), "a"), width=60))
    f: 2 blocks, 2 edges, 1 loop
    <BLANKLINE>
    %a  loop
        br i1 %c, label %b, label %d
        -> T %b  F %a (back)
    <BLANKLINE>
    %b  from %a
        ret void
    """
    rows = block_rows(graph)
    text = [keep_start(printable(summary(graph, rows)), width)]
    for row in rows:
        text += ["", *_wrapped("", _head(graph, row), "  ", width)]
        text += [keep_start(LINE_INDENT + printable(line), width) for line in row.node.lines]
        goes_to = [
            printable(f"{way.label} {way.target}".strip()) + (" (back)" if way.is_back else "") for way in row.ways
        ]
        if goes_to:
            text += _wrapped(f"{LINE_INDENT}-> ", goes_to, "  ", width)
    drawing = "\n".join(text)
    return in_plain_letters(drawing) if is_plain else drawing


def _head(graph: Graph, row: BlockRow) -> list[str]:
    """A block's name, and what is known of it."""
    depth = "" if row.depth < 2 else f", {row.depth} deep"
    facts = [
        row.node.title,
        *([f"loop{depth}"] if row.is_head else [f"in loop{depth}"] if row.depth else []),
        *([] if row.is_reachable else ["unreachable"]),
    ]
    if row.node.count is not None:
        facts.append(f"×{count_text(row.node.count)}, {format_share(row.node.count, graph.total_count)}")
    if row.sources:
        facts += [f"from {row.sources[0]}", *row.sources[1:]]
    return [printable(fact) for fact in facts]


def _wrapped(first: str, parts: list[str], between: str, width: int) -> list[str]:
    """Parts one after another, going on in lines that begin below the first part."""
    lines: list[str] = []
    line, rest = first, " " * max(display_width(first), len(LINE_INDENT))
    is_empty = True
    for part in parts:
        longer = line + ("" if is_empty else between) + part
        if display_width(longer) > width and not is_empty:
            lines.append(line)
            longer = rest + part
        line, is_empty = keep_start(longer, width), False
    return [*lines, line]
