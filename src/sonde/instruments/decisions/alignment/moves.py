"""How far the code of a method moved: a line above it was added, or the method was compiled anew.

Places are told by what is there: a call of the same method, a decision of the same kind. Where a run compiled less of
a method than the other, its places are a part of the other's: that moved nothing. So a move is believed only if it
explains what staying does not, and nothing is moved within a method that is seen in one run only.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from sonde.instruments.decisions.alignment.evidence import MethodEvidence, Site

MOST_SITES = 2000
"""Calls in a method of which longest common subsequences are looked for: that takes the square of their number."""
LEAST_BLOCK = 2
"""Calls that moved as far one after the other, before they are believed to have moved at all, if others stayed."""
LEAST_DECISIONS = 2
"""Places of decisions that moved as far, before that is believed of a method without calls."""

Offsets = dict[int, int]


def moves(first: MethodEvidence, second: MethodEvidence, declared: int | None = None) -> Offsets:
    """Where the places of a method in the second run are in the first; those that did not move are left out.

    Args:
        first, second: of one method; callees have the same names in both.
        declared: how far its first line moved, if that is known.
    Guarantee: empty if the calls and decisions of one run are among those of the other. If all moved equally far,
        and the calls, or decisions at several places if there are no calls, do not occur where they were,
        that is found. What is found ascends.
    Cost: O(n * m) for n and m places.
    Source: of the longest common subsequence: Wagner and Fischer, JACM 21(1), 1974.
    Differs: it is looked for in calls alone, and only where no single move explains them.
    """
    if _is_within(first, second) or _is_within(second, first):
        return {}
    move = _whole_move(first, second, declared)
    if move is not None:
        return {place: place - move for place in sorted(second.places)}
    anchors = _anchors(first, second, declared)
    return _between(anchors, first, second) if anchors else {}


def _is_within(one: MethodEvidence, other: MethodEvidence) -> bool:
    return one.calls <= other.calls and one.decisions <= other.decisions


def _votes(first: Collection[Site], second: Collection[Site]) -> Counter[int]:
    """For each move, how many sites of the second have one of the first where they came from."""
    places: dict[str, list[int]] = {}
    for at, what in first:
        places.setdefault(what, []).append(at)
    return Counter(at - before for at, what in second for before in places.get(what, ()))


def _whole_move(first: MethodEvidence, second: MethodEvidence, declared: int | None) -> int | None:
    """How far all of the method moved; None: that cannot be said of all of it.

    Decisions are votes, too, but weak ones: what is decided differs from run to run, and there are many of a kind.
    """
    calls, decisions = _votes(first.calls, second.calls), _votes(first.decisions, second.decisions)

    def worth(move: int) -> tuple[int, int, bool, int, int]:
        return calls[move], decisions[move], move == declared, -abs(move), move

    best = max([0, *calls, *decisions], key=worth)
    if best == 0 or min(second.places) < best:
        return None
    if not calls[best]:
        return best if _is_told_by_decisions(first, second, best, decisions, declared) else None
    fewest = min(len(first.calls), len(second.calls))
    is_most = 2 * calls[best] > fewest and decisions[best] >= decisions[0]
    is_sure = calls[best] > 1 or not decisions[0] or best == declared
    return best if is_most and is_sure and calls[best] > 2 * calls[0] else None


def _is_told_by_decisions(
    first: MethodEvidence, second: MethodEvidence, move: int, votes: Counter[int], declared: int | None
) -> bool:
    """Whether the move explains all decisions of the run that has fewer, and staying does not."""
    if first.calls or second.calls:
        return False
    is_whole = votes[move] == min(len(first.decisions), len(second.decisions))
    several = len({at for at, _ in second.decisions}) >= LEAST_DECISIONS
    return is_whole and votes[0] < votes[move] and (several or move == declared)


def _anchors(first: MethodEvidence, second: MethodEvidence, declared: int | None) -> list[tuple[int, int]]:
    """Places of calls in the second run and in the first, ascending in both: a longest common subsequence.

    Empty if staying explains as many, or if what moved did not move together.
    """
    ours, theirs = sorted(first.calls), sorted(second.calls)
    stayed = len(first.calls & second.calls)
    if max(len(ours), len(theirs)) > MOST_SITES:
        return []
    pairs = [(at, before) for before, at in _common(ours, theirs)]
    if len(pairs) <= stayed:
        return []
    blocks: list[list[tuple[int, int]]] = []
    for pair in pairs:
        if blocks and blocks[-1][-1][0] - blocks[-1][-1][1] == pair[0] - pair[1]:
            blocks[-1].append(pair)
        else:
            blocks.append([pair])
    kept: list[tuple[int, int]] = []
    for number, block in enumerate(blocks):
        low = blocks[number - 1][-1][0] if number else -1
        high = blocks[number + 1][0][0] if number + 1 < len(blocks) else None
        move = block[0][0] - block[0][1]
        is_enough = len(block) >= LEAST_BLOCK or (not stayed and 2 * len(pairs) > min(len(ours), len(theirs)))
        would_stay = sum((at, what) in first.calls for at, what in theirs if block[0][0] <= at <= block[-1][0])
        is_better = len(block) > (1 if move == declared else 2) * would_stay
        if move == 0 or (is_enough and is_better and _agree(first, second, move, low, high)):
            kept += block
    return kept if any(at != before for at, before in kept) else []


def _agree(first: MethodEvidence, second: MethodEvidence, move: int, low: int, high: int | None) -> bool:
    """Whether moving explains as many of the decisions between two places as staying does."""
    between = [(at, what) for at, what in second.decisions if at > low and (high is None or at < high)]
    moved = sum((at - move, what) in first.decisions for at, what in between)
    return moved >= sum(site in first.decisions for site in between)


def _common(ours: Sequence[Site], theirs: Sequence[Site]) -> list[tuple[int, int]]:
    """Places of the sites of a longest common subsequence, no place twice."""
    table = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for i, (_, what) in enumerate(ours):
        row, above = table[i + 1], table[i]
        for j, (_, other) in enumerate(theirs):
            row[j + 1] = above[j] + 1 if what == other else max(above[j + 1], row[j])
    i, j = len(ours), len(theirs)
    pairs: list[tuple[int, int]] = []
    while i and j:
        if ours[i - 1][1] == theirs[j - 1][1]:
            i, j = i - 1, j - 1
            if not pairs or (ours[i][0] < pairs[-1][0] and theirs[j][0] < pairs[-1][1]):
                pairs.append((ours[i][0], theirs[j][0]))
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _between(anchors: list[tuple[int, int]], first: MethodEvidence, second: MethodEvidence) -> Offsets:
    """Every place of the second run, with the anchors around it.

    Where these moved differently, a place goes with the one that brings it to where the same was decided, else with
    the one before it, or behind it, that keeps it between them; else it stays as it is.
    """
    decided: dict[int, set[str]] = {}
    for at, what in second.decisions:
        decided.setdefault(at, set()).add(what)
    ends = [(-1, -1 + anchors[0][1] - anchors[0][0])]
    ends += anchors
    last = max(*second.places, anchors[-1][0]) + 1
    ends.append((last, last + anchors[-1][1] - anchors[-1][0]))
    found: Offsets = dict(anchors)
    for (low, from_low), (high, from_high) in pairwise(ends):
        before = from_low
        for place in sorted(place for place in second.places if low < place < high):
            candidates = [place - low + from_low, place - high + from_high]
            within = [to for to in candidates if before < to < from_high and to >= 0]
            told = [to for to in within if any((to, what) in first.decisions for what in decided.get(place, ()))]
            if told or within:
                before = found[place] = (told or within)[0]
    return {place: to for place, to in sorted(found.items()) if to != place}
