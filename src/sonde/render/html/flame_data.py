"""Flame graphs as the page gets them: the heaviest frames that are still a tree, in columns."""

from collections.abc import Callable, Sequence
from typing import Any

from sonde.base.largest import largest
from sonde.code import Function
from sonde.render.html.package import package_of
from sonde.report import FlameGraph, FrameWeights

MOST_FRAMES = 40_000
"""In a page: about 1.4 MB of columns, laid out by a browser in some 15 ms."""


def flame_data(graph: FlameGraph, most: int, number_of: Callable[[Function], int]) -> dict[str, Any]:
    """A block of the page.

    Columns that are all zero are empty. `up` is the distance to the row of the frame above, 0 for roots: fewer digits
    than the row itself. `rest` is the part of the total that neither the frame itself nor those below it in the page
    have, `gap` the part of it that is in no frame at all.

    Args:
        most: frames; the heaviest are taken.
        number_of: gives a function its number in the page.
    Cost: O(n log n) for n frames.
    """
    rows = heaviest_frames(graph, most)
    # A frame stands behind those above it: the numbers of these are known.
    places: dict[int, int] = {-1: -1}
    above = []
    for place, row in enumerate(rows):
        above.append(places[graph.parent[row]])
        places[row] = place
    # The heaviest first: texts of their files go before others.
    listed: dict[int, int] = {}
    for row in rows:
        listed[graph.function[row]] = listed.get(graph.function[row], 0) + graph.weights[0].own[row]
    numbers = {index: number_of(graph.functions[index]) for index in sorted(listed, key=lambda index: -listed[index])}
    groups: dict[str, list[int]] = {}
    for index, number in numbers.items():
        groups.setdefault(package_of(graph.functions[index]), []).append(number)
    return {
        "frames": len(rows),
        "cut": len(graph.parent) - len(rows) + graph.left_out,
        "up": [place - over if over >= 0 else 0 for place, over in enumerate(above)],
        "function": [numbers[graph.function[row]] for row in rows],
        "line": [graph.call_line[row] for row in rows],
        "groups": [[name, members] for name, members in groups.items()],
        "change": [_short(graph.change[row]) for row in rows] if graph.change else [],
        "change_unit": graph.change_unit,
        "weights": [_weights_data(each, rows, above) for each in graph.weights],
    }


def heaviest_frames(graph: FlameGraph, most: int) -> list[int]:
    """The frames with the largest totals, ascending.

    Guarantee: at most so many; whatever stands above one of them is among them.
    """
    unit = graph.weights[0].unit
    columns = [each.total for each in graph.weights if each.unit == unit]
    # A frame weighs at least as much as one below it, and comes before it.
    return largest(columns[0] if len(columns) == 1 else [max(each) for each in zip(*columns, strict=True)], most)


def _weights_data(weights: FrameWeights, rows: Sequence[int], above: Sequence[int]) -> dict[str, Any]:
    own = [weights.own[row] for row in rows]
    rest = [weights.total[row] - weights.own[row] for row in rows]
    for place, over in enumerate(above):
        if over >= 0:
            rest[over] -= weights.total[rows[place]]
    sparse = {
        "rest": rest,
        "gap": [weights.not_kept[row] for row in rows] if weights.not_kept else [],
        "around": [weights.around[row] for row in rows] if weights.around else [],
        "above": [weights.above[row] for row in rows] if weights.above else [],
    }
    return {
        "key": weights.key,
        "title": weights.title,
        "unit": weights.unit,
        "whole": weights.whole,
        "hot_from": weights.hot_from,
        "gap_at_top": weights.not_kept_at_top,
        "all_gaps": weights.not_kept_at_top + sum(weights.not_kept),
        "own": own,
        **{key: column if any(column) else [] for key, column in sparse.items()},
    }


def _short(amount: float) -> float:
    return int(amount) if amount == int(amount) else float(f"{amount:.6g}")
