"""Differences of means, against R's published examples and SciPy."""

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from r_examples import SLEEP
from sonde.base.errors import InputError
from sonde.stats.difference_of_means import Alternative, difference_of_means, means_test

FIRST, SECOND = SLEEP["1"], SLEEP["2"]


def test_sleep_is_as_in_r() -> None:
    test, estimate = means_test(FIRST, SECOND), difference_of_means(FIRST, SECOND)

    assert test.statistic == pytest.approx(-1.8608, abs=5e-5) and test.p_value == pytest.approx(0.07939, abs=5e-6)
    assert test.degrees_of_freedom[0] == pytest.approx(17.776, abs=5e-4)
    assert estimate.interval is not None
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx((-3.3654832, 0.2054832), abs=5e-8)


def test_pairs_of_sleep_are_as_in_r() -> None:
    test, estimate = means_test(FIRST, SECOND, paired=True), difference_of_means(FIRST, SECOND, paired=True)

    assert test.statistic == pytest.approx(-4.0621, abs=5e-5) and test.p_value == pytest.approx(0.002833, abs=5e-7)
    assert test.degrees_of_freedom == (9.0,) and "paired" in test.method
    assert estimate.interval is not None
    assert (estimate.interval.low, estimate.interval.high) == pytest.approx((-2.4598858, -0.7001142), abs=5e-8)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("design", ["welch", "equal", "paired"])
def test_tests_and_intervals_are_those_of_scipy(design: str, alternative: Alternative) -> None:
    random = np.random.default_rng(11)
    second = random.normal(10.3, 1.0, 14)
    first = random.normal(10.0, 3.0, 14 if design == "paired" else 40)
    if design == "paired":
        oracle = ttest_rel(second, first, alternative=alternative)
    else:
        oracle = ttest_ind(second, first, equal_var=design == "equal", alternative=alternative)
    paired, equal = design == "paired", design == "equal"

    test = means_test(second, first, alternative=alternative, paired=paired, equal_variances=equal)
    estimate = difference_of_means(second, first, 0.9, paired=paired, equal_variances=equal)

    assert test.statistic == pytest.approx(oracle.statistic, rel=1e-9)
    assert test.p_value == pytest.approx(oracle.pvalue, rel=1e-9)
    assert test.degrees_of_freedom[0] == pytest.approx(oracle.df, rel=1e-9)
    if alternative == "two-sided":
        bounds = oracle.confidence_interval(0.9)
        assert estimate.interval is not None
        assert (estimate.interval.low, estimate.interval.high) == pytest.approx((bounds.low, bounds.high), rel=1e-9)


@pytest.mark.parametrize(
    ("second", "first", "paired", "said"),
    [
        ([1.0], [2.0, 3.0], False, "one value"),
        ([1.0, 1.0], [2.0, 2.0, 2.0], False, "the same"),
        ([0.1, 0.1, 0.1], [0.3, 0.3, 0.3], False, "the same"),
        ([2.0, 3.0, 4.0], [1.0, 2.0, 3.0], True, "all pairs differ by the same"),
    ],
)
def test_what_does_not_vary_has_neither_interval_nor_p_value(
    second: list[float], first: list[float], paired: bool, said: str
) -> None:
    estimate, test = difference_of_means(second, first, paired=paired), means_test(second, first, paired=paired)

    assert estimate.interval is None and said in estimate.withheld
    assert estimate.value == pytest.approx(np.mean(second) - np.mean(first))
    assert np.isnan(test.p_value) and said in test.withheld


def test_one_sample_that_does_not_vary_is_a_number_to_compare_with() -> None:
    test = means_test([1.0, 2.0, 4.0, 5.0], [3.5, 3.5])

    assert test.degrees_of_freedom == (3.0,) and test.withheld == ""


@pytest.mark.parametrize(
    ("second", "first", "paired", "slug"),
    [
        ([], [1.0], False, "no-values"),
        ([1.0, 2.0], [1.0, float("inf")], False, "not-finite"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], True, "not-pairs"),
    ],
)
def test_what_cannot_be_compared_is_refused(second: list[float], first: list[float], paired: bool, slug: str) -> None:
    for compare in (difference_of_means, means_test):
        with pytest.raises(InputError) as caught:
            compare(second, first, paired=paired)

        assert caught.value.slug == slug


@pytest.mark.parametrize("level", [0.0, 1.0, float("nan")])
def test_a_level_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(InputError) as caught:
        difference_of_means([1.0, 2.0], [1.0, 3.0], level)

    assert caught.value.slug == "bad-level"


def test_assumptions_are_those_of_the_method() -> None:
    random = np.random.default_rng(2)
    second, first = random.normal(0, 1, 20), random.exponential(5, 60)

    welch = {one.name: one.holds for one in means_test(second, first).assumptions}
    student = {one.name: one.holds for one in means_test(second, first, equal_variances=True).assumptions}

    assert welch == {"normality": False, "independence": None}
    assert student == {"normality": False, "independence": None, "equal variances": False}
