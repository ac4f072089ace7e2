"""How much profiles have in common: the worked examples of the document that the metrics are from."""

import pytest

from sonde.code import Function
from sonde.instruments.contexts.profile.comparison.own_shares import (
    mean_shares,
    normalized,
    stability,
    unweighted_overlap,
    weighted_overlap,
)

A, B, C = (Function(name, "app", "app.py", 1) for name in "abc")
X, Y = normalized({A: 5, B: 0, C: 2}), normalized({A: 30, B: 4, C: 0})


def test_a_third_of_the_methods_is_in_both() -> None:
    assert unweighted_overlap(X, Y) == pytest.approx(1 / 3)
    assert unweighted_overlap(X, Y, 1) == 1.0
    assert unweighted_overlap({}, {}) == 1.0


def test_the_lesser_shares_add_up_to_071() -> None:
    assert weighted_overlap(X, Y) == weighted_overlap(Y, X) == pytest.approx(5 / 7)
    assert weighted_overlap(X, X) == pytest.approx(1.0)
    assert weighted_overlap(X, {}) == 0.0


def test_three_runs_are_as_stable_as_each_two_are_alike() -> None:
    # The document rounds each of the three before it adds them: (0.83 + 0.9 + 0.8) / 3.
    runs = [normalized(each) for each in ({A: 5, B: 1, C: 4}, {A: 6, B: 0, C: 3}, {A: 5, B: 2, C: 3})]
    assert weighted_overlap(runs[0], runs[1]) == pytest.approx(5 / 6)
    assert weighted_overlap(runs[0], runs[2]) == pytest.approx(0.9)
    assert weighted_overlap(runs[1], runs[2]) == pytest.approx(0.8)
    assert stability(runs) == pytest.approx(0.84, abs=0.005)
    assert stability(runs[:1]) is None


def test_each_run_has_the_same_weight_in_the_mean() -> None:
    assert mean_shares([normalized({A: 1}), normalized({A: 300, B: 100})]) == pytest.approx({A: 0.875, B: 0.125})
    assert mean_shares([]) == {}
