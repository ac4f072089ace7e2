"""Separation of groups of runs, its exact chance, and false discoveries, against brute force."""

from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from group_runs import direct, inlined, made_run, unit_trees
from sonde.instruments.decisions.groups import CallSubject, ConsistencyOptions, DecisionSubject, consistent
from sonde.instruments.decisions.groups.separation import can_separate, chance, exceptions

VALUES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=4)


def slow_exceptions(fast: list[float], slow: list[float]) -> int:
    """Try every set of runs to be left out."""
    runs = [(value, True) for value in fast] + [(value, False) for value in slow]
    for left_out in range(len(runs) + 1):
        for dropped in combinations(range(len(runs)), left_out):
            kept = [run for index, run in enumerate(runs) if index not in dropped]
            first = [value for value, is_fast in kept if is_fast]
            second = [value for value, is_fast in kept if not is_fast]
            if not first or not second or max(first) < min(second) or max(second) < min(first):
                return left_out
    raise AssertionError


def splits(values: list[float], fast_count: int) -> list[tuple[list[float], list[float]]]:
    every = []
    for chosen in combinations(range(len(values)), fast_count):
        fast = [values[index] for index in chosen]
        every.append((fast, [value for index, value in enumerate(values) if index not in chosen]))
    return every


@given(VALUES, VALUES)
def test_exceptions_are_the_fewest_that_can_be_left_out(fast: list[float], slow: list[float]) -> None:
    assert exceptions(fast, slow) == slow_exceptions(fast, slow)


@given(VALUES, VALUES, st.integers(0, 3))
def test_chance_is_the_share_of_all_splits_that_separate_as_well(
    fast: list[float], slow: list[float], allowed: int
) -> None:
    values = fast + slow
    every = splits(values, len(fast))
    expected = sum(slow_exceptions(*split) <= allowed for split in every) / len(every)
    assert chance(values, len(fast), allowed) == pytest.approx(expected)


@given(VALUES, VALUES, st.integers(0, 2))
def test_what_cannot_separate_does_so_in_no_split(fast: list[float], slow: list[float], allowed: int) -> None:
    values = fast + slow
    could = any(exceptions(*split) <= allowed for split in splits(values, len(fast)))
    # Leaving out a whole group separates nothing.
    if allowed < min(len(fast), len(slow)):
        assert can_separate(values, len(fast), allowed) == could


def test_the_chance_of_complete_separation_is_known() -> None:
    assert chance([1.0] * 4 + [0.0] * 26, 4, 0) == 1 / comb(30, 4)
    assert chance([1.0] * 30 + [0.0] * 30, 30, 0) == 2 / comb(60, 30)
    assert chance([float(each) for each in range(10)], 5, 0) == 2 / comb(10, 5)
    assert chance([1.0, 0.0], 1, 0) == 1.0


@examples(0.25)
@given(
    st.integers(7, 8),
    st.integers(7, 8),
    st.lists(st.lists(st.booleans(), min_size=16, max_size=16), min_size=10, max_size=10),
    st.booleans(),
)
def test_a_planted_difference_is_found_first_among_noise(
    fast_count: int, slow_count: int, noise: list[list[bool]], is_call: bool
) -> None:
    runs = []
    for index in range(fast_count + slow_count):
        is_fast = index < fast_count
        calls = [
            inlined(f"n{each}", each) if bits[index] else direct(f"n{each}", each) for each, bits in enumerate(noise)
        ]
        decisions = [("Noise", 100 + each) for each, bits in enumerate(noise) if bits[(index + 1) % 16]]
        if is_call:
            calls.append(inlined("planted", 50, inlined("below", 1)) if is_fast else direct("planted", 50))
        elif is_fast:
            decisions.append(("Planted", 60))
        runs.append(made_run(f"r{index}", {"hot": (90, unit_trees("hot", calls, decisions))}))
    answer = consistent(runs[:fast_count], runs[fast_count:])
    expected = CallSubject("hot", 50, "planted") if is_call else DecisionSubject("hot", 60, "Planted", "Done")
    assert answer.findings[0].weight == 1.0
    assert expected in {finding.subject for finding in answer.findings}
    assert all(finding.score == 1.0 for finding in answer.findings)
    (planted,) = (finding for finding in answer.findings if finding.subject == expected)
    assert answer.is_conclusive(planted)
    assert abs(planted.differences[0].gap) == 1.0
    # Noise that happens to separate completely cannot be told apart; nothing else may be there.
    by_chance = sum(
        len({bits[at] for at in range(fast_count)}) == 1
        and len({bits[at] for at in range(fast_count, fast_count + slow_count)}) == 1
        and bits[0] != bits[fast_count]
        for bits in (noise[each][shift:] + noise[each][:shift] for each in range(10) for shift in (0, 1))
    )
    assert len(answer.findings) <= 1 + by_chance


def test_noise_is_reported_as_rarely_as_promised() -> None:
    from random import Random

    random = Random(7)
    wrong = 0
    for _ in range(40):
        runs = []
        for index in range(12):
            calls = [
                inlined(f"n{each}", each) if random.random() < 0.5 else direct(f"n{each}", each) for each in range(200)
            ]
            runs.append(made_run(f"r{index}", {"hot": (9, unit_trees("hot", calls))}))
        answer = consistent(runs[:6], runs[6:], ConsistencyOptions(false_discovery_rate=0.05))
        wrong += any(answer.is_conclusive(finding) for finding in answer.findings)
    # All 40 are null: the rate of any conclusive finding is the false discovery rate, 5%; 40 tries stay below 7 with
    # probability above 99%.
    assert wrong <= 6


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12), st.randoms())
@examples(0.4)
def test_findings_are_folded_without_loss_whatever_the_shape(pairs: list[tuple[int, int]], random: object) -> None:
    def tree(depth: int, is_fast: bool) -> list:  # type: ignore[type-arg]
        if depth > 3:
            return []
        return [
            inlined(f"m{callee}", at, *tree(depth + 1, is_fast))
            if (callee + at) % 2 or is_fast
            else direct(f"m{callee}", at)
            for callee, at in sorted(set(pairs))[:3]
        ]

    runs = [made_run(f"r{index}", {"m0": (5, unit_trees("m0", tree(0, index < 4)))}) for index in range(8)]
    answer = consistent(runs[:4], runs[4:])
    seen = [finding.subject for top in answer.findings for finding in (top, *top.followers)]
    assert len(seen) == len(set(seen))
    assert all(not follower.followers for top in answer.findings for follower in top.followers)
    scores = [top.score for top in answer.findings if answer.is_conclusive(top)]
    assert all(first >= second for first, second in pairwise(scores))
