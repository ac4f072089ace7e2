"""Laws of variance components, designs, plans and power: units, order, monotony."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from example_counts import examples
from sonde.stats.experiment_design import cheapest_design, expected_half_width
from sonde.stats.power import power_of_ratio, smallest_visible
from sonde.stats.stopping import StoppingPlan
from sonde.stats.variance_components import split_variance

values = st.integers(-1000, 1000).map(lambda number: number / 8.0)  # sums of these are exact
invocations = st.lists(st.lists(values, min_size=1, max_size=8), min_size=1, max_size=8)
plans = st.builds(
    StoppingPlan, st.integers(2, 40), st.integers(40, 400), st.floats(1e-4, 0.2), st.sampled_from([0.9, 0.95, 0.99])
)


@given(invocations, st.sampled_from([0.5, -2.0, 1024.0]), values)
@examples(0.6)
def test_units_and_origin_change_variances_as_they_should(data: list[list[float]], unit: float, origin: float) -> None:
    one = split_variance(data)
    other = split_variance([[value * unit + origin for value in row] for row in data])
    near = 1e-6 * unit**2
    assert other.mean == pytest.approx(one.mean * unit + origin, rel=1e-9, abs=1e-9)
    assert other.between.value == pytest.approx(one.between.value * unit**2, rel=1e-6, abs=near, nan_ok=True)
    assert (other.within_variance is None) == (one.within_variance is None)
    if one.within_variance is not None and other.within_variance is not None:
        assert other.within_variance == pytest.approx(one.within_variance * unit**2, rel=1e-6, abs=near)


@given(invocations.flatmap(lambda data: st.tuples(st.just(data), st.permutations(data))))
@examples(0.6)
def test_the_order_of_invocations_changes_nothing(both: tuple[list[list[float]], list[list[float]]]) -> None:
    one, other = map(split_variance, both)
    assert other.between.value == pytest.approx(one.between.value, rel=1e-6, abs=1e-6, nan_ok=True)
    assert (other.standard_error or 0.0) == pytest.approx(one.standard_error or 0.0, rel=1e-6, abs=1e-6)


@given(invocations)
@examples(0.6)
def test_what_is_said_of_variance_is_in_range(data: list[list[float]]) -> None:
    split = split_variance(data, assume_normal=True)
    correlation = split.intraclass_correlation
    assert correlation is None or 0.0 <= correlation <= 1.0
    assert not split.between.value < 0.0
    if split.between.interval is not None:
        assert split.between.interval.low >= 0.0
    if split.is_truncated:
        assert split.between.value == 0.0


@given(
    st.lists(st.lists(st.floats(0.9, 1.1), min_size=2, max_size=5), min_size=2, max_size=6),
    st.floats(0.0, 10.0),
    st.floats(0.01, 10.0),
    st.integers(2, 60),
    st.integers(1, 60),
)
def test_no_other_pair_reaches_the_precision_at_less_cost(
    data: list[list[float]], start_s: float, iteration_s: float, other: int, each: int
) -> None:
    split = split_variance(data)
    design = cheapest_design(
        split, invocation_cost_s=start_s, iteration_cost_s=iteration_s, precision=0.02, least_invocations=2
    )
    assert expected_half_width(split, design.invocations, design.iterations) <= 0.02 * (1 + 1e-9)
    if expected_half_width(split, other, each) <= 0.02:
        assert design.cost_s <= other * (start_s + each * iteration_s) * (1 + 1e-9)


@given(plans, st.integers(0, 450), st.none() | st.floats(0.0, 1.0))
def test_decisions_fit_together(plan: StoppingPlan, number: int, half_width: float | None) -> None:
    decision = plan.decide(number, half_width)
    assert decision.stop == (decision.why in ("precise enough", "budget"))
    if decision.stop:
        assert number >= plan.maximum or number in plan.looks
        assert decision.next_look == decision.expected_total == number
    else:
        assert number < decision.next_look <= decision.expected_total <= plan.maximum
        assert decision.next_look in plan.looks and decision.expected_total in plan.looks
        assert (decision.why == "too few") == (number < plan.minimum)


@given(plans)
@examples(0.6)
def test_looks_ascend_and_demands_relax(plan: StoppingPlan) -> None:
    looks = plan.looks
    assert looks[0] == plan.minimum and looks[-1] == plan.maximum
    assert all(low < high <= max(low + 1, 1.25 * low + 1) for low, high in pairwise(looks))
    demands = [plan.narrowness(look) for look in looks]
    assert demands == sorted(demands) and demands[0] > 0.0 and demands[-1] <= 1.0


@given(st.floats(0.0, 0.3), st.floats(0.001, 0.3), st.integers(2, 300), st.sampled_from([None, 0.0, 0.6]))
@examples(0.6)
def test_more_invocations_less_noise_or_a_larger_effect_are_seen_no_less_often(
    effect: float, cov: float, number: int, correlation: float | None
) -> None:
    def seen(effect: float, cov: float, number: int) -> float:
        return power_of_ratio(effect, cov, number, paired_correlation=correlation)

    power = seen(effect, cov, number)
    rounding = 1e-9
    assert 0.05 - rounding <= power <= 1.0
    assert seen(effect, cov, number + 1) >= power - rounding
    assert seen(effect, cov * 0.9, number) >= power - rounding
    assert seen(effect + 0.001, cov, number) >= power - rounding


@given(st.floats(0.001, 0.2), st.integers(3, 300), st.floats(0.2, 0.99))
@examples(0.6)
def test_the_smallest_visible_effect_has_the_power_asked_for(cov: float, number: int, power: float) -> None:
    effect = smallest_visible(cov, number, power)
    assume(np.isfinite(effect))
    assert power_of_ratio(effect, cov, number) == pytest.approx(power, rel=1e-6)
