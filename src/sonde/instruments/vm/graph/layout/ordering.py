"""The order of vertices in each layer, so that few lines cross."""

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from sonde.instruments.vm.graph.layout.layering import Layering

VISITS = 100_000
"""Vertices that are sorted in all sweeps together: half a second. What is small takes a hundredth of it."""

PATIENCE = 4
"""Sweeps without a gain after which there is hardly ever one."""

KICKS = 24
"""On 22 functions of 10 to 130 blocks sweeps left 121 crossings of 355, so many kicks 79, three times as many 72."""

EXCHANGE_ROUNDS = 6
"""After each sweep; later rounds look only at layers near those that changed."""


def order_layers(layering: Layering) -> int:
    """Change the order in layers so that lines cross less often.

    Sweeps down and up; in each, every layer is sorted by the mean place of the neighbours in the layer that was
    sorted before it, and then neighbours are exchanged where that helps. When nothing is gained any more, a few layers
    of the best order are shuffled and all is done again.

    Returns:
        the number of crossings left, counted with lines drawn straight from layer to layer.
    Guarantee: never more crossings than before. The same graph gets the same order.
    Cost: O(k (v + e) log v) for k sweeps, v vertices and e lines between layers; k falls with v.
    Source: Sugiyama, Tagawa, Toda, IEEE SMC 1981: the barycentric method; Gansner, Koutsofios, North, Vo, A technique
        for drawing directed graphs, IEEE TSE 1993, section 3: exchanges.
    Differs: bounded work; shuffling; of several best orders the first is kept.
    """
    chance = Random(0)
    best = [list(layer) for layer in layering.layers]
    fewest = count_crossings(layering)
    left = max(2, VISITS // max(1, len(layering.layer_of)))
    for kick in range(1 + KICKS):
        if not fewest or not left:
            break
        if kick:
            layering.layers = [list(layer) for layer in best]
            _shuffle_some(layering, chance)
        idle = sweep = 0
        while fewest and left and idle < PATIENCE:
            _sweep(layering, is_downward=sweep % 2 == 0, is_biased=sweep % 4 >= 2)
            _exchange_neighbours(layering)
            crossings = count_crossings(layering)
            left, sweep, idle = left - 1, sweep + 1, idle + 1
            if crossings < fewest:
                best, fewest, idle = [list(layer) for layer in layering.layers], crossings, 0
    layering.layers = best
    return fewest


def _shuffle_some(layering: Layering, chance: Random) -> None:
    """Shuffle a run of layers; what is outside of it leads the next sweep back to a similar order."""
    first = chance.randrange(len(layering.layers))
    for layer in layering.layers[first : chance.randrange(first, len(layering.layers)) + 1]:
        chance.shuffle(layer)


def count_crossings(layering: Layering) -> int:
    """How many pairs of lines cross between layers.

    Cost: O(e log e) comparisons.
    Source: Barth, Jünger, Mutzel, Simple and efficient bilayer cross counting, GD 2002: crossings are inversions.
    Differs: inversions by insertion into a sorted list; its moves are fast for the few thousand lines of a layer.
    """
    return sum(_inversions(_ends_below(layering, upper, lower)) for upper, lower in pairwise(layering.layers))


def _ends_below(layering: Layering, upper: Sequence[int], lower: Sequence[int]) -> list[int]:
    """Places of the lower ends of lines, in the order of their upper ends."""
    place = {vertex: number for number, vertex in enumerate(lower)}
    ends: list[int] = []
    for vertex in upper:
        below = layering.below[vertex]
        if len(below) == 1:  # nearly all are bends
            ends.append(place[below[0]])
        else:
            ends += sorted(place[neighbour] for neighbour in below)
    return ends


def _inversions(values: Sequence[int]) -> int:
    found: list[int] = []
    inversions = 0
    for value in values:
        inversions += len(found) - bisect_right(found, value)
        insort(found, value)
    return inversions


def _sweep(layering: Layering, *, is_downward: bool, is_biased: bool) -> None:
    """Sort layer by layer; `is_biased` exchanges vertices of equal means, to get out of a dead end."""
    layers = layering.layers if is_downward else layering.layers[::-1]
    neighbours, others = (layering.above, layering.below) if is_downward else (layering.below, layering.above)
    place = [0] * len(layering.layer_of)
    for layer in layering.layers:
        for number, vertex in enumerate(layer):
            place[vertex] = number
    for layer in layers[1:]:
        mean = {
            vertex: sum(place[each] for each in joined) / len(joined) if joined else float(place[vertex])
            for vertex in layer
            # A turn has both neighbours on one side: from the other one it would never be moved.
            for joined in (neighbours[vertex] or others[vertex],)
        }
        if is_biased:
            layer.reverse()
        layer.sort(key=mean.__getitem__)
        for number, vertex in enumerate(layer):
            place[vertex] = number


def _exchange_neighbours(layering: Layering) -> None:
    """Exchange vertices side by side as long as lines cross less often, but for a bounded number of rounds."""
    place = [0] * len(layering.layer_of)
    for layer in layering.layers:
        for number, vertex in enumerate(layer):
            place[vertex] = number
    changed = [True] * len(layering.layers)
    for _ in range(EXCHANGE_ROUNDS):
        if not any(changed):
            break
        looked_at, changed = changed, [False] * len(changed)
        for row, layer in enumerate(layering.layers):
            if not any(looked_at[max(0, row - 1) : row + 2]):
                continue
            for number in range(len(layer) - 1):
                left, right = layer[number], layer[number + 1]
                if _gain(layering, place, left, right) > 0:
                    layer[number], layer[number + 1] = right, left
                    place[left], place[right] = number + 1, number
                    changed[row] = True


def _gain(layering: Layering, place: Sequence[int], left: int, right: int) -> int:
    """How many crossings vanish when two vertices side by side are exchanged."""
    gain = 0
    for neighbours in (layering.above, layering.below):
        for one in neighbours[left]:
            for other in neighbours[right]:
                gain += (place[one] > place[other]) - (place[one] < place[other])
    return gain
