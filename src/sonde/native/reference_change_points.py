"""The slow twin of native/core/series/change_points.c: lists, no pruning, the same operations in the same order."""

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

# The constants are explained in change_points.c.
LEAST_PART, LEAST_SERIES = 4, 8
_SHAPE, _SCALE = 0.14, 4.91
_PENALTY_EACH, _PENALTY_BASE = 2.0, 6.0
_MOST_AUTOCORRELATION, _ROUNDS = 0.9, 4
_NOISE_SHARE, _USED_BY_CUT = 0.8, 4.0
_MOST_HEAD, _HEAD_CHANCE, _SHORT_HEAD, _FENCE = 32, 0.0005, 3, 3.0
_MOST_MOVE, _FIT = 3, 2.0
_DRIFT_GAIN, _DRIFT_CUT, _DRIFT_SHARE = 12.0, 4.0, 0.07


def reference_change_points(values: Sequence[float], offsets: Sequence[int], penalty: float = 0.0) -> tuple[bytes, ...]:
    """As `sonde.native.change_points`."""
    values, offsets = [float(value) for value in values], [int(offset) for offset in offsets]
    ascending = bool(offsets) and offsets[0] == 0 and all(map(int.__le__, offsets, offsets[1:]))
    if not ascending or offsets[-1] != len(values):
        raise ValueError("offsets do not ascend from 0 to the number of values")
    if not (math.isfinite(penalty) and penalty >= 0.0):
        raise ValueError("the penalty is negative or not finite")
    if not all(map(math.isfinite, values)):
        raise ValueError("a value is not finite")
    points, starts, drifts = array("q"), array("q", [0]), array("q")
    levels, spreads, alike = array("d"), array("d"), array("d")
    for start, stop in pairwise(offsets):
        series = values[start:stop]
        cuts, drift, alike_within = _search(series, penalty)
        for low, high in zip([0, *cuts], [*cuts, len(series)], strict=True):
            level, spread = _described(series[low:high])
            levels.append(level)
            spreads.append(spread)
        points.extend(cuts)
        starts.append(len(points))
        drifts.append(drift)
        alike.append(alike_within)
    columns = points, starts, levels, spreads, drifts, alike
    return tuple(column.tobytes() for column in columns)


def best_partition(sums: Sequence[float], penalty: float) -> list[int]:
    """Where to cut scores with these prefix sums, so that all parts' (penalty - sum^2 / length) are least together.

    Guarantee: no other cuts into parts of `LEAST_PART` or more cost less.
    Cost: O(n^2): every place is tried.
    Source: optimal partitioning: Jackson et al., IEEE Signal Processing Letters 12(2), 2005.
    """
    n = len(sums) - 1
    best, previous = [math.inf] * (n + 1), [0] * (n + 1)
    best[0] = -penalty
    for t in range(LEAST_PART, n + 1):
        for s in (0, *range(LEAST_PART, t - LEAST_PART + 1)):
            change = sums[t] - sums[s]
            cost = best[s] - change * change / (t - s)
            if cost < best[t]:
                best[t], previous[t] = cost, s
        best[t] += penalty
    cuts, at = list[int](), previous[n]
    while at:
        cuts.append(at)
        at = previous[at]
    return cuts[::-1]


def _search(values: list[float], penalty: float) -> tuple[list[int], int, float]:
    n = len(values)
    if n < LEAST_SERIES:
        return [], -1, 0.0
    cuts = _cut(values, penalty)
    head = _head(values, slow=True) or _head(values, slow=False)
    if cuts and head >= cuts[0]:
        head = 0
    found, start = list[int](), 0
    # Ends of parts that are to be cut again, the leftmost last; each begins where the one before it ended.
    ends = [n, *reversed(cuts)] + [head] * bool(head) if cuts or head else []
    while ends:
        stop = ends[-1]
        again = _cut(values[start:stop], penalty) if stop - start >= LEAST_SERIES else []
        if again:
            ends.extend(start + end for end in reversed(again))
            continue
        start = ends.pop()
        if start < n:
            found.append(start)
    found = _settled(values, found)
    return found, *_drift(values, found)


def _settled(values: list[float], points: list[int]) -> list[int]:
    settled = [0, *points, len(values)]
    described = [_described(values[low:high]) for low, high in pairwise(settled)]
    for i, at in enumerate(points, 1):
        (left, left_spread), (right, right_spread) = described[i - 1 : i + 1]
        lowest, highest = max(settled[i - 1] + 1, at - _MOST_MOVE), min(settled[i + 1] - 1, at + _MOST_MOVE)
        change = best = 0.0
        for to in range(at - 1, lowest - 1, -1):
            if abs(values[to] - right) > _FIT * right_spread:
                break
            change += abs(values[to] - right) - abs(values[to] - left)
            if change < best:
                best, settled[i] = change, to
        change = 0.0
        for to in range(at + 1, highest + 1):
            if abs(values[to - 1] - left) > _FIT * left_spread:
                break
            change += abs(values[to - 1] - left) - abs(values[to - 1] - right)
            if change < best:
                best, settled[i] = change, to
    return settled[1:-1]


def _cut(values: list[float], penalty: float) -> list[int]:
    n = len(values)
    scores, sums, spread = _scored(values)
    if not spread > 0.0:
        return []
    unit = (penalty or _PENALTY_EACH * math.log(n) + _PENALTY_BASE) * spread
    factor = _noise_share(scores, spread)
    cuts = best_partition(sums, unit * factor)
    for _ in range(_ROUNDS):
        if not cuts:
            break
        alike, squares = _residuals(scores, sums, cuts)
        due = _inflation(alike) * (squares / max(n - 1.0 - _USED_BY_CUT * len(cuts), n / 4)) / spread
        if due <= factor:
            break
        factor = due
        cuts = best_partition(sums, unit * factor)
    return cuts


def _scored(values: list[float]) -> tuple[list[float], list[float], float]:
    """Scores, their prefix sums, and the mean of their squares."""
    n = len(values)
    if min(values) == max(values):
        return [0.0] * n, [0.0] * (n + 1), 0.0
    order = sorted(range(n), key=values.__getitem__)
    quantiles = list[float]()
    for rank in range(n):
        u = (rank + 0.5) / n
        quantiles.append(_SCALE * (math.pow(u, _SHAPE) - math.pow(1.0 - u, _SHAPE)))
    scores, squares, start = [0.0] * n, 0.0, 0
    while start < n:
        stop, total = start + 1, quantiles[start]
        while stop < n and values[order[stop]] == values[order[start]]:
            total += quantiles[stop]
            stop += 1
        shared = total if stop - start == 1 else total / (stop - start)
        for rank in range(start, stop):
            scores[order[rank]] = shared
            squares += shared * shared
        start = stop
    return scores, list(accumulate(scores, initial=0.0)), squares / n


def _residuals(scores: list[float], sums: list[float], cuts: list[int]) -> tuple[float, float]:
    """Lag-1 autocorrelation and sum of squares of the scores around the means of their parts."""
    n = len(scores)
    squares = products = before = 0.0
    for start, stop in zip([0, *cuts], [*cuts, n], strict=True):
        mean = (sums[stop] - sums[start]) / (stop - start)
        for score in scores[start:stop]:
            residual = score - mean
            squares += residual * residual
            products += residual * before
            before = residual
    if not squares > 0.0:
        return 0.0, 0.0
    return min(max(products / squares + (len(cuts) + 1) / n, 0.0), _MOST_AUTOCORRELATION), squares


def _noise_share(scores: list[float], spread: float) -> float:
    squares = 0.0
    for before, after in pairwise(scores):
        change = after - before
        squares += change * change
    return min(_NOISE_SHARE * squares / (2.0 * (len(scores) - 1)) / spread, 1.0)


def _inflation(alike: float) -> float:
    return (1.0 + alike) / (1.0 - alike)


def _head(values: list[float], *, slow: bool) -> int:
    n, ranked = len(values), sorted(values)
    quarter, three_quarters = ranked[n // 4], ranked[n - 1 - n // 4]
    fence = three_quarters + _FENCE * (three_quarters - quarter)
    extreme, chance_found, found = 0, _HEAD_CHANCE, 0
    for k in range(1, min(n // 2, _MOST_HEAD) + 1):
        value = values[k - 1]
        extreme = max(extreme, n - bisect_left(ranked, value) if slow else bisect_right(ranked, value))
        if 2 * extreme > n:
            break
        chance = 1.0
        for i in range(k):
            chance *= (extreme - i) / (n - i)
        if chance <= chance_found:
            chance_found, found = chance, k
        elif slow and k <= _SHORT_HEAD and extreme == k and ranked[n - k] > fence:
            found = k
    return found


def _drift(values: list[float], cuts: list[int]) -> tuple[int, float]:
    n = len(values)
    scores, sums, _ = _scored(values)
    alike, squares = _residuals(scores, sums, cuts)
    unit = squares / n * _inflation(alike)
    edges = [0, *cuts, n]
    for part, start in enumerate(edges[:-1]):
        length = n - start
        if length < LEAST_SERIES:
            break
        whole = sums[n] - sums[start]
        steps = -whole * whole / length
        for low, high in zip(edges[part:-1], edges[part + 1 :], strict=True):
            sum_ = sums[high] - sums[low]
            steps += sum_ * sum_ / (high - low)
        middle, product = (length - 1.0) / 2.0, 0.0
        for i in range(length):
            product += (i - middle) * scores[start + i]
        line = product * product / (length * (float(length) * length - 1.0) / 12.0)
        allowed = min(_DRIFT_CUT * (len(cuts) - part) * unit, _DRIFT_SHARE * steps)
        if line > _DRIFT_GAIN * unit and line > steps - allowed:
            return part, alike
    return -1, alike


def _described(values: list[float]) -> tuple[float, float]:
    """Mean of the middle half, and the distance of the quartiles."""
    n, ranked = len(values), sorted(values)
    if not n:
        return 0.0, 0.0
    low, high = n // 4, n - n // 4
    total = 0.0
    for value in ranked[low:high]:
        total += value
    return total / (high - low), ranked[high - 1] - ranked[low] + 0.0  # not -0
