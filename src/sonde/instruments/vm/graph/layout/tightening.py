"""Shorter lines: boxes and columns move sideways into free room, towards what they are joined with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sonde.instruments.vm.graph.layout.layering import Layering

ROUNDS = 12
"""Most drawings are at rest after three or four."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """What moves as one: a box, or the part of a line that is straight."""

    members: tuple[int, ...]
    joined: tuple[int, ...]
    """Vertices at the other ends of its lines."""


def tighten(layering: Layering, middle: Sequence[int], separation: Callable[[int, int], int]) -> list[int]:
    """Move each box and each straight part of a line to the median of what it is joined with, as far as there is room.

    Blocks as `align` makes them are packed for their width; a box at the end of a long line, or the column of a line
    that goes back, may be left far from where it belongs.

    Args:
        middle: (n_vertices,) places that keep the separation; those of turns mean nothing.
    Returns:
        places, as `middle`.
    Guarantee: neighbours in a layer are still in order and their separation apart. Lines are not longer sideways, all
        together. What was straight between bends stays so.
    Cost: O(v + e) for each of a few rounds, with a logarithm for medians.
    """
    place = list(middle)
    left_of, right_of = _neighbours(layering)
    for turn in range(ROUNDS):
        has_moved = False
        units = _units(layering, place)
        for unit in units if turn % 2 == 0 else reversed(units):
            here = place[unit.members[0]]
            there = sorted(place[each] for each in unit.joined)
            if not there:
                continue
            # Between the middle two of an even number every place is as good: stay there.
            wanted = min(max(here, there[(len(there) - 1) // 2]), there[len(there) // 2])
            for member in unit.members:
                if wanted < here and (left := left_of[member]) is not None:
                    wanted = min(here, max(wanted, place[left] + separation(left, member)))
                if wanted > here and (right := right_of[member]) is not None:
                    wanted = max(here, min(wanted, place[right] - separation(member, right)))
            if wanted != here:
                has_moved = True
                for member in unit.members:
                    place[member] = wanted
        if not has_moved:
            break
    return place


def _units(layering: Layering, place: Sequence[int]) -> list[_Unit]:
    joined: list[list[int]] = [[] for _ in range(layering.boxes)]
    parts: list[_Unit] = []
    for chain in layering.chains:
        drawn = [vertex for vertex in chain if vertex not in layering.turns]
        joined[drawn[0]].append(drawn[1])
        joined[drawn[-1]].append(drawn[-2])
        begin = 1
        for number in range(1, len(drawn) - 1):
            if number == len(drawn) - 2 or place[drawn[number + 1]] != place[drawn[number]]:
                parts.append(_Unit(tuple(drawn[begin : number + 1]), (drawn[begin - 1], drawn[number + 1])))
                begin = number + 1
    boxes = [_Unit((box,), tuple(each for each in others if each != box)) for box, others in enumerate(joined)]
    return boxes + parts


def _neighbours(layering: Layering) -> tuple[list[int | None], list[int | None]]:
    """Left and right neighbour of each vertex that is drawn."""
    left_of: list[int | None] = [None] * len(layering.layer_of)
    right_of: list[int | None] = [None] * len(layering.layer_of)
    for layer in layering.layers:
        drawn = [vertex for vertex in layer if vertex not in layering.turns]
        for left, right in pairwise(drawn):
            right_of[left], left_of[right] = right, left
    return left_of, right_of
