"""Horizontal places: long lines straight, boxes above and below what they belong to."""

from collections.abc import Callable, Sequence
from itertools import pairwise

Separation = Callable[[int, int], int]
"""How far apart the middles of two neighbours in a layer must be at least: (left, right) -> distance."""


def align(
    layers: Sequence[Sequence[int]],
    above: Sequence[Sequence[int]],
    below: Sequence[Sequence[int]],
    is_bend: Callable[[int], bool],
    separation: Separation,
) -> list[int]:
    """Give each vertex a horizontal place.

    Vertices are put into vertical blocks with one of their median neighbours, in four ways (from above or below, the
    left or the right one first); blocks are packed; each vertex gets the mean of the two middle ones of its places.

    Args:
        layers: the vertices of each layer, left to right.
        above: (n_vertices,) neighbours in the layer before; only vertices that are in `layers`.
        below: (n_vertices,) neighbours in the layer after.
    Returns:
        (n_vertices,) places of their middles, the least of all near 0.
    Guarantee: in each layer, neighbours are at least their separation apart. A line between two bends is vertical
        unless it crosses another such line.
    Cost: O(v + e), with a logarithm for sorting neighbours.
    Source: Brandes, Köpf, Fast and simple horizontal coordinate assignment, GD 2001.
    Differs: blocks are packed by longest paths over their neighbours, to the left and then back to the right as far
        as there is room, in place of classes and shifts, whose flaws are told in Brandes, Walter, Zink, 2020.
    """
    size = len(above)
    crossed = _crossed_lines(layers, above, is_bend)
    ways: list[list[int]] = []
    for is_downward in (True, False):
        for is_leftward in (True, False):
            rows = [
                list(layer) if is_leftward else list(layer)[::-1] for layer in (layers if is_downward else layers[::-1])
            ]
            root = _vertical_blocks(rows, above if is_downward else below, crossed, size)
            apart = separation if is_leftward else _mirrored(separation)
            places = _packed(rows, root, apart)
            ways.append(places if is_leftward else [-place for place in places])
    return _balanced(layers, ways)


def _mirrored(separation: Separation) -> Separation:
    return lambda left, right: separation(right, left)


def _crossed_lines(
    layers: Sequence[Sequence[int]], above: Sequence[Sequence[int]], is_bend: Callable[[int], bool]
) -> set[tuple[int, int]]:
    """Lines (upper, lower) that cross one between two bends, which shall be straight: they give way."""
    crossed: set[tuple[int, int]] = set()
    for upper, lower in pairwise(layers):
        place = {vertex: number for number, vertex in enumerate(upper)}
        checked = 0
        left = 0
        for number, vertex in enumerate(lower):
            straight = next((each for each in above[vertex] if is_bend(vertex) and is_bend(each)), None)
            if straight is None and number < len(lower) - 1:
                continue
            right = len(upper) if straight is None else place[straight]
            for other in lower[checked : number + 1]:
                for each in above[other]:
                    if not left <= place[each] <= right and not (is_bend(each) and is_bend(other)):
                        crossed.add((each, other))
            checked = number + 1
            left = right
    return crossed


def _vertical_blocks(
    rows: Sequence[Sequence[int]], neighbours: Sequence[Sequence[int]], crossed: set[tuple[int, int]], size: int
) -> list[int]:
    """Root of the block of each vertex; blocks do not cross."""
    root = list(range(size))
    is_taken = [False] * size
    for before, row in pairwise(rows):
        place = {vertex: number for number, vertex in enumerate(before)}
        last = -1
        for vertex in row:
            candidates = sorted(neighbours[vertex], key=place.__getitem__)
            middle = len(candidates) - 1
            for each in candidates[middle // 2 : middle // 2 + 1 + middle % 2]:
                if root[vertex] != vertex or is_taken[each] or place[each] <= last:
                    continue
                if (each, vertex) in crossed or (vertex, each) in crossed:
                    continue
                is_taken[each] = True
                root[vertex] = root[each]
                last = place[each]
    return root


def _packed(rows: Sequence[Sequence[int]], root: Sequence[int], separation: Separation) -> list[int]:
    """Place of each vertex: that of its block, as far left as can be, then right as far as its neighbours allow."""
    apart: dict[int, dict[int, int]] = {}
    waits: dict[int, int] = {}
    for row in rows:
        for vertex in row:
            apart.setdefault(root[vertex], {})
            waits.setdefault(root[vertex], 0)
        for left, right in pairwise(row):
            beside = apart[root[left]]
            if root[right] not in beside:
                waits[root[right]] += 1
            beside[root[right]] = max(beside.get(root[right], 0), separation(left, right))
    place = dict.fromkeys(apart, 0)
    ready = [block for block, count in waits.items() if count == 0]
    order: list[int] = []
    while ready:
        block = ready.pop()
        order.append(block)
        for right, distance in apart[block].items():
            place[right] = max(place[right], place[block] + distance)
            waits[right] -= 1
            if waits[right] == 0:
                ready.append(right)
    for block in reversed(order):
        room = min((place[right] - distance for right, distance in apart[block].items()), default=place[block])
        place[block] = max(place[block], room)
    return [place.get(block, 0) for block in root]


def _balanced(layers: Sequence[Sequence[int]], ways: Sequence[list[int]]) -> list[int]:
    """Bring the four ways together over the narrowest one.

    The order and distances of neighbours hold in all ways, hence for the k-th smallest places and their means.
    """
    members = [vertex for layer in layers for vertex in layer]
    ends = [(min(way[vertex] for vertex in members), max(way[vertex] for vertex in members)) for way in ways]
    least, most = min(ends, key=lambda end: end[1] - end[0])
    shifts = [
        least - first if number % 2 == 0 else most - last  # those packed to the left end, and those to the right
        for number, (first, last) in enumerate(ends)
    ]
    balanced: list[int] = []
    for places in zip(*ways, strict=True):
        middle = sorted(place + shift for place, shift in zip(places, shifts, strict=True))[1:3]
        balanced.append(sum(middle) // 2 - least)
    return balanced
