"""Runs of equal iterations: how many, how long, and what single paths could not have told."""

import pytest

from path_streams import Activation, path_profile
from sonde.code import plain_function
from sonde.instruments.paths.analysis import IterationRuns, RunsOf, iteration_runs
from sonde.instruments.paths.profile import PathRoutine, RoutineBlock, RoutineCode, Way


def runs(ids: tuple[int, ...], k: int) -> list[IterationRuns]:
    (routine,) = path_profile([Activation(0, ids)], k).routines
    return iteration_runs(routine, k)


def test_long_runs_of_two_ways_are_found_where_single_paths_say_half_and_half() -> None:
    (found,) = runs((1,) * 500 + (2,) * 500, 8)

    assert found.paths == (RunsOf(1, 500, 1), RunsOf(2, 500, 1))
    assert (found.iterations, found.together) == (1000, 8)
    assert found.alike == 2 * 493 / 1000
    assert found.if_independent == pytest.approx(2 * 0.5**8)


def test_the_mean_run_is_how_many_paths_there_are_for_each_time_that_it_begins() -> None:
    (found,) = runs(((1,) * 30 + (2,) * 10) * 20, 4)

    assert [(each.path, each.mean) for each in found.paths] == [(1, 30.0), (2, 10.0)]


@pytest.mark.parametrize("ids", [(1, 2) * 200, (1, 1, 2, 2) * 200, (1,) * 400, (1,) * 400 + (2,)])
def test_nothing_is_said_of_iterations_that_change_all_the_time_or_never(ids: tuple[int, ...]) -> None:
    assert runs(ids, 8) == []


def test_as_many_together_as_the_runs_are_long() -> None:
    assert [each.together for each in runs(((1,) * 25 + (2,) * 25) * 20, 16)] == [4]
    assert [each.together for each in runs(((1,) * 90 + (2,) * 90) * 20, 16)] == [16]


def test_short_sequences_tell_of_short_runs() -> None:
    assert [each.together for each in runs(((1,) * 90 + (2,) * 90) * 20, 3)] == [2]
    assert [each.together for each in runs(((1,) * 90 + (2,) * 90) * 20, 2)] == [2]
    assert runs(((1,) * 90 + (2,) * 90) * 20, 1) == []


def test_the_iterations_of_two_loops_are_told_apart() -> None:
    ids = ((1,) * 40 + (2,) * 40) * 10 + ((3,) * 20 + (4,) * 20) * 10
    (routine,) = path_profile([Activation(0, ids)], 4).routines
    blocks = tuple(RoutineBlock((line,), (0, 1)) for line in (1, 2))
    ways = {1: Way((0,), 0), 2: Way((0, 0), 0), 3: Way((1,), 1), 4: Way((1, 1), 1)}

    found = iteration_runs(
        PathRoutine(plain_function("native", "f", "f.c", 1), 1, routine.forest, RoutineCode(blocks, ways)), 4
    )

    assert [[each.path for each in loop.paths] for loop in found] == [[1, 2], [3, 4]]
    assert [loop.iterations for loop in found] == [800, 400]
