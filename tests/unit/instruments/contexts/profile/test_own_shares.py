"""Shares of own time by function."""

import pytest

from sonde.code import Function
from sonde.instruments.contexts.profile.comparison.own_shares import mean_shares, normalized, vectors

A, B, C = (Function(name, "app", "app.py", 1) for name in "abc")
X, Y = normalized({A: 5, B: 0, C: 2}), normalized({A: 30, B: 4, C: 0})


def test_functions_stand_at_the_same_place_in_each_vector() -> None:
    assert vectors([X, Y]) == [pytest.approx([5 / 7, 2 / 7, 0]), pytest.approx([30 / 34, 0, 4 / 34])]
    assert vectors([]) == []


def test_each_run_has_the_same_weight_in_the_mean() -> None:
    assert mean_shares([normalized({A: 1}), normalized({A: 300, B: 100})]) == pytest.approx({A: 0.875, B: 0.125})
    assert mean_shares([]) == {}
