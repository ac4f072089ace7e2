"""A control-flow graph as an SVG: one file, no script, no font, no network."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.base.units import format_share
from sonde.instruments.vm.graph.count_text import count_text
from sonde.instruments.vm.graph.drawn_edges import DrawnEdge, edges_to_draw
from sonde.instruments.vm.graph.flow_graph import Graph, Node
from sonde.instruments.vm.graph.layout import Box, Line, Picture, place
from sonde.instruments.vm.graph.loop_order import order_by_loops
from sonde.instruments.vm.graph.svg_style import HEAT_STEPS, STYLE

COLUMN = 7.3
"""Pixels of a letter of 12 px type: the widest of the named fonts have 7.22."""
LABEL_COLUMN = 6.4
"""The same for the 10.5 px type of labels."""
LINE_HEIGHT = 15
HEAD_HEIGHT = 21
PADDING = 8
MARGIN = 16
"""Pixels around the whole."""
LONGEST_LINE = 72
"""Columns of a line in a block; the rest is in the tool tip."""
LONGEST_LABEL = 12
"""Columns of a label; the rest is in the tool tip."""
CORNER = 5
"""Radius of the corners of lines; less than half of what lies between tracks' middles would touch."""
TIP = 7
"""Length of the head of an arrow."""


@dataclass(frozen=True, slots=True)
class _Face:
    """What is written on a block."""

    title: str
    count: str
    lines: tuple[str, ...]

    @property
    def size(self) -> tuple[int, int]:
        head = display_width(self.title) + (display_width(self.count) + 2 if self.count else 0)
        width = 2 * PADDING + int(max([head, *map(display_width, self.lines)]) * COLUMN) + 1
        body = len(self.lines) * LINE_HEIGHT + PADDING if self.lines else 0
        return max(width, 48), HEAD_HEIGHT + body


def svg(graph: Graph, *, with_lines: bool = True, most_lines: int = 60) -> str:
    """Draw a graph.

    Boxes are laid out in layers, see `layout`. Lines are green where a condition holds and red
    where it does not, dashed and of another colour where they close a loop; the more often a block ran, the redder its
    head. Tool tips have the full text.

    Args:
        with_lines: write instructions into the blocks; else names only.
        most_lines: instructions of a block that are drawn; of longer ones the first and last are.
    Guarantee: well-formed XML whatever names and lines contain; nothing is loaded from anywhere.

    >>> picture = svg(Graph("f", (Node("a", "%a"),), (), "a"))
    >>> picture.startswith("<svg ") and "%a" in picture
    True
    """
    loops = order_by_loops(graph)
    number = {node.id: row for row, node in enumerate(graph.nodes)}
    edges = edges_to_draw(graph, loops)
    faces = [_face(node, graph, most_lines if with_lines else 0) for node in graph.nodes]
    lines = [Line(number[edge.source], number[edge.target], _label_width(edge)) for edge in edges]
    picture = place([face.size for face in faces], lines, loops.order, number[graph.entry])

    width, height = picture.width + 2 * MARGIN, picture.height + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'style="max-width:100%;height:auto" role="img">',
        f"<title>{_escaped(printable(_summary(graph, len(loops.heads))))}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        f'<g transform="translate({MARGIN} {MARGIN})">',
    ]
    parts += _drawn_edges(graph, edges, picture)
    most = max((node.count or 0 for node in graph.nodes), default=0)
    for row, (node, face, box) in enumerate(zip(graph.nodes, faces, picture.boxes, strict=True)):
        heat = f"heat{_heat(node.count, most)}"
        states = ["node", node.kind, heat, *([] if loops.is_reachable[row] else ["dead"])]
        parts.append(_drawn_node(graph, node, face, box, " ".join(states)))
    parts.append("</g>\n</svg>\n")
    return "\n".join(parts)


def _summary(graph: Graph, loops: int) -> str:
    return f"{graph.name}: {len(graph.nodes)} blocks, {len(graph.edges)} edges, {loops} loops"


def _face(node: Node, graph: Graph, most_lines: int) -> _Face:
    lines = [keep_start(printable(line), LONGEST_LINE) for line in node.lines[: most_lines + 1]]
    if len(node.lines) > most_lines:
        kept = most_lines // 2
        rest = (
            [keep_start(printable(line), LONGEST_LINE) for line in node.lines[len(node.lines) - kept :]] if kept else []
        )
        left_out = len(node.lines) - 2 * kept
        lines = [*lines[:kept], f"… {left_out} more", *rest] if most_lines else []
    count = count_text(node.count) if graph.has_counts and node.count is not None else ""
    return _Face(keep_start(printable(node.title), LONGEST_LINE), count, tuple(lines))


def _label_width(edge: DrawnEdge) -> int:
    label = _label(edge)
    return int(display_width(label) * LABEL_COLUMN) + 9 if label else 0


def _label(edge: DrawnEdge) -> str:
    return keep_start(printable(edge.label), LONGEST_LABEL)


def _heat(count: float | None, most: float) -> int:
    """Counts differ by powers of ten: the logarithm is shaded."""
    if not count or not most:
        return 0
    return max(1, min(HEAT_STEPS - 1, round(log1p(count) / log1p(most) * (HEAT_STEPS - 1))))


def _drawn_node(graph: Graph, node: Node, face: _Face, box: Box, states: str) -> str:
    right = box.width - PADDING
    parts = [
        f'<g class="{states}" transform="translate({box.x} {box.y})">',
        f"<title>{_escaped(_tip(graph, node))}</title>",
        f'<rect class="card" width="{box.width}" height="{box.height}" rx="3"/>',
        f'<rect class="head" x="1" y="1" width="{box.width - 2}" height="{HEAD_HEIGHT - 2}" rx="2"/>',
        f'<text class="name on-head" x="{PADDING}" y="15">{_escaped(face.title)}</text>',
    ]
    if face.count:
        parts.append(f'<text class="on-head" x="{right}" y="15" text-anchor="end">{_escaped(face.count)}</text>')
    for row, line in enumerate(face.lines):
        y = HEAD_HEIGHT + (row + 1) * LINE_HEIGHT - 2
        parts.append(f'<text x="{PADDING}" y="{y}">{_escaped(line)}</text>')
    return "".join((*parts, "</g>"))


def _tip(graph: Graph, node: Node) -> str:
    facts = [node.title, f"{len(node.lines)} instructions"]
    if node.count is not None:
        facts.append(f"ran {count_text(node.count)} times, {format_share(node.count, graph.total_count)} of all blocks")
    long_lines = [line for line in node.lines if display_width(line) > LONGEST_LINE]
    return "\n".join(printable(fact) for fact in (*facts, *long_lines))


def _drawn_edges(graph: Graph, edges: Sequence[DrawnEdge], picture: Picture) -> list[str]:
    title = {node.id: node.title for node in graph.nodes}
    drawn: list[str] = []
    for edge, route in zip(edges, picture.routes, strict=True):
        (x, y), (tip_x, tip_y) = route[0], route[-1]
        label = _label(edge)
        tip = printable(f"{title[edge.source]} → {title[edge.target]}  {edge.label}".rstrip())
        drawn.append(
            f'<g class="edge {edge.style}">'
            f"<title>{_escaped(tip)}</title>"
            f'<path d="{_path((*route[:-1], (tip_x, tip_y - TIP + 1)))}"/>'
            f'<path class="tip" d="M{tip_x} {tip_y}l-4 {-TIP}h8z"/>'
            + (f'<text x="{x + 4}" y="{y + 11}">{_escaped(label)}</text>' if label else "")
            + "</g>"
        )
    return drawn


def _path(corners: Sequence[tuple[int, int]]) -> str:
    """Path along corners, which are rounded as far as there is room."""
    parts = [f"M{corners[0][0]} {corners[0][1]}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        radius = min(CORNER, _distance(before, corner) / 2, _distance(corner, after) / 2)
        start, end = _towards(corner, before, radius), _towards(corner, after, radius)
        parts.append(f"L{start[0]:g} {start[1]:g}Q{corner[0]} {corner[1]} {end[0]:g} {end[1]:g}")
    parts.append(f"L{corners[-1][0]} {corners[-1][1]}")
    return "".join(parts)


def _distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(corner: tuple[int, int], other: tuple[int, int], distance: float) -> tuple[float, float]:
    length = _distance(corner, other) or 1
    return (
        corner[0] + (other[0] - corner[0]) / length * distance,
        corner[1] + (other[1] - corner[1]) / length * distance,
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
