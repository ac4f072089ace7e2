"""Estimates from bursts: right on average, and as uncertain as they say. Drawn with a fixed seed."""

import random
from math import sqrt

import pytest

from sonde.instruments.contexts.analyses import scaled

WINDOWS, LOOKED = 400, 40


def windows(choose: random.Random) -> list[int]:
    """What each window of a run brings to one context: mostly nothing, then much."""
    return [choose.choice((0, 0, 0, 5, 7, 90)) + choose.randrange(3) for _ in range(WINDOWS)]


def test_estimates_are_right_on_average_and_within_their_errors() -> None:
    choose = random.Random(1)
    run = windows(choose)
    draws = 2000
    estimates, errors, within = [], [], 0
    for _ in range(draws):
        seen = choose.sample(run, LOOKED)
        (estimate,), (error,) = scaled(
            [sum(seen)], [sum(value * value for value in seen)], bursts=LOOKED, fraction=LOOKED / WINDOWS
        )
        estimates.append(estimate)
        errors.append(error)
        within += abs(estimate - sum(run)) <= 2 * error

    mean = sum(estimates) / draws
    deviation = sqrt(sum((estimate - mean) ** 2 for estimate in estimates) / (draws - 1))
    assert mean == pytest.approx(sum(run), abs=4 * deviation / sqrt(draws))  # 4 standard errors of the mean
    assert sqrt(sum(error**2 for error in errors) / draws) == pytest.approx(deviation, rel=0.1)
    assert 0.92 < within / draws < 0.98  # a normal estimate is within two standard errors in 95 % of all cases


def test_a_run_that_was_looked_at_all_the_time_has_no_error() -> None:
    assert scaled([10, 0], [60.0, 0.0], bursts=3, fraction=1.0) == scaled([10, 0], [0.0, 0.0], bursts=1, fraction=1)
    assert [list(column) for column in scaled([10, 0], [60.0, 0.0], bursts=3, fraction=1.0)] == [[10, 0], [0, 0]]


def test_of_one_burst_nothing_is_known_but_what_it_saw() -> None:
    estimate, error = scaled([10], [100.0], bursts=1, fraction=0.1)

    assert (list(estimate), list(error)) == ([100], [100])


def test_what_every_burst_brings_alike_has_no_error() -> None:
    estimate, error = scaled([30], [300.0], bursts=3, fraction=0.5)

    assert (list(estimate), list(error)) == ([60], [0])


@pytest.mark.parametrize(("bursts", "fraction"), [(0, 0.5), (1, 0.0), (1, 1.5), (1, float("nan"))])
def test_shares_that_cannot_be_are_refused(bursts: int, fraction: float) -> None:
    with pytest.raises(ValueError, match="of a run"):
        scaled([1], [1.0], bursts=bursts, fraction=fraction)
