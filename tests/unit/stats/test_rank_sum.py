"""The rank sum test, against SciPy."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sonde.errors import InputError
from sonde.stats.rank_sum import Alternative, rank_sum_test

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 4), (8, 8), (5, 25), (25, 25)])
def test_few_values_are_counted_exactly_as_by_scipy(n: int, m: int, alternative: Alternative) -> None:
    random = np.random.default_rng(n * 100 + m)
    first, second = random.normal(0.3, 1.0, n), random.normal(0.0, 1.0, m)

    test = rank_sum_test(first, second, alternative)
    oracle = mannwhitneyu(first, second, alternative=alternative, method="exact")

    assert test.statistic == oracle.statistic and test.p_value == pytest.approx(oracle.pvalue, rel=1e-12)
    assert "exact" in test.method


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("step", [0.5, 1e-9])
def test_ties_and_many_values_are_approximated_as_by_scipy(step: float, alternative: Alternative) -> None:
    random = np.random.default_rng(5)
    first, second = (np.round(random.normal(shift, 1.0, n) / step) * step for shift, n in ((0.2, 40), (0.0, 31)))

    test = rank_sum_test(first, second, alternative)
    oracle = mannwhitneyu(first, second, alternative=alternative, method="asymptotic")

    assert test.statistic == oracle.statistic and test.p_value == pytest.approx(oracle.pvalue, rel=1e-12)
    assert "normal approximation" in test.method and ("ties" in test.method) == (step == 0.5)


def test_values_that_are_all_the_same_tell_nothing() -> None:
    assert rank_sum_test([2.0, 2.0], [2.0, 2.0, 2.0]).p_value == 1.0


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        rank_sum_test([], [1.0])

    assert caught.value.slug == "no-values"
