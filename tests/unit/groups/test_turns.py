"""Whether groups of runs took turns."""

import pytest

from sonde.groups.turns import rounds_of

TIMES = [f"2026-01-01T10:00:00.{number}00+00:00" for number in range(8)]


def starts(order: str) -> tuple[list[str], list[str]]:
    first, second = ([time for side, time in zip(order, TIMES, strict=False) if side == name] for name in "ab")
    return first, second


@pytest.mark.parametrize("order", ["abab", "baba", "abba", "baab", "ab"])
def test_each_two_runs_in_a_row_are_one_of_each(order: str) -> None:
    pairs = rounds_of(*starts(order))

    assert sorted(one for one, _ in pairs) == sorted(other for _, other in pairs) == list(range(len(order) // 2))


@pytest.mark.parametrize("order", ["aabb", "abaabb", "aab", "aaabbb", "bbaa", "aabbab"])
def test_others_took_no_turns(order: str) -> None:
    assert rounds_of(*starts(order)) == ()


def test_runs_are_paired_with_those_next_to_them_whatever_their_order_in_the_group() -> None:
    first, second = starts("abba")

    assert rounds_of(first, second) == ((0, 0), (1, 1))
    assert rounds_of(first[::-1], second) == ((1, 0), (0, 1))


def test_times_that_are_missing_the_same_or_no_times_tell_nothing() -> None:
    assert rounds_of(["", TIMES[1]], [TIMES[2], TIMES[3]]) == ()
    assert rounds_of([TIMES[0], TIMES[2]], [TIMES[0], TIMES[3]]) == ()
    assert rounds_of(["yesterday"], [TIMES[3]]) == ()


def test_times_with_and_without_a_zone_are_compared() -> None:
    assert rounds_of(["2026-01-01T10:00:00+00:00"], ["2026-01-01T10:00:01"]) == ((0, 0),)
