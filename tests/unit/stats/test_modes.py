"""The dip is what it is defined to be, and modes are found where there are some."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

from sonde.stats.dip import dip
from sonde.stats.modes import WIDE_GAP_SIZES, WIDE_GAPS, modes, one_mode


def least_distance(values: list[float]) -> float:
    """The dip by its definition: for each place of the mode, how near a distribution function can come that is convex
    before and concave after it."""
    x = sorted(values)
    return min(_distance_with_mode_at(mode, x) for mode in range(len(x)))


def _distance_with_mode_at(mode: int, x: list[float]) -> float:
    """A linear programme: its variables are the function at each value, its left limit at the mode, and the distance.

    A function that is straight between values is as near as any. Each condition says that a sum of variables times
    factors is at most a limit.
    """
    n = len(x)
    before, distance = n, n + 1
    conditions: list[tuple[dict[int, float], float]] = [({before: 1.0, mode: -1.0}, 0.0)]
    for i in range(n):
        left = before if i == mode else i
        for at, empirical in ((i, (i + 1) / n), (left, i / n)):
            conditions += [({at: 1.0, distance: -1.0}, empirical), ({at: -1.0, distance: -1.0}, -empirical)]
    for side, sign in (([*range(mode), before], 1.0), ([*range(mode, n)], -1.0)):
        places = [x[mode] if at == before else x[at] for at in side]
        conditions += [({a: 1.0, b: -1.0}, 0.0) for a, b in pairwise(side)]
        for i in range(len(side) - 2):
            first, second = 1.0 / (places[i + 1] - places[i]), 1.0 / (places[i + 2] - places[i + 1])
            bend = {side[i]: -first, side[i + 1]: first + second, side[i + 2]: -second}
            conditions.append(({at: sign * factor for at, factor in bend.items()}, 0.0))
    factors, goal = np.zeros((len(conditions), n + 2)), np.zeros(n + 2)
    for row, (terms, _) in zip(factors, conditions, strict=True):
        row[list(terms)] = list(terms.values())
    goal[distance] = 1.0
    limits = [limit for _, limit in conditions]
    return float(linprog(goal, A_ub=factors, b_ub=limits, bounds=[(0.0, 1.0)] * (n + 2)).fun)


@pytest.mark.parametrize("n", [3, 5, 8, 13])
def test_the_dip_is_the_least_distance_to_a_distribution_with_one_mode(n: int) -> None:
    random = np.random.default_rng(n)
    for _ in range(3):
        values = random.choice([random.random(n), random.lognormal(0, 1, n), np.arange(n) ** 2 + random.random(n)])
        assert dip(values) == pytest.approx(least_distance(values.tolist()), abs=1e-9)


@pytest.mark.parametrize(("values", "expected"), [([4.0], 0.5), ([1.0, 1.0, 1.0], 1 / 6), ([1.0, 2.0], 0.25)])
def test_the_smallest_samples_have_a_dip(values: list[float], expected: float) -> None:
    assert dip(values) == pytest.approx(expected)


@pytest.mark.parametrize("n", [10, 20, 50])
@pytest.mark.parametrize("shape", ["uniform", "normal", "exponential", "log-normal", "Student t"])
def test_samples_with_one_mode_are_rarely_said_to_have_two(shape: str, n: int) -> None:
    random = np.random.default_rng([n, len(shape)])
    samples = {
        "uniform": random.random((400, n)),
        "normal": random.standard_normal((400, n)),
        "exponential": random.exponential(1.0, (400, n)),
        "log-normal": random.lognormal(0.0, 1.0, (400, n)),
        "Student t": random.standard_t(2, (400, n)),
    }[shape]

    # 4 of 400 at most are promised; 3 standard errors more are 10.
    assert sum(one_mode(sample).holds is False for sample in samples) <= 10


def test_wide_gaps_are_as_rare_as_the_table_says() -> None:
    random = np.random.default_rng(9)
    for n, limit in zip(WIDE_GAP_SIZES, WIDE_GAPS, strict=True):
        for samples in (random.gamma(0.5, 1.0, (10_000, n)), random.lognormal(0.0, 1.5, (10_000, n))):
            ordered = np.sort(samples, axis=1)
            below = np.arange(4, n - 3)
            sides = np.maximum(ordered[:, below - 1] - ordered[:, :1], ordered[:, -1:] - ordered[:, below])
            widest = ((ordered[:, below] - ordered[:, below - 1]) / sides).max(axis=1)
            assert np.mean(widest > limit) <= 0.005 + 3 * np.sqrt(0.005 / 10_000)


@pytest.mark.parametrize(("share", "n", "least"), [(0.5, 20, 85), (0.2, 30, 75), (0.1, 100, 60)])
def test_clusters_plainly_apart_are_found_with_their_places_and_shares(share: float, n: int, least: int) -> None:
    random = np.random.default_rng(n)
    found = [modes(random.standard_normal(n) * 0.01 + np.where(random.random(n) < share, 1.1, 1.0)) for _ in range(100)]

    hits = [one.clusters for one in found if one.clusters]

    assert len(hits) >= least
    assert np.mean([high.share for _, high in hits]) == pytest.approx(share, abs=0.05)
    assert all(abs(low.centre - 1.0) < 0.02 and abs(high.centre - 1.1) < 0.02 for low, high in hits)


def test_overlapping_modes_are_found_by_the_dip_in_large_samples() -> None:
    random = np.random.default_rng(5)
    sample = np.concatenate([random.normal(0.0, 1.0, 250), random.normal(4.0, 1.0, 250)])

    found = one_mode(sample)

    assert found.holds is False and "gap" not in found.finding


def test_two_values_many_times_over_have_nothing_between() -> None:
    finding = one_mode([1.0] * 6 + [2.0] * 6).finding

    assert finding.startswith("50 % of values near 1, 50 % near 2 (nothing between; dip test p ")


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0] * 4, [0.5] * 20])
def test_too_few_or_constant_values_tell_nothing_of_modes(values: list[float]) -> None:
    assert one_mode(values).holds is None
