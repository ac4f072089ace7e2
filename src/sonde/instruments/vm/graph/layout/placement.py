"""All steps of the layout together: from sizes and lines to places."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sonde.instruments.vm.graph.layout.alignment import align
from sonde.instruments.vm.graph.layout.layering import Layering, layer
from sonde.instruments.vm.graph.layout.ordering import order_layers
from sonde.instruments.vm.graph.layout.ports import Line, Ports, place_ports, widths_for_ports
from sonde.instruments.vm.graph.layout.tightening import tighten
from sonde.instruments.vm.graph.layout.tracks import Span, assign_tracks

BOX_GAP = 28
"""Pixels between boxes side by side."""
BEND_GAP = 14
"""Pixels between a line that passes a layer and its neighbour."""
TRACK_GAP = 9
"""Pixels between horizontal parts of lines."""
LEAVE = 14
"""Pixels between the boxes above and the first track: room for labels, which stand right of their line."""
ENTER = 18
"""Pixels between the last track and the boxes below: room for heads of arrows."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box with its place, in pixels from the top left."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Places of everything. Lines go along their corners, straight down, across or up."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    routes: tuple[tuple[tuple[int, int], ...], ...]
    """By line, its corners from the bottom of its source to the top of its target."""
    crossings: int
    """Of lines drawn straight from layer to layer."""


def place(sizes: Sequence[tuple[int, int]], lines: Sequence[Line], order: Sequence[int], entry: int) -> Picture:
    """Place boxes in layers, and lead lines from the bottom of their source to the top of their target.

    Args:
        sizes: (n_boxes,) width and height of each. A box is made wider where more lines meet it than there is room.
        order: all boxes; lines that lead to an earlier one go back up. See `order_by_loops`.
        entry: the box at the top.
    Guarantee: boxes do not overlap. Lines do not cross boxes, and touch only those where they begin and end.
    Cost: that of its steps; nearly all of it in the order of layers.
    Source: Sugiyama, Tagawa, Toda, IEEE SMC 1981, for the steps; each step names its own.
    """
    layering = layer(len(sizes), [(line.source, line.target) for line in lines], order, entry)
    crossings = order_layers(layering)
    widths = widths_for_ports([width for width, _ in sizes], lines)
    middle = _middles(layering, widths)
    ports = place_ports(layering, lines, middle, widths)
    wide = [(width, height) for width, (_, height) in zip(widths, sizes, strict=True)]
    return _with_heights(layering, lines, wide, middle, ports, crossings)


def _middles(layering: Layering, widths: Sequence[int]) -> list[int]:
    """Horizontal places of all vertices but turns, which are drawn between layers and need no room in them."""
    boxes, turns = layering.boxes, layering.turns

    def separation(left: int, right: int) -> int:
        half = (widths[left] // 2 if left < boxes else 0) + (widths[right] // 2 if right < boxes else 0)
        return half + (BOX_GAP if left < boxes and right < boxes else BEND_GAP)

    aligned = align(
        [[vertex for vertex in row if vertex not in turns] for row in layering.layers],
        [[each for each in above if each not in turns] for above in layering.above],
        [[each for each in below if each not in turns] for below in layering.below],
        lambda vertex: vertex >= boxes,
        separation,
    )
    return tighten(layering, aligned, separation)


def _with_heights(
    layering: Layering,
    lines: Sequence[Line],
    sizes: Sequence[tuple[int, int]],
    middle: Sequence[int],
    ports: Ports,
    crossings: int,
) -> Picture:
    """Lay tracks between layers, and with their number the layers' heights are known."""
    # spans[g] are those between layers g - 1 and g; steps[line] says which of them the line goes along.
    spans: list[list[Span]] = [[] for _ in range(len(layering.layers) + 1)]
    steps: list[list[tuple[int, int] | None]] = []
    for number, chain in enumerate(layering.chains):
        steps.append(_steps(layering, chain, middle, ports.leave[number], ports.enter[number], spans))
    tracks = [assign_tracks(between) for between in spans]

    top_of_layer: list[int] = []
    top_of_gap: list[int] = []
    y = 0
    for gap, used in enumerate(tracks):
        top_of_gap.append(y)
        is_outer = gap in (0, len(tracks) - 1)
        if used or not is_outer:
            y += LEAVE + TRACK_GAP * (max(used, default=0)) + ENTER
        if gap < len(layering.layers):
            top_of_layer.append(y)
            y += max((sizes[box][1] for box in layering.layers[gap] if box < layering.boxes), default=0)

    boxes = tuple(
        Box(middle[box] - width // 2, top_of_layer[layering.layer_of[box]], width, height)
        for box, (width, height) in enumerate(sizes)
    )
    routes: list[list[tuple[int, int]]] = []
    for number, line in enumerate(lines):
        source, target = boxes[line.source], boxes[line.target]
        route = [(ports.leave[number], source.y + source.height)]
        for step in steps[number]:
            if step is None:
                continue
            gap, which = step
            height = top_of_gap[gap] + LEAVE + TRACK_GAP * tracks[gap][which]
            route += [(route[-1][0], height), (_other_end(spans[gap][which], route[-1][0]), height)]
        route.append((ports.enter[number], target.y))
        routes.append(route)
    return _shifted(boxes, routes, y, crossings)


def _steps(
    layering: Layering, chain: Sequence[int], middle: Sequence[int], leave: int, enter: int, spans: list[list[Span]]
) -> list[tuple[int, int] | None]:
    """Enter the horizontal parts of one line into `spans`; None where it goes on straight."""
    drawn = [vertex for vertex in chain if vertex not in layering.turns]
    at = [leave, *(middle[vertex] for vertex in drawn[1:-1]), enter]
    last = len(drawn) - 2
    steps: list[tuple[int, int] | None] = []
    for number, (one, other) in enumerate(pairwise(drawn)):
        upper = min(layering.layer_of[one], layering.layer_of[other])
        is_upward = len(drawn) != len(chain)
        if is_upward and number == 0:
            span, gap = Span(at[0], at[1], "under"), layering.layer_of[one] + 1
        elif is_upward and number == last:
            span, gap = Span(at[-2], at[-1], "over"), layering.layer_of[other]
        elif at[number] == at[number + 1]:
            steps.append(None)
            continue
        elif is_upward:
            span, gap = Span(at[number + 1], at[number]), upper + 1
        else:
            span, gap = Span(at[number], at[number + 1]), upper + 1
        steps.append((gap, len(spans[gap])))
        spans[gap].append(span)
    return steps


def _other_end(span: Span, end: int) -> int:
    return span.end if span.start == end else span.start


def _shifted(boxes: Sequence[Box], routes: Sequence[Sequence[tuple[int, int]]], height: int, crossings: int) -> Picture:
    """With nothing left of 0."""
    xs = [box.x for box in boxes] + [x for route in routes for x, _ in route]
    left = min(xs)
    right = max([*xs, *(box.x + box.width for box in boxes)])
    return Picture(
        right - left,
        height,
        tuple(Box(box.x - left, box.y, box.width, box.height) for box in boxes),
        tuple(tuple((x - left, y) for x, y in route) for route in routes),
        crossings,
    )
