"""The rank sum test, against SciPy."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sonde.base.errors import InputError
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


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("first", "second"), [([1, 1, 1], [2, 2, 2]), ([1, 2, 2, 3], [2, 3, 3]), ([5, 1, 1], [1, 5])])
def test_few_tied_values_are_counted_as_by_dealing_them_in_all_ways(
    first: list[int], second: list[int], alternative: Alternative
) -> None:
    def pairs_greater(one: list[int], other: list[int]) -> float:
        return sum((x > y) + 0.5 * (x == y) for x in one for y in other)

    together = first + second
    dealt = []
    for chosen in combinations(range(len(together)), len(first)):
        rest = [value for index, value in enumerate(together) if index not in chosen]
        dealt.append(pairs_greater([together[index] for index in chosen], rest))
    at_most = np.mean(np.array(dealt) <= pairs_greater(first, second))
    at_least = np.mean(np.array(dealt) >= pairs_greater(first, second))
    exact = {"less": at_most, "greater": at_least, "two-sided": min(1.0, 2.0 * min(at_most, at_least))}

    test = rank_sum_test(first, second, alternative)

    assert test.p_value == pytest.approx(exact[alternative], rel=1e-12) and "given the ties" in test.method


def test_values_that_are_all_the_same_tell_nothing() -> None:
    assert rank_sum_test([2.0, 2.0], [2.0, 2.0, 2.0]).p_value == 1.0


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        rank_sum_test([], [1.0])

    assert caught.value.slug == "no-values"
