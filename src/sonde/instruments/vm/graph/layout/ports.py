"""Where lines meet boxes: in the order in which they come, so that they do not cross there."""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.vm.graph.layout.layering import Layering
from sonde.instruments.vm.graph.layout.spread import spread

PORT_MARGIN = 12
"""Pixels from the corner of a box to the first line that meets it."""
PORT_GAP = 12
"""Pixels between lines that meet a box on the same side."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a line needs: its ends, and the room for its label, right of it where it leaves."""

    source: int
    target: int
    label_width: int = 0


@dataclass(frozen=True, slots=True)
class Ports:
    """Horizontal places, by line, where it leaves its source and where it enters its target."""

    leave: tuple[int, ...]
    enter: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Coming:
    """A line at one side of a box."""

    line: int
    towards: int
    """Place of the next thing on its way."""
    wanted: int
    is_turn: bool
    room: int
    """Pixels right of it that are its own."""


def widths_for_ports(widths: Sequence[int], lines: Sequence[Line]) -> list[int]:
    """Width of each box, or more where more lines meet it than there is room; even, so that its middle is whole."""
    leaving, entering = [0] * len(widths), [0] * len(widths)
    for line in lines:
        leaving[line.source] += _room(line)
        entering[line.target] += PORT_GAP
    wide = [2 * PORT_MARGIN + max(both) for both in zip(leaving, entering, strict=True)]
    return [max(width, least) + max(width, least) % 2 for width, least in zip(widths, wide, strict=True)]


def place_ports(layering: Layering, lines: Sequence[Line], middle: Sequence[int], widths: Sequence[int]) -> Ports:
    """Find a place for each end of each line at its box, so that as many as can be go straight down.

    Args:
        middle: (n_vertices,) horizontal places of boxes and bends.
        widths: (n_boxes,) as `widths_for_ports` gives them.
    Guarantee: places lie within their box, `PORT_GAP` apart at each side, and labels do not overlap.
    """
    leave, enter = [0] * len(lines), [0] * len(lines)
    sides: list[list[_Coming]] = [[] for _ in widths]
    for number, (line, chain) in enumerate(zip(lines, layering.chains, strict=True)):
        is_turn = chain[1] in layering.turns
        near = chain[2] if is_turn else chain[1]
        # Straight down from the middle, if the target is wide enough to be met there.
        half = widths[near] // 2 - PORT_MARGIN if near < layering.boxes else 0
        wanted = min(max(middle[line.source], middle[near] - half), middle[near] + half)
        sides[line.source].append(_Coming(number, middle[near], wanted, is_turn, _room(line)))
    for box, side in enumerate(sides):
        _place_side(side, middle[box], widths[box], leave)
    sides = [[] for _ in widths]
    for number, (line, chain) in enumerate(zip(lines, layering.chains, strict=True)):
        is_turn = chain[-2] in layering.turns
        near = chain[-3] if is_turn else chain[-2]
        wanted = leave[number] if near == line.source and not is_turn else middle[near]
        sides[line.target].append(_Coming(number, middle[near], wanted, is_turn, PORT_GAP))
    for box, side in enumerate(sides):
        _place_side(side, middle[box], widths[box], enter)
    return Ports(tuple(leave), tuple(enter))


def _room(line: Line) -> int:
    return max(PORT_GAP, line.label_width)


def _place_side(side: list[_Coming], middle: int, width: int, places: list[int]) -> None:
    """Place all lines at one side of a box; what they want is cut to what there is."""
    if not side:
        return

    def order(coming: _Coming) -> tuple[int, int]:
        # Turns are outermost, those to the nearest column first, so that the others go round them:
        #
        #   |  |  [ box ]
        #   |  +---+ |
        #   +--------+
        if not coming.is_turn:
            return 1, coming.towards
        return (0, -coming.towards) if coming.towards < middle else (2, -coming.towards)

    side.sort(key=order)
    gaps = [coming.room for coming in side]
    low = middle - width // 2 + PORT_MARGIN
    high = middle + width // 2 - PORT_MARGIN - (gaps[-1] - PORT_GAP)
    wanted = [min(max(coming.wanted, low), high) for coming in side]
    for coming, at in zip(side, spread(wanted, gaps[:-1], low, high), strict=True):
        places[coming.line] = at
