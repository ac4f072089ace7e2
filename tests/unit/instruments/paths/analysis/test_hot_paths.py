"""Hot sequences: loops are listed once, and what they cover is not exaggerated."""

import pytest

from path_streams import RUNNING_EXAMPLE, Activation, path_profile
from sonde.instruments.paths.analysis import HotPath, hot_paths


def hot(ids: tuple[int, ...], k: int) -> list[HotPath]:
    (routine,) = path_profile([Activation(0, ids)], k).routines
    return hot_paths(routine.forest)


def test_the_running_example() -> None:
    assert hot(RUNNING_EXAMPLE, 4)[0] == HotPath((2, 0, 0, 2), 3, 3)


def test_of_a_loop_that_always_takes_one_path_the_longest_sequence_is_listed() -> None:
    found = hot((7,) * 100, 5)

    assert found == [HotPath((7, 7, 7, 7, 7), 96, 1)]
    assert found[0].covered == 100


@pytest.mark.parametrize("k", [4, 5, 6, 7])
def test_rotations_of_a_loop_are_one(k: int) -> None:
    found = hot((0, 1, 2) * 40, k)

    assert [(len(each.ids), each.period) for each in found] == [(k, 3)]
    assert 118 <= found[0].covered <= 120


def test_sequences_that_lead_elsewhere_now_and_then_are_listed_beside_longer_ones() -> None:
    found = hot((1, 2, 3) * 10 + (1, 2, 4) * 10, 3)

    assert {(1, 2, 3), (1, 2, 4)} <= {each.ids for each in found}
    assert next(each for each in found if each.ids == (1, 2)).count == 20


def test_nothing_follows_where_k_is_1() -> None:
    assert hot(RUNNING_EXAMPLE, 1) == []
