"""A function at a glance: one line for each block."""

from sonde.base.fitted_text import display_width, keep_both_ends, keep_start, pad, printable
from sonde.base.units import counted, format_count, format_share
from sonde.instruments.vm.graph.block_rows import BlockRow, block_rows
from sonde.instruments.vm.graph.count_text import count_text
from sonde.instruments.vm.graph.flow_graph import Graph
from sonde.instruments.vm.graph.plain_letters import in_plain_letters

INDENT = 2
"""Columns for each loop that a block is in; the arrows of the loop stand there."""

DEEPEST = 8
"""Loops whose arrows and indentation are drawn; blocks further in are not moved on."""

LEAST_NAMES = 12
LEAST_TARGET = 10
"""Columns of a successor's name below which one less is shown."""
WIDEST_NAMES = 0.45
"""Share of the page for arrows and names."""


def compact_text(graph: Graph, *, width: int = 80, is_plain: bool = False) -> str:
    """List the blocks of a graph, one in a line, in an order that reads from top to bottom.

    Arrows on the left lead from the blocks that close a loop up to its head. After the names: the number of
    instructions, counts and their share of all counts if there are any, and where control goes on.

    Args:
        width: columns; names and successors are cut to fit, and how many successors are left out is said.
        is_plain: draw with ASCII letters only.

    >>> from sonde.instruments.vm.graph import Edge, Graph, Node
    >>> blocks = (Node("a", "%a", ("br label %b",)), Node("b", "%b", ("br i1 %c",)), Node("d", "%d", ("ret void",)))
    >>> edges = (Edge("a", "b"), Edge("b", "b", "T"), Edge("b", "d", "F"))
    >>> print(compact_text(Graph("f", blocks, edges, "a"), width=60))
    f: 3 blocks, 3 edges, 1 loop
    block         instr  goes to
    %a                1  → %b
    ↺▶%b              1  T %b  F %d
    %d                1  ret void
    """
    rows = block_rows(graph)
    deepest = min(DEEPEST, max(row.depth for row in rows))
    names = [_arrows(row, deepest) + printable(row.node.title) for row in rows]
    name_width = min(max(LEAST_NAMES, *map(display_width, names)), int(width * WIDEST_NAMES))
    header = [pad("block", name_width), "instr"]
    cells = [
        [keep_both_ends(name, name_width), format_count(len(row.node.lines))]
        for row, name in zip(rows, names, strict=True)
    ]
    if graph.has_counts:
        header += ["count", "share"]
        for row, line in zip(rows, cells, strict=True):
            count = row.node.count
            line += ["", ""] if count is None else [count_text(count), format_share(count, graph.total_count)]
    widths = [max(map(display_width, column)) for column in zip(header, *cells, strict=True)]
    used = sum(widths) + 2 * len(widths)
    text = [printable(summary(graph, rows)), _joined([*header, "goes to"], widths)]
    for row, line in zip(rows, cells, strict=True):
        text.append(_joined([*line, _successors(row, width - used)], widths))
    drawing = "\n".join(keep_start(line, width) for line in text)
    return in_plain_letters(drawing) if is_plain else drawing


def summary(graph: Graph, rows: list[BlockRow]) -> str:
    """What the graph is, in a line."""
    loops = sum(row.is_head for row in rows)
    unreachable = sum(not row.is_reachable for row in rows)
    parts = [
        counted(len(graph.nodes), "block"),
        counted(len(graph.edges), "edge"),
        counted(loops, "loop"),
        *([f"{unreachable} unreachable"] if unreachable else []),
    ]
    return f"{graph.name}: {', '.join(parts)}"


def _joined(cells: list[str], widths: list[int]) -> str:
    name, *numbers, rest = cells
    right = [" " * (width - display_width(cell)) + cell for cell, width in zip(numbers, widths[1:], strict=True)]
    return "  ".join((pad(name, widths[0]), *right, rest)).rstrip()


def _arrows(row: BlockRow, deepest: int) -> str:
    """The arrows of the loops that this row is in, from the outermost; a name follows."""
    letters = [" "] * (INDENT * min(row.depth, deepest))
    for level in range(len(letters) // INDENT):
        arm = row.arms[level]
        if arm == "":
            continue
        at = INDENT * level
        letters[at] = {"head": "┌", "inside": "│", "back": "├", "last": "└", "alone": "↺"}[arm]
    # From the innermost loop that begins or is closed here, a line leads to the name, through what is further in.
    ends = [level for level in range(len(letters) // INDENT) if row.arms[level] in ("head", "back", "last", "alone")]
    for level in ends[:1]:
        for at in range(INDENT * level + 1, len(letters)):
            letters[at] = {" ": "─", "│": "┼", "└": "┴", "├": "┼", "┌": "┬"}.get(letters[at], letters[at])
        if row.is_head:
            letters[-1] = "▶"
    return "".join(letters)


def _successors(row: BlockRow, room: int) -> str:
    """Where control goes on: in full, with shorter names, or as many as fit."""
    if not row.ways:
        return keep_start(printable(row.node.lines[-1]), room) if row.node.lines else ""
    before = [f"{printable(way.label)} " if way.label else "→ " for way in row.ways]
    names = [printable(way.target) for way in row.ways]
    for number in range(len(names), 0, -1):
        more = f"  … {len(names) - number} more" if number < len(names) else ""
        for_names = room - len(more) - 2 * (number - 1) - sum(map(display_width, before[:number]))
        shown = _shortened(names[:number], for_names)
        if all(display_width(name) >= LEAST_TARGET or name in names for name in shown):
            break
    return keep_start("  ".join(label + name for label, name in zip(before, shown, strict=False)) + more, room)


def _shortened(names: list[str], room: int) -> list[str]:
    """Cut the longest names so that all of them fit."""
    widths = sorted(map(display_width, names))
    for number, width in enumerate(widths):
        longest = (room - sum(widths[:number])) // (len(widths) - number)
        if width > longest:
            return [keep_both_ends(name, longest) for name in names]
    return names
