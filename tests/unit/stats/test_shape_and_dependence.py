"""What the shape of samples and their dependence do to a comparison: permutation factors and inflated variances."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp, ttest_ind

from sonde.stats.dependence_inflation import dependence
from sonde.stats.permuted_statistic import flip_factor, permutation_factors


def skewed(size: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Values with a long tail, and mean 0."""
    values = np.random.default_rng(seed).lognormal(0.0, 1.0, size)
    return np.asarray(values - values.mean(), dtype=np.float64)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (4, 6)])
def test_factors_are_those_of_all_ways_to_deal(n: int, m: int) -> None:
    first, second = skewed(n, 1), skewed(m, 2)
    together = np.concatenate([first, second])
    statistics = []
    for chosen in combinations(range(n + m), n):
        rest = [index for index in range(n + m) if index not in chosen]
        statistics.append(ttest_ind(together[list(chosen)], together[rest], equal_var=False).statistic)
    usual = student.ppf(0.975, n + m - 2)
    exact = -np.quantile(statistics, 0.025) / usual, np.quantile(statistics, 0.975) / usual

    # 2,000 deals of 252 or 462 ways.
    assert permutation_factors(first, second, n + m - 2.0) == pytest.approx(exact, rel=0.08)


def test_signs_of_few_pairs_are_all_tried() -> None:
    differences = skewed(8, 3)
    statistics = [ttest_1samp(differences * np.array(signs), 0.0).statistic for signs in product((-1.0, 1.0), repeat=8)]
    # 7 of 256 are the fewest that are more than 2.5 %.
    seventh = np.sort(statistics)[-7]

    assert flip_factor(differences, 7.0) == pytest.approx(seventh / student.ppf(0.975, 7), rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(6, 6), (12, 12), (5, 9), (9, 30)])
def test_swapping_samples_swaps_the_factors(n: int, m: int) -> None:
    low, high = permutation_factors(skewed(n, 4), skewed(m, 5), 10.0)

    assert permutation_factors(skewed(m, 5), skewed(n, 4), 10.0) == pytest.approx((high, low), rel=1e-9)


def test_neither_the_order_of_values_nor_their_unit_matters_to_the_factors() -> None:
    first, second = skewed(7, 6), skewed(11, 7)

    factors = permutation_factors(first, second, 10.0)

    assert permutation_factors(1e-6 * first[::-1], 1e-6 * second[::-1], 10.0) == pytest.approx(factors, rel=1e-9)


def test_many_normal_values_need_no_correction() -> None:
    random = np.random.default_rng(8)
    factors = [permutation_factors(random.standard_normal(25), random.standard_normal(25), 48.0) for _ in range(20)]

    assert np.mean(factors) == pytest.approx(1.0, abs=0.02)


def test_an_autoregression_inflates_the_variance_of_the_mean_as_it_should() -> None:
    random, n, carried = np.random.default_rng(9), 2000, 0.5
    noise = random.standard_normal(n)
    for at in range(1, n):
        noise[at] = carried * noise[at - 1] + np.sqrt(1.0 - carried**2) * noise[at]

    found = dependence(noise)

    # (1 + 0.5) / (1 - 0.5)
    assert found.inflation == pytest.approx(3.0, rel=0.15) and found.is_plain and not found.is_drift
    assert found.effective_size == pytest.approx(n / found.inflation)


def test_independent_values_are_seldom_taken_for_dependent_ones() -> None:
    random = np.random.default_rng(10)
    found = [dependence(random.standard_normal(30)) for _ in range(800)]

    assert np.mean([one.is_plain for one in found]) <= 0.02
    assert np.mean([one.inflation for one in found]) == pytest.approx(1.1, abs=0.1)


def test_values_that_alternate_are_no_surer_than_independent_ones() -> None:
    found = dependence(np.array([1.0, 2.0] * 10))

    assert found.inflation == pytest.approx(1.0, abs=0.05) and found.effective_size == 20.0


def test_few_values_inflate_the_variance_only_so_far() -> None:
    found = [dependence(np.arange(float(n))) for n in (9, 10, 12, 30)]

    assert [one.inflation for one in found] == pytest.approx([1.0, 1.25, 2.0, 19.0])
    assert all(one.lag_one <= 1.0 for one in found)


def test_a_trend_is_a_drift() -> None:
    assert dependence(np.arange(30.0)).is_drift


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], [3.0] * 20])
def test_what_cannot_show_dependence_is_not_checked_or_not_found(values: list[float]) -> None:
    found = dependence(np.array(values))

    assert found.inflation == 1.0 and not found.is_plain
