"""Stopping when the interval is narrow: the plan's looks and decisions, and what its intervals cover."""

import numpy as np
import pytest
from scipy import stats

from sonde.base.errors import InputError, UsageError
from sonde.stats.stopping import StoppingPlan
from sonde.stats.stopping_coverage import coverage_at_stopping, level_to_ask


def half_widths(values: np.ndarray, looks: tuple[int, ...], level: float) -> tuple[np.ndarray, np.ndarray]:
    """Means and half-widths of SciPy's t interval at each look, for samples in rows."""
    means = np.stack([values[:, :look].mean(axis=1) for look in looks], axis=1)
    errors = np.stack([values[:, :look].std(axis=1, ddof=1) / np.sqrt(look) for look in looks], axis=1)
    return means, errors * stats.t.ppf(0.5 + level / 2, np.array(looks) - 1)


def covered_at_stopping(plan: StoppingPlan, variation: float, experiments: int, seed: int) -> tuple[float, float]:
    """Share of simulated experiments with a mean of 1 whose last interval contains it; invocations used."""
    values = np.random.default_rng(seed).normal(1.0, variation, (experiments, plan.maximum))
    means, widths = half_widths(values, plan.looks, plan.fixed_level)
    covered, used = 0, 0
    for mean, width in zip(means, widths, strict=True):
        for look, at, half in zip(plan.looks, mean, width, strict=True):
            if plan.decide(look, half / at).stop:
                break
        covered += abs(at - 1.0) <= half
        used += look
    return covered / experiments, used / experiments


def test_looks_grow_by_a_quarter_from_the_minimum_to_the_maximum() -> None:
    plan = StoppingPlan(10, 100)
    assert plan.looks == (10, 13, 17, 22, 28, 35, 44, 55, 69, 87, 100)
    assert StoppingPlan(2, 5).looks == (2, 3, 4, 5)
    assert StoppingPlan(7, 7).looks == (7,)


def test_a_plan_of_one_look_asks_for_its_own_level() -> None:
    assert StoppingPlan(30, 30, level=0.9).fixed_level == 0.9


def test_too_few_invocations_are_too_few_however_precise() -> None:
    decision = StoppingPlan(10, 100, 0.01).decide(9, 0.0001)
    assert (decision.stop, decision.why, decision.next_look) == (False, "too few", 10)


def test_one_stops_at_a_look_that_is_precise_enough() -> None:
    decision = StoppingPlan(10, 100, 0.01).decide(55, 0.0098)
    assert (decision.stop, decision.why, decision.expected_total) == (True, "precise enough", 55)


def test_between_looks_nothing_is_decided() -> None:
    plan = StoppingPlan(10, 100, 0.01)
    decision = plan.decide(56, 0.0001)
    assert (decision.stop, decision.why, decision.next_look) == (False, "go on", 69)


def test_the_first_look_is_strict() -> None:
    plan = StoppingPlan(10, 100, 0.01)
    assert not plan.decide(10, 0.0051).stop
    assert plan.decide(10, 0.0049).stop


def test_an_interval_that_is_withheld_is_not_precise() -> None:
    plan = StoppingPlan(10, 100, 0.01)
    assert plan.decide(10, None).why == "go on"
    assert plan.decide(10, None).expected_total == 100
    assert plan.decide(100, None).why == "budget"
    assert plan.decide(10, float("nan")).why == "go on"


@pytest.mark.parametrize(("half_width", "why"), [(0.0101, "budget"), (0.0099, "precise enough")])
def test_the_maximum_ends_it_and_says_whether_it_was_enough(half_width: float, why: str) -> None:
    decision = StoppingPlan(10, 100, 0.01).decide(100, half_width)
    assert (decision.stop, decision.why, decision.expected_total) == (True, why, 100)


def test_what_is_expected_is_where_the_interval_of_the_same_deviation_is_narrow_enough() -> None:
    plan = StoppingPlan(10, 1000, 0.01)
    for invocations in (5, 10, 28, 69, 100):
        for half_width in (0.003, 0.011, 0.02, 0.05, 0.3):
            decision = plan.decide(invocations, half_width)
            if decision.stop:
                continue
            deviation = half_width * np.sqrt(invocations) / stats.t.ppf(0.975, invocations - 1)
            narrow = [
                look
                for look in plan.looks
                if look > invocations
                and deviation * stats.t.ppf(0.975, look - 1) / np.sqrt(look) <= 0.01 * plan.narrowness(look)
            ]
            assert decision.expected_total == (narrow[0] if narrow else 1000), (invocations, half_width)


def test_before_there_is_a_half_width_the_minimum_is_expected() -> None:
    assert StoppingPlan(10, 100).decide(0, None).expected_total == 10


@pytest.mark.parametrize(
    ("minimum", "maximum", "precision", "named"),
    [(1, 10, 0.01, "'1'"), (10, 9, 0.01, "'9'"), (10, 20, 0.0, "'0.0'"), (10, 20, float("nan"), "'nan'")],
)
def test_plans_that_make_no_sense_are_refused(minimum: int, maximum: int, precision: float, named: str) -> None:
    with pytest.raises(UsageError) as refused:
        StoppingPlan(minimum, maximum, precision)
    assert refused.value.slug == "bad-stopping"
    assert named in refused.value.message


def test_a_level_of_one_is_refused() -> None:
    with pytest.raises(InputError):
        StoppingPlan(level=1.0)


@pytest.mark.parametrize("variation", [0.002, 0.014, 0.022, 0.05])
def test_the_interval_at_the_moment_of_stopping_covers_with_the_stated_level(variation: float) -> None:
    # given: from a precision that is reached at once to one that is never reached
    experiments = 2_000
    plan = StoppingPlan(10, 70, precision=0.01)
    # when
    covered, used = covered_at_stopping(plan, variation, experiments, seed=8)
    # then: within 3.5 standard errors of what quadrature says, which is within the promise
    needed = (stats.norm.ppf(0.5 + plan.fixed_level / 2) * variation / plan.precision) ** 2
    narrowness = [plan.narrowness(look) for look in plan.looks]
    narrowness[-1] = 1.0
    expected, expected_used = coverage_at_stopping(plan.looks, narrowness, plan.fixed_level, needed)
    assert 0.9495 <= expected <= 0.96
    assert abs(covered - expected) < 3.5 * np.sqrt(0.95 * 0.05 / experiments)
    assert used == pytest.approx(expected_used, rel=0.03)


def test_without_correction_looking_costs_coverage() -> None:
    looks = tuple(range(10, 200))
    covered, _ = coverage_at_stopping(looks, [1.0] * len(looks), 0.95, 20.0)
    assert covered == pytest.approx(0.9355, abs=0.001)  # 10,000 experiments: benches/bench_stopping.py


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("minimum", [2, 5, 10])
def test_coverage_is_never_below_the_level_and_the_level_asked_is_not_higher_than_it_takes(
    minimum: int, level: float
) -> None:
    plan = StoppingPlan(minimum, 40 * minimum, level=level)
    narrowness = [plan.narrowness(look) for look in plan.looks]
    covered = [
        coverage_at_stopping(plan.looks, narrowness, plan.fixed_level, needed)[0]
        for needed in minimum * np.geomspace(0.1, 30.0, 40)
    ]
    assert min(covered) == pytest.approx(level, abs=0.02 * (1.0 - level))
    if minimum >= 5:
        assert max(covered) <= plan.fixed_level + 1e-3


def test_the_default_level_asked_is_the_one_in_the_documentation() -> None:
    assert StoppingPlan().fixed_level == pytest.approx(0.957, abs=5e-4)
    assert StoppingPlan(30).fixed_level == pytest.approx(0.952, abs=5e-4)


def test_the_grid_of_sums_of_squares_agrees_with_experiments_on_sums_of_squares() -> None:
    # given: sums of squares of normal samples grow by chi-square variables, drawn here
    looks, narrowness, level, needed = (5, 7, 9, 12, 15, 19, 24, 30), [0.6, 0.8, 0.9, 1, 1, 1, 1, 1], 0.96, 11.0
    sizes = np.array(looks)
    rng = np.random.default_rng(5)
    squares = np.cumsum(rng.chisquare(np.diff(sizes, prepend=1), (40_000, len(looks))), axis=1)
    deviations = np.sqrt(squares / (sizes - 1))
    quantiles = stats.t.ppf(0.5 + level / 2, sizes - 1)
    # when
    half_width = stats.norm.ppf(0.5 + level / 2) / np.sqrt(needed)
    enough = quantiles * deviations / np.sqrt(sizes) <= np.array(narrowness) * half_width
    enough[:, -1] = True
    at = enough.argmax(axis=1)
    covers = 2 * stats.norm.cdf(quantiles[at] * deviations[np.arange(len(at)), at]) - 1
    # then
    covered, used = coverage_at_stopping(looks, narrowness, level, needed)
    assert covered == pytest.approx(covers.mean(), abs=4 * covers.std() / np.sqrt(len(covers)))
    assert used == pytest.approx(sizes[at].mean(), abs=4 * sizes[at].std() / np.sqrt(len(at)))


def test_with_one_look_the_level_asked_is_the_level() -> None:
    assert level_to_ask((25,), (1.0,), 0.95) == 0.95
    assert coverage_at_stopping((25,), (1.0,), 0.95, 30.0)[0] == pytest.approx(0.95, abs=1e-4)
