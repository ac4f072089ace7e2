"""Layers: which box lies below which, and what long lines pass through on their way."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(slots=True)
class Layering:
    """Vertices in layers. The first `boxes` are the boxes; the others are bends: where lines pass a layer, or turn.

    layer 0            (turn)
    layer 1    head      |  |          A line from a later box back up to an earlier one leaves below, turns,
    layer 2    body    bend |          passes all layers in between, and its own, turns and enters from above.
    layer 3            (turn)
    """

    boxes: int
    layer_of: list[int]
    """(n_vertices,)"""
    layers: list[list[int]]
    """Vertices of each layer, left to right."""
    below: list[list[int]]
    """(n_vertices,) by vertex: its neighbours in the next layer."""
    above: list[list[int]]
    """(n_vertices,) by vertex: its neighbours in the layer before."""
    chains: list[list[int]]
    """By line: its vertices from source to target."""
    turns: set[int]
    """Bends at which a line changes between down and up."""


def layer(boxes: int, lines: Sequence[tuple[int, int]], order: Sequence[int], entry: int) -> Layering:
    """Put boxes into layers so that lines lead down, but for those that go back in `order`.

    Args:
        lines: (source, target); a source may be its own target.
        order: all boxes; lines from later to earlier ones are led back up. Layers are filled in this order.
        entry: stays at the top.
    Guarantee: neighbours in a chain lie in neighbouring layers. A line that goes forth leads from its source's layer
        to a later one through one bend in each layer between. No layer but the outermost has only turns.
    Cost: O(n + m + bends).
    Source: Sugiyama, Tagawa, Toda, Methods for visual understanding of hierarchical system structures, IEEE SMC
        1981; layers by longest paths from the top.
    Differs: what goes back is not turned round, since control enters a block from above; it turns twice instead.
    """
    place = [0] * boxes
    for row, box in enumerate(order):
        place[box] = row
    forth = [place[source] < place[target] for source, target in lines]
    layer_of = _longest_paths(
        boxes, [line for line, is_forth in zip(lines, forth, strict=True) if is_forth], order, entry
    )
    # A line that goes back to a box at the top turns above it.
    if any(layer_of[target] == 0 for (_, target), is_forth in zip(lines, forth, strict=True) if not is_forth):
        layer_of = [number + 1 for number in layer_of]
    layering = Layering(boxes, layer_of, [], [[] for _ in range(boxes)], [[] for _ in range(boxes)], [], set())
    for (source, target), is_forth in zip(lines, forth, strict=True):
        layering.chains.append(_chain(layering, source, target, is_forth))
    _fill_layers(layering, order)
    return layering


def _longest_paths(boxes: int, lines: Sequence[tuple[int, int]], order: Sequence[int], entry: int) -> list[int]:
    targets: list[list[int]] = [[] for _ in range(boxes)]
    has_source = [False] * boxes
    for source, target in lines:
        targets[source].append(target)
        has_source[target] = True
    layer_of = [0] * boxes
    for box in order:
        for target in targets[box]:
            layer_of[target] = max(layer_of[target], layer_of[box] + 1)
    # What nothing leads to (unreachable code) would be far above what it leads to.
    for box in reversed(order):
        if box != entry and not has_source[box] and targets[box]:
            layer_of[box] = min(layer_of[target] for target in targets[box]) - 1
    return layer_of


def _chain(layering: Layering, source: int, target: int, is_forth: bool) -> list[int]:
    """Make the bends of one line and connect them."""
    top, bottom = layering.layer_of[target], layering.layer_of[source]
    passed = [*range(bottom + 1, top)] if is_forth else [bottom + 1, *range(bottom, top - 1, -1), top - 1]
    bends = [_new_bend(layering, number) for number in passed]
    if not is_forth:
        layering.turns |= {bends[0], bends[-1]}
    chain = [source, *bends, target]
    for one, other in pairwise(chain):
        upper, lower = sorted((one, other), key=layering.layer_of.__getitem__)
        layering.below[upper].append(lower)
        layering.above[lower].append(upper)
    return chain


def _new_bend(layering: Layering, number: int) -> int:
    layering.layer_of.append(number)
    layering.below.append([])
    layering.above.append([])
    return len(layering.layer_of) - 1


def _fill_layers(layering: Layering, order: Sequence[int]) -> None:
    """Put each vertex into its layer, boxes in their order, bends where their line begins."""
    place = [0.0] * len(layering.layer_of)
    for row, box in enumerate(order):
        place[box] = row
    for chain in layering.chains:
        for step, bend in enumerate(chain[1:-1], 1):
            place[bend] = place[chain[0]] + step / len(chain)
    layering.layers = [[] for _ in range(max(layering.layer_of) + 1)]
    for vertex in sorted(range(len(place)), key=place.__getitem__):
        layering.layers[layering.layer_of[vertex]].append(vertex)
