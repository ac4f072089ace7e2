"""Amounts that samples have told: what is said of little, of nothing, and of what is exact."""

from math import inf

import pytest
from scipy.stats import binom, norm

from sonde.evidence import SampledAmount, difference_interval, difference_p_value, ratio_interval, share_interval
from sonde.evidence.sampled_difference import deviate_of


def independent(part: int, looks: int = 1000) -> SampledAmount:
    share = part / looks
    return SampledAmount(float(part), (share * (1 - share) * looks) ** 0.5, float(looks), looks)


@pytest.mark.parametrize("part", [0, 1, 7, 500, 999, 1000])
def test_of_independent_looks_the_limits_are_those_of_wilson(part: int) -> None:
    low, high = independent(part).limits(1.96)
    around = share_interval(part, 1000)
    assert (low / 1000, high / 1000) == pytest.approx((around.low, around.high), abs=1e-9)


def test_what_was_never_seen_may_have_been_a_little() -> None:
    around = difference_interval(independent(0), independent(4))
    assert 0 < around.high < 15
    assert around.low < 0
    assert difference_p_value(independent(0), independent(4)) > 0.05
    assert difference_p_value(independent(0), independent(20)) < 1e-4


def test_looks_that_depend_on_one_another_are_worth_fewer() -> None:
    alone = SampledAmount(100.0, 20.0, 1000.0, 1000)
    low, high = alone.limits(1.96)
    assert (low + high) / 2 == pytest.approx(107, abs=4)
    assert high - low == pytest.approx(2 * 1.96 * 20, rel=0.05)


def test_exact_amounts_have_no_interval_but_what_may_be_missing_or_differ_by_run() -> None:
    assert SampledAmount(100.0).limits(3.0) == (100.0, 100.0)
    assert SampledAmount(100.0, above=7.0).limits(3.0) == (100.0, 107.0)
    assert SampledAmount(100.0, spread=0.05).limits(2.0) == pytest.approx((90.0, 110.0))
    assert difference_p_value(SampledAmount(100.0), SampledAmount(101.0)) < 1e-100


def test_the_noise_of_runs_counts_on_both_sides() -> None:
    one, other = SampledAmount(100.0, spread=0.03), SampledAmount(120.0, spread=0.03)
    expected = 2 * norm.sf(20 / (0.03 * (100**2 + 120**2) ** 0.5))
    assert difference_p_value(one, other) == pytest.approx(expected, rel=1e-6)


def test_ratios_are_not_told_of_nothing_and_have_no_upper_end_over_little() -> None:
    assert ratio_interval(independent(0), independent(5)) is None
    over_little = ratio_interval(SampledAmount(1.0, spread=2.0), independent(5))
    assert over_little is not None
    assert over_little.high == inf
    gone = ratio_interval(independent(50), independent(0))
    assert gone is not None
    assert gone.low == 0.0
    assert 0 < gone.high < 0.2


def test_deviates_are_those_of_the_normal_distribution() -> None:
    for level in (0.5, 0.9, 0.95, 0.9999):
        assert deviate_of(level) == pytest.approx(norm.ppf((1 + level) / 2), rel=1e-8)


def test_p_values_of_few_looks_are_near_those_that_binomials_have() -> None:
    # How often the difference of two binomials is as improbable as 5 % says, where there is none: summed up exactly.
    chances = binom.pmf(range(40), 1000, 0.01)
    found = sum(
        chances[one] * chances[other]
        for one in range(40)
        for other in range(one)
        if difference_p_value(independent(one), independent(other)) <= 0.05
    )
    assert 0.02 < 2 * found < 0.055
