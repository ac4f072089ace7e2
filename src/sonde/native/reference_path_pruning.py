"""The slow twin of native/core/paths/slab_pruning.c: nodes are known by the ids that lead to them."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

_LEVELS = 65


class SlabNode:
    """A node of either forest, with its children by id."""

    def __init__(self) -> None:
        self.count = 0
        self.given = 0
        self.children: dict[int, SlabNode] = {}


class _Place(NamedTuple):
    routine: int
    ids: tuple[int, ...]
    """From the routine to the node."""
    node: SlabNode


def prune(routines: dict[int, SlabNode], k: int, keep: Collection[SlabNode]) -> bool:
    """Remove nodes from a slab forest, in place.

    Args:
        keep: not these.
    Returns: whether enough could be removed for it to be worth while next time.
    """
    places = [place for number, routine in routines.items() for place in _places(number, (), routine)]
    levels: dict[SlabNode, int] = {}
    for routine in routines.values():
        _find_levels(routine, 0, keep, levels)
    least = 0
    while least < _LEVELS and 2 * sum(level < least for level in levels.values()) < len(places):
        least += 1
    going = [place for place in places if levels[place.node] < least]
    if not going or len(going) < len(places) // 16:
        return False
    gone = {place.node for place in going}
    stays = [place for place in places if place.node not in gone]
    upper = {(place.routine, place.ids): place.node for place in stays if 0 < len(place.ids) < k}
    for place in places:
        for path_id in [path_id for path_id, child in place.node.children.items() if child in gone]:
            del place.node.children[path_id]
    for place in going:
        _move_count(place, upper, routines[place.routine])
    left = [place for number, routine in routines.items() for place in _places(number, (), routine)]
    return len(places) - len(left) >= len(places) // 16


def floor_of(routines: dict[int, SlabNode], k: int) -> int:
    """How often a sequence may have been taken that is not counted, at most."""
    floor = 0
    for number, routine in routines.items():
        upper = {place.ids: place.node for place in _places(number, (), routine) if 0 < len(place.ids) < k}
        for ids in upper:
            ends = (upper.get(ids[start:]) for start in range(len(ids)))
            floor = max(floor, sum(end.given for end in ends if end is not None))
    return floor


def _places(routine: int, ids: tuple[int, ...], node: SlabNode) -> Iterator[_Place]:
    yield _Place(routine, ids, node)
    for path_id, child in node.children.items():
        yield from _places(routine, (*ids, path_id), child)


def _find_levels(node: SlabNode, depth: int, keep: Collection[SlabNode], levels: dict[SlabNode, int]) -> int:
    """The largest number of bits of a count from a node on; more than there can be if something there stays."""
    below = [_find_levels(child, depth + 1, keep, levels) for child in node.children.values()]
    stays = depth < 2 or node in keep
    levels[node] = max(_LEVELS if stays else node.count.bit_length(), *below, 0)
    return levels[node]


def _move_count(place: _Place, upper: dict[tuple[int, tuple[int, ...]], SlabNode], routine: SlabNode) -> None:
    if not place.node.count:
        return
    ends = (upper.get((place.routine, place.ids[start:])) for start in range(1, len(place.ids)))
    target = next((end for end in ends if end is not None), None)
    if target is None:
        target = routine.children.setdefault(place.ids[-1], SlabNode())
    target.count += place.node.count
    target.given += place.node.count
