"""How often a difference is seen."""

import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from sonde.base.errors import InputError, UsageError
from sonde.stats.power import invocations_needed, power_curve, power_of_ratio, smallest_visible


def by_definition(noncentrality: float, freedom: float, level: float) -> float:
    """Probability that |(Z + noncentrality) / sqrt(V / freedom)| is beyond the critical value, integrated over V."""
    critical = stats.t.ppf(0.5 + level / 2, freedom)

    def beyond(variance: float) -> float:
        reach = critical * np.sqrt(variance / freedom)
        tails = stats.norm.cdf(noncentrality - reach) + stats.norm.cdf(-noncentrality - reach)
        return float(tails * stats.chi2.pdf(variance, freedom))

    middle, spread = freedom, np.sqrt(2 * freedom)
    ends = (max(0.0, middle - 12 * spread), middle + 14 * spread + 40)
    return float(integrate.quad(beyond, *ends, epsabs=1e-14, epsrel=1e-12, limit=500)[0])


@pytest.mark.parametrize("effect", [0.0, 0.005, 0.02, -0.02, 0.1])
@pytest.mark.parametrize("cov", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("invocations", [2, 5, 30, 100])
def test_comparisons_in_rounds_agree_with_statsmodels(effect: float, cov: float, invocations: int) -> None:
    correlation = 0.3
    slower = 1 + effect
    deviation = cov * np.sqrt(1 + slower**2 - 2 * correlation * slower)
    expected = TTestPower().power(abs(effect) / deviation, invocations, 0.05)
    if np.isnan(expected):  # it does not hide where the library's series breaks down
        expected = by_definition(abs(effect) / deviation * np.sqrt(invocations), invocations - 1, 0.95)
    found = power_of_ratio(effect, cov, invocations, paired_correlation=correlation)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.9, 0.99])
@pytest.mark.parametrize("invocations", [3, 10, 60])
def test_independent_samples_agree_with_the_definition(invocations: int, level: float) -> None:
    effect, cov = 0.04, 0.03
    first, second = cov**2, (cov * 1.04) ** 2
    freedom = (invocations - 1) * (first + second) ** 2 / (first**2 + second**2)
    noncentrality = effect * np.sqrt(invocations / (first + second))
    expected = by_definition(noncentrality, freedom, level)
    assert power_of_ratio(effect, cov, invocations, level=level) == pytest.approx(expected, rel=1e-9)


def test_small_effects_on_independent_samples_agree_with_statsmodels() -> None:
    # its alternatives vary alike, which those of a tiny effect nearly do
    expected = TTestIndPower().power(1e-6 / 1e-6, 20, 0.05)
    assert power_of_ratio(1e-6, 1e-6, 20) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("effect", "cov", "invocations"), [(0.02, 0.02, 10), (0.05, 0.1, 30), (-0.01, 0.01, 20)])
def test_power_is_what_welchs_test_does_in_experiments(effect: float, cov: float, invocations: int) -> None:
    rng = np.random.default_rng(11)
    experiments = 4_000
    first = rng.normal(1.0, cov, (experiments, invocations))
    second = rng.normal(1.0 + effect, cov * (1 + effect), (experiments, invocations))
    seen = (stats.ttest_ind(second, first, axis=1, equal_var=False).pvalue < 0.05).mean()
    power = power_of_ratio(effect, cov, invocations)
    assert abs(seen - power) < 3.5 * np.sqrt(power * (1 - power) / experiments) + 0.005


def test_identical_alternatives_are_seen_as_different_as_often_as_stated() -> None:
    assert power_of_ratio(0.0, 0.03, 12, level=0.99) == pytest.approx(0.01, rel=1e-9)
    assert power_of_ratio(0.0, 0.03, 12, level=0.99, paired_correlation=0.5) == pytest.approx(0.01, rel=1e-9)


def test_rounds_that_share_their_noise_show_more() -> None:
    assert power_of_ratio(0.01, 0.02, 20, paired_correlation=0.8) > 0.9 > 0.4 > power_of_ratio(0.01, 0.02, 20)


def test_power_stays_a_probability_far_out() -> None:
    powers = power_curve([1e-9, 0.5, 100.0, 1e6], 1e-4, 1000)
    assert ((powers >= 0.0) & (powers <= 1.0)).all()
    assert powers[1:].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("correlation", [None, 0.0, 0.7])
@pytest.mark.parametrize(("effect", "cov"), [(0.02, 0.02), (0.005, 0.03), (-0.05, 0.1), (0.5, 0.01)])
def test_the_number_needed_is_the_first_that_suffices(effect: float, cov: float, correlation: float | None) -> None:
    needed = invocations_needed(effect, cov, 0.9, paired_correlation=correlation)
    assert power_of_ratio(effect, cov, needed, paired_correlation=correlation) >= 0.9
    if needed > 2:
        assert power_of_ratio(effect, cov, needed - 1, paired_correlation=correlation) < 0.9


def test_textbook_number_for_a_medium_effect() -> None:
    # Cohen: an effect of half a standard deviation at power 0.8 takes 64 in each group
    assert invocations_needed(1e-6, 2e-6, 0.8) == 64


@pytest.mark.parametrize("invocations", [5, 30, 100])
def test_the_smallest_visible_effect_is_seen_just_that_often(invocations: int) -> None:
    effect = smallest_visible(0.02, invocations, 0.8)
    assert power_of_ratio(effect, 0.02, invocations) == pytest.approx(0.8, rel=1e-9)


def test_nothing_is_visible_where_values_vary_more_than_they_are() -> None:
    assert smallest_visible(3.0, 3, 0.8) == float("inf")


@pytest.mark.parametrize(
    ("effect", "cov", "invocations", "correlation"),
    [
        (-1.0, 0.1, 10, None),
        (float("nan"), 0.1, 10, None),
        (0.1, 0.0, 10, None),
        (0.1, 0.1, 1, None),
        (0.1, 0.1, 9, 1.0),
    ],
)
def test_questions_without_an_answer_are_refused(
    effect: float, cov: float, invocations: int, correlation: float | None
) -> None:
    with pytest.raises(UsageError) as refused:
        power_of_ratio(effect, cov, invocations, paired_correlation=correlation)
    assert refused.value.slug == "bad-power"


def test_no_number_shows_what_is_not_there() -> None:
    with pytest.raises(UsageError, match="10,000,000"):
        invocations_needed(0.0, 0.02)


def test_powers_beyond_reach_are_refused() -> None:
    with pytest.raises(UsageError):
        invocations_needed(0.01, 0.02, 1.0)
    with pytest.raises(UsageError):
        smallest_visible(0.02, 10, 0.05)
    with pytest.raises(InputError):
        power_of_ratio(0.01, 0.02, 10, level=0.0)
