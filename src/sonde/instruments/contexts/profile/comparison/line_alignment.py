"""Which named things on the lines of one text are the same things in an edited text.

The things are call sites in a function (line below its `def`, what is called) or functions in a file
(line, name). Names that occur once on both sides are the same thing wherever they moved. Names that
occur several times need the lines: an edit moves all that follows it by the same distance, so the best
pairing keeps the order and changes the distance as seldom as possible.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Spot = tuple[int, int]
"""(line, name): a line number in some stable coordinate, and the number of a name."""

LARGEST_TABLE = 250_000
"""Cells of the table in `_fewest_moves`, about half a second; beyond it, names are paired in order."""

_SAME = 1
_SAME_DISTANCE = 2
"""What a pair is worth, and what it is worth on top when it moved as far as the pair before it. Keeping
the distance must outweigh one more pair: {3, 10} -> {10, 20} is a site removed and one added, while
{3, 4} -> {4, 5} is two sites moved by a line."""

_ENOUGH = 2
"""Pairs that must have moved by the same distance to make it likely; staying where it was needs no witness."""


@dataclass(frozen=True, slots=True)
class LineAlignment:
    """Pairs of the same thing, and the names for which the pairing is a guess."""

    pairs: dict[Spot, Spot]
    """Spot before -> spot after; one to one."""
    guessed: frozenset[int]
    """Names whose spots moved by different distances, so that another pairing might do as well."""


def align_lines(before: Sequence[Spot], after: Sequence[Spot]) -> LineAlignment:
    """Pair the spots of two texts.

    Args:
        before, after: distinct spots, sorted.
    Guarantee: pairs are one to one and have the same name; names with one spot on each side are paired, and
        of every name on both sides some spot is; if `after` is `before` moved by a constant number of
        lines, every spot is paired with its moved self and nothing is guessed.
    Cost: O(n) when nothing or everything moved alike; O(n m) up to `LARGEST_TABLE`; O(n log n) beyond.
    """
    moved = _moved_alike(before, after)
    if moved is not None:
        return LineAlignment(moved, frozenset())
    spots_before, spots_after = _by_name(before), _by_name(after)
    pairs: dict[Spot, Spot] = {}
    open_names: set[int] = set()
    for name in spots_before.keys() & spots_after.keys():
        ours, theirs = spots_before[name], spots_after[name]
        if len(ours) == len(theirs) == 1 or ours == theirs:
            pairs.update(zip(ours, theirs, strict=True))
        else:
            open_names.add(name)
    guessed = set()
    if open_names:
        best = _fewest_moves(before, after) if len(before) * len(after) <= LARGEST_TABLE else {}
        support = Counter(other[0] - spot[0] for spot, other in best.items())
        common = min(support, key=lambda distance: (-support[distance], abs(distance), distance), default=0)
        for name in open_names:
            ours, theirs = spots_before[name], spots_after[name]
            own = _pair_name(ours, theirs, best, support, common)
            pairs.update(own)
            distances = {other[0] - spot[0] for spot, other in own.items()}
            if distances != {common} and (len(distances) > 1 or len(ours) != len(theirs)):
                guessed.add(name)
    return LineAlignment(pairs, frozenset(guessed))


def _moved_alike(before: Sequence[Spot], after: Sequence[Spot]) -> dict[Spot, Spot] | None:
    if len(before) != len(after):
        return None
    if not before:
        return {}
    distance = after[0][0] - before[0][0]
    if all(
        line + distance == other and name == same for (line, name), (other, same) in zip(before, after, strict=True)
    ):
        return dict(zip(before, after, strict=True))
    return None


def _by_name(spots: Sequence[Spot]) -> dict[int, list[Spot]]:
    found: dict[int, list[Spot]] = {}
    for spot in spots:
        found.setdefault(spot[1], []).append(spot)
    return found


def _pair_name(
    ours: list[Spot], theirs: list[Spot], best: dict[Spot, Spot], support: Counter[int], common: int
) -> dict[Spot, Spot]:
    """Pair the spots of one name.

    When some of them moved as the rest of the text did, the ones left over are others: calls on lines
    that only one of the runs came by. When none did, the name's lines were edited, and order must do.
    """
    likely = {spot: best[spot] for spot in ours if spot in best and support[best[spot][0] - spot[0]] >= _ENOUGH}
    there = set(theirs) if support[common] >= (_ENOUGH if common else 1) else set()
    usual = {spot: (spot[0] + common, spot[1]) for spot in ours if (spot[0] + common, spot[1]) in there}
    if usual:
        used = set(usual.values())
        return usual | {spot: other for spot, other in likely.items() if spot not in usual and other not in used}
    used = set(likely.values())
    free = (other for other in theirs if other not in used)
    return likely | dict(zip((spot for spot in ours if spot not in likely), free, strict=False))


def _fewest_moves(before: Sequence[Spot], after: Sequence[Spot]) -> dict[Spot, Spot]:
    """The order-keeping pairing worth most: see `_SAME` and `_SAME_DISTANCE`.

    A table over pairs of equal name, in order of `before`. The best pairing that ends in (i, j) continues
    either the best one that ends left of both (kept in a Fenwick tree over j) or the best one so far with
    the same distance, whose pairs necessarily lie left of both. Nothing moved, at first.
    """
    columns: dict[int, list[int]] = {}
    for j, (_, name) in enumerate(after):
        columns.setdefault(name, []).append(j)
    link: list[tuple[int, int, int]] = []  # i, j, index of the pair before it or -1
    best_left = _PrefixMaximum(len(after))
    best_at_distance: dict[int, tuple[int, int]] = {0: (0, -1)}
    top = (0, -1)
    for i, (line, name) in enumerate(before):
        found: list[tuple[int, int, int]] = []  # column, distance, index of the pair
        worths: list[int] = []
        for j in columns.get(name, ()):
            distance = after[j][0] - line
            worth, previous = best_left.below(j)
            worth += _SAME
            kept = best_at_distance.get(distance)
            if kept is not None and kept[0] + _SAME + _SAME_DISTANCE > worth:
                worth, previous = kept[0] + _SAME + _SAME_DISTANCE, kept[1]
            found.append((j, distance, len(link)))
            worths.append(worth)
            link.append((i, j, previous))
        for (j, distance, index), worth in zip(found, worths, strict=True):
            best_left.raise_to(j, (worth, index))
            if worth > best_at_distance.get(distance, (-1, -1))[0]:
                best_at_distance[distance] = (worth, index)
            if worth > top[0]:
                top = (worth, index)
    pairs: dict[Spot, Spot] = {}
    index = top[1]
    while index >= 0:
        i, j, index = link[index]
        pairs[before[i]] = after[j]
    return pairs


class _PrefixMaximum:
    """The largest entry in front of a column: a Fenwick tree of (worth, index)."""

    def __init__(self, columns: int) -> None:
        self._cells = [(0, -1)] * (columns + 1)

    def below(self, column: int) -> tuple[int, int]:
        best = (0, -1)
        while column > 0:
            if self._cells[column][0] > best[0]:
                best = self._cells[column]
            column &= column - 1
        return best

    def raise_to(self, column: int, entry: tuple[int, int]) -> None:
        column += 1
        while column < len(self._cells):
            if entry[0] > self._cells[column][0]:
                self._cells[column] = entry
            column += column & -column
