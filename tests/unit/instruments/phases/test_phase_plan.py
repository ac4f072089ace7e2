"""What thresholds would select, cost and cover."""

import pytest

from made_phases import timed_tree
from sonde.instruments.phases.analysis import cheapest_within, plan_phases

TREE = timed_tree(
    ["main", "parse", "item", "write"],
    [(-1, "main", 1, 100), (0, "parse", 2, 300), (1, "item", 1000, 500), (0, "write", 1, 100)],
)


def test_the_cost_is_that_of_the_calls_and_the_share_of_calls_is_the_documents_estimate() -> None:
    (plan,) = plan_phases(TREE, 0.5, 0.25, (0.1,), (0.05,), always=4)
    assert (plan.phases, plan.calls) == (3, 4)
    assert plan.share_of_calls == pytest.approx(4 / 1004)
    assert plan.cost == pytest.approx(((4 + 4) * 0.5 + 1004 * 0.25) / 1000)


def test_what_is_covered_without_the_program_as_a_whole_is_told_beside_it() -> None:
    (plan,) = plan_phases(TREE, 1.0, 0.0, (0.1,), (0.2,))
    assert (plan.phases, plan.coverage, plan.resolved) == (2, 1.0, 0.8)


def test_the_cheapest_pair_resolves_most_within_the_cost() -> None:
    plans = plan_phases(TREE, 1.0, 0.001)
    best = cheapest_within(plans, 0.02)
    assert best is not None
    assert best.resolved == pytest.approx(0.9)
    assert best.cost <= 0.02
    assert cheapest_within(plans, 0.0) is None


def test_a_program_of_no_time_has_plans_of_nothing() -> None:
    (plan,) = plan_phases(timed_tree([], []), 1.0, 0.0, (0.1,), (0.1,))
    assert (plan.phases, plan.calls, plan.cost, plan.coverage) == (0, 0, 0.0, 0.0)
