"""The cheapest experiment, against all others."""

import numpy as np
import pytest
from scipy import stats

from sonde.base.errors import InputError, UsageError
from sonde.stats.experiment_design import cheapest_design, expected_half_width
from sonde.stats.variance_components import VarianceSplit, split_variance


def split_of(between: float, within: float, mean: float = 1.0) -> VarianceSplit:
    """Data with exactly these variances."""
    half = np.sqrt(within / 2.0)
    distance = np.sqrt(2.0 * (between + within / 2.0)) / 2.0
    return split_variance([[mean + side * distance - half, mean + side * distance + half] for side in (-1.0, 1.0)])


def brute_force(
    split: VarianceSplit, start_s: float, iteration_s: float, precision: float, least: int
) -> tuple[float, int, int]:
    """Least cost, by trying all pairs of up to 400; of equally cheap ones that with most invocations."""
    invocations, iterations = np.arange(least, 400)[:, None], np.arange(1, 400)[None, :]
    variance = split.between.value + (split.within_variance or 0.0) / iterations
    half_widths = stats.t.ppf(0.975, invocations - 1) * np.sqrt(variance / invocations)
    costs = invocations * (start_s + iterations * iteration_s)
    costs = np.where(half_widths <= precision * abs(split.mean) * (1 + 1e-9), costs, np.inf)
    row, column = np.argwhere(costs <= costs.min() * (1 + 1e-12))[-1]
    return float(costs.min()), int(invocations[row, 0]), int(iterations[0, column])


def test_the_split_made_for_these_tests_has_the_variances_asked_for() -> None:
    split = split_of(0.3, 0.2)
    assert split.between.value == pytest.approx(0.3) and split.within_variance == pytest.approx(0.2)


@pytest.mark.parametrize("between", [0.0, 1e-5, 4e-4, 2e-3])
@pytest.mark.parametrize("within", [1e-4, 4e-3])
@pytest.mark.parametrize(("start_s", "iteration_s"), [(1.0, 0.1), (0.02, 0.5), (30.0, 0.01)])
def test_no_other_design_is_cheaper(between: float, within: float, start_s: float, iteration_s: float) -> None:
    split = split_of(between, within)
    design = cheapest_design(
        split, invocation_cost_s=start_s / 4, warm_up_cost_s=start_s * 3 / 4, iteration_cost_s=iteration_s
    )
    cost, invocations, iterations = brute_force(split, start_s, iteration_s, 0.01, 10)
    assert design.cost_s == pytest.approx(cost, rel=1e-9)
    assert (design.invocations, design.iterations) == (invocations, iterations)
    assert design.half_width_relative <= 0.01 * (1 + 1e-9)


def test_many_invocations_bring_it_to_the_square_root_of_kalibera_and_jones() -> None:
    split = split_of(1e-2, 4e-2)  # a precision that takes thousands of invocations: whole numbers hardly matter
    design = cheapest_design(split, invocation_cost_s=2.5, iteration_cost_s=0.1, precision=0.002)
    assert design.iterations == 10  # sqrt(2.5 / 0.1 * 4)


def test_invocations_that_do_not_differ_leave_it_at_the_least_number() -> None:
    design = cheapest_design(split_of(0.0, 1e-2), invocation_cost_s=50.0, iteration_cost_s=0.1, least_invocations=5)
    assert design.invocations == 5
    assert expected_half_width(split_of(0.0, 1e-2), 5, design.iterations - 1) > 0.01


def test_iterations_that_do_not_differ_are_measured_once() -> None:
    design = cheapest_design(split_of(1e-3, 0.0), invocation_cost_s=1.0, iteration_cost_s=0.1)
    assert design.iterations == 1


def test_start_up_measurements_have_one_iteration() -> None:
    split = split_variance([[1.0], [1.02], [0.98], [1.01]])
    design = cheapest_design(split, invocation_cost_s=0.0, iteration_cost_s=1.0)
    assert design.iterations == 1
    assert design.half_width_relative == pytest.approx(
        stats.t.ppf(0.975, design.invocations - 1)
        * np.std([1.0, 1.02, 0.98, 1.01], ddof=1)
        / np.sqrt(design.invocations)
        / 1.0025
    )


def test_the_expected_half_width_is_what_experiments_have() -> None:
    rng = np.random.default_rng(7)
    split = split_of(4e-4, 9e-4)
    means = 1.0 + rng.normal(0.0, np.sqrt(4e-4 + 9e-4 / 6), (4_000, 12))
    widths = stats.t.ppf(0.975, 11) * means.std(axis=1, ddof=1) / np.sqrt(12)
    assert np.sqrt((widths**2).mean()) == pytest.approx(expected_half_width(split, 12, 6), rel=0.02)


def test_the_design_can_be_read() -> None:
    design = cheapest_design(split_of(0.0, 1e-6), invocation_cost_s=1.0, iteration_cost_s=0.1, precision=0.05)
    assert str(design) == "10 invocations of 1 iteration, 11 s: ±0.07% at level 0.95 to be expected"
    assert "0.00% between invocations and 0.10% within" in design.reason


@pytest.mark.parametrize("cost", [-1.0, float("inf"), float("nan")])
def test_costs_that_are_none_are_refused(cost: float) -> None:
    with pytest.raises(UsageError) as refused:
        cheapest_design(split_of(1e-3, 1e-3), invocation_cost_s=cost, iteration_cost_s=0.1)
    assert refused.value.slug == "bad-design"


def test_free_iterations_are_refused() -> None:
    with pytest.raises(UsageError, match="no number is too many"):
        cheapest_design(split_of(1e-3, 1e-3), invocation_cost_s=1.0, iteration_cost_s=0.0)


def test_a_precision_of_zero_is_refused() -> None:
    with pytest.raises(UsageError):
        cheapest_design(split_of(1e-3, 1e-3), invocation_cost_s=1.0, iteration_cost_s=0.1, precision=0.0)


def test_what_a_million_invocations_do_not_reach_is_said() -> None:
    with pytest.raises(InputError, match="a million invocations"):
        cheapest_design(split_of(1.0, 1.0), invocation_cost_s=1.0, iteration_cost_s=0.1, precision=1e-4)


def test_one_invocation_is_no_pilot() -> None:
    with pytest.raises(InputError) as refused:
        cheapest_design(split_variance([[1.0, 2.0]]), invocation_cost_s=1.0, iteration_cost_s=0.1)
    assert refused.value.slug == "bad-design"


def test_a_share_of_a_mean_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="the mean is '0'"):
        expected_half_width(split_variance([[-1.0, 1.0], [1.0, -1.0]]), 10, 10)


def test_a_single_invocation_has_no_half_width() -> None:
    with pytest.raises(UsageError):
        expected_half_width(split_of(1e-3, 1e-3), 1, 10)
