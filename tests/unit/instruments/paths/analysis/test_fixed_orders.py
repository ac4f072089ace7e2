"""Alternations and traces: what follows is known after a path or two."""

import random

import pytest

from path_streams import RUNNING_EXAMPLE, Activation, path_profile
from sonde.instruments.paths.analysis import FixedOrder, fixed_orders


def orders(ids: tuple[int, ...], k: int) -> list[FixedOrder]:
    (routine,) = path_profile([Activation(0, ids)], k).routines
    return fixed_orders(routine)


def test_two_paths_in_turn_are_an_alternation() -> None:
    (found,) = orders((5, 9) * 100, 6)

    assert (sorted(found.ids), found.repeats, found.known_after) == ([5, 9], True, 1)
    assert found.sure >= 0.97
    assert found.covered >= 195


def test_the_running_example_alternates() -> None:
    assert [(each.ids, each.repeats) for each in orders(RUNNING_EXAMPLE, 4)] == [((2, 0, 0), True)]


def test_what_always_follows_one_path_is_a_trace() -> None:
    """As in the source, Figure 6.6: 38 is followed by 86, 86, 86, 755 or by 87."""
    draw = random.Random(7)
    ids = tuple(
        path
        for _ in range(500)
        for path in (*draw.choice([(38, 86, 86, 86, 755), (38, 87)]), draw.randrange(1000, 9000))
    )

    found = [each for each in orders(ids, 5) if each.ids[0] == 38 and 86 in each.ids]

    assert [(each.ids, each.repeats, each.known_after, each.sure) for each in found] == [
        ((38, 86, 86, 86, 755), False, 2, 1.0)
    ]


@pytest.mark.parametrize("ways", [2, 3, 8])
def test_nothing_is_said_of_chance(ways: int) -> None:
    draw = random.Random(ways)

    assert orders(tuple(draw.randrange(ways) for _ in range(4000)), 5) == []


def test_a_run_of_one_path_that_began_somewhere_is_no_trace() -> None:
    draw = random.Random(3)
    ids = tuple(path for _ in range(200) for path in (1, *(2,) * draw.randrange(9, 30)))

    assert all(len(set(each.ids)) > 1 and each.repeats for each in orders(ids, 6))
