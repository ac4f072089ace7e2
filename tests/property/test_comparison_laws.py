"""Laws of comparisons: what may not matter does not, and intervals and tests say the same."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from example_counts import examples
from sonde.evidence import METHODS, Method
from sonde.stats.all_pairs import all_pairs
from sonde.stats.analysis_of_variance import one_way
from sonde.stats.difference_of_means import difference_of_means, means_test
from sonde.stats.equivalence import equivalence_test
from sonde.stats.false_discovery import adjusted
from sonde.stats.rank_sum import rank_sum_test
from sonde.stats.ratio_of_means import ratio_of_means, ratio_test

Values = npt.NDArray[np.float64]

# Times in ms, whole: what differs does so by more than rounding.
times = st.integers(5, 12).flatmap(lambda n: arrays(np.float64, n, elements=st.integers(50, 150).map(float)))


@st.composite
def two_of_one_size(draw: st.DrawFn) -> tuple[Values, Values]:
    """Two samples of which both vary."""
    size = draw(st.integers(5, 40))
    element = st.integers(50, 150).map(float)
    first, second = (draw(arrays(np.float64, size, elements=element)) for _ in range(2))
    assume(np.ptp(first) > 0.0 and np.ptp(second) > 0.0)
    return first, second


@examples(0.25)
@given(two_of_one_size(), st.booleans(), st.sampled_from(["auto", "fieller"]))
def test_swapping_samples_inverts_the_ratio(samples: tuple[Values, Values], paired: bool, method: str) -> None:
    assert method in ("auto", "fieller")
    one = ratio_of_means(*samples, paired=paired, method=method)  # type: ignore[arg-type]
    other = ratio_of_means(*samples[::-1], paired=paired, method=method)  # type: ignore[arg-type]

    assert one.value == pytest.approx(1.0 / other.value, rel=1e-12)
    assert (one.interval is None) == (other.interval is None)
    if one.interval is not None and other.interval is not None:
        assert one.interval.low == pytest.approx(1.0 / other.interval.high, rel=1e-7)
        assert one.interval.high == pytest.approx(1.0 / other.interval.low, rel=1e-7)


@examples(0.25)
@given(two_of_one_size(), st.booleans(), st.sampled_from([1e-9, 0.001, 7.0, 1e12]))
def test_units_do_not_matter(samples: tuple[Values, Values], paired: bool, unit: float) -> None:
    one = ratio_of_means(*samples, paired=paired)
    other = ratio_of_means(samples[0] * unit, samples[1] * unit, paired=paired)

    assert one.withheld == other.withheld
    if one.interval is not None and other.interval is not None:
        ends = (one.interval.low, one.interval.high)
        assert ends == pytest.approx((other.interval.low, other.interval.high), rel=1e-7)


@examples(0.25)
@given(two_of_one_size(), st.booleans(), st.sampled_from([0.5, 0.9, 0.95, 0.999]), st.floats(0.5, 2.0))
def test_a_ratio_is_in_the_interval_exactly_where_its_test_does_not_reject(
    samples: tuple[Values, Values], paired: bool, level: float, ratio: float
) -> None:
    interval = ratio_of_means(*samples, level, paired=paired).interval
    assume(interval is not None)
    assert interval is not None
    for candidate in (1.0, ratio, interval.low * (1 - 1e-6), interval.high * (1 + 1e-6), interval.low * (1 + 1e-6)):
        p_value = ratio_test(*samples, candidate, paired=paired).p_value
        assume(abs(p_value - (1.0 - level)) > 1e-9)
        assert (candidate in interval) == (p_value > 1.0 - level)


@examples(0.25)
@given(two_of_one_size(), st.booleans())
def test_one_sided_p_values_are_halves_of_the_two_sided(samples: tuple[Values, Values], paired: bool) -> None:
    less, greater, both = (
        ratio_test(*samples, alternative=side, paired=paired).p_value for side in ("less", "greater", "two-sided")
    )
    assume(not np.isnan(both))

    # Neither is below what permutations of so few allow: 1 of 2 ** 5 for the fewest rounds.
    assert 1.0 - 1e-9 <= less + greater <= 1.0 + 2.0**-5 + 1e-9
    assert both == pytest.approx(2.0 * min(less, greater))


@examples(0.25)
@given(two_of_one_size(), st.booleans())
def test_swapping_samples_negates_the_difference(samples: tuple[Values, Values], paired: bool) -> None:
    one, other = (difference_of_means(*pair, paired=paired) for pair in (samples, samples[::-1]))

    assert one.value == -other.value
    if one.interval is not None and other.interval is not None:
        assert one.interval.low == pytest.approx(-other.interval.high, rel=1e-12)
        test = means_test(*samples, paired=paired)
        assert (0.0 in one.interval) == (test.p_value > 0.05)


@examples(0.25)
@given(two_of_one_size())
def test_the_order_of_pairs_does_not_matter_to_their_difference(samples: tuple[Values, Values]) -> None:
    order = np.random.default_rng(len(samples[0])).permutation(len(samples[0]))
    one = difference_of_means(*samples, paired=True)
    other = difference_of_means(samples[0][order], samples[1][order], paired=True)

    assert one.value == pytest.approx(other.value, abs=1e-12)
    if one.interval is not None and other.interval is not None:
        assert one.interval.half_width == pytest.approx(other.interval.half_width, rel=1e-9)


@examples(0.25)
@given(two_of_one_size())
def test_what_all_values_of_a_round_share_does_not_matter_to_pairs(samples: tuple[Values, Values]) -> None:
    shared = np.linspace(0.0, 100.0, len(samples[0]))
    one = difference_of_means(*samples, paired=True)
    other = difference_of_means(samples[0] + shared, samples[1] + shared, paired=True)

    assert one.value == pytest.approx(other.value, abs=1e-9)
    if one.interval is not None and other.interval is not None:
        assert one.interval.half_width == pytest.approx(other.interval.half_width, rel=1e-6, abs=1e-9)


@examples(0.25)
@given(two_of_one_size(), st.floats(0.001, 0.5))
def test_equivalence_does_not_depend_on_which_is_first(samples: tuple[Values, Values], margin: float) -> None:
    one, other = equivalence_test(*samples, margin), equivalence_test(*samples[::-1], margin)

    assert one.p_value == pytest.approx(other.p_value, rel=1e-6, nan_ok=True)


@given(times, times)
def test_the_rank_sum_test_sees_order_only(first: Values, second: Values) -> None:
    one, other = rank_sum_test(first, second), rank_sum_test(np.exp(first / 50.0), np.exp(second / 50.0))
    swapped = rank_sum_test(second, first)

    assert (one.statistic, one.p_value) == (other.statistic, other.p_value)
    assert swapped.statistic == len(first) * len(second) - one.statistic
    assert swapped.p_value == pytest.approx(one.p_value, rel=1e-12)


@given(st.lists(st.floats(0.0, 1.0), max_size=30), st.sampled_from(METHODS))
def test_ranks_are_kept(p_values: list[float], method: Method) -> None:
    found = adjusted(p_values, method)

    assert np.all(found >= np.array(p_values) * (1 - 1e-15)) and np.all(found <= 1.0)
    order = np.argsort(p_values, kind="stable")
    assert np.all(np.diff(found[order]) >= 0.0)


@examples(0.25)
@given(two_of_one_size())
def test_two_groups_are_students_test_however_they_are_asked_about(samples: tuple[Values, Values]) -> None:
    test = means_test(*samples, equal_variances=True)
    [pair] = all_pairs({"a": samples[1], "b": samples[0]})
    row = one_way(samples).row("groups")

    assert pair.p_value == pytest.approx(test.p_value, rel=1e-8, abs=1e-14)
    assert row.p_value == pytest.approx(test.p_value, rel=1e-8, abs=1e-14)
    assert row.f == pytest.approx(test.statistic**2, rel=1e-8, abs=1e-12)
