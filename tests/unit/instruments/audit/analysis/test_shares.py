"""Shares of answers, and how far they are apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.code import Function, plain_function
from sonde.evidence import weighted_overlap
from sonde.instruments.audit.analysis import (
    comparable_functions,
    shares_of,
    total_variation,
)
from sonde.instruments.audit.profile import AuditProfile

EVERY = np.array([True] * 4)
amounts = st.dictionaries(st.integers(0, 3), st.floats(0.001, 1e6), min_size=1)


@given(amounts, amounts, amounts)
def test_total_variation_is_a_distance(one: dict[int, float], two: dict[int, float], three: dict[int, float]) -> None:
    a, b, c = shares_of([one, two, three], EVERY)
    assert total_variation(a, b) == pytest.approx(total_variation(b, a))
    assert total_variation(a, a) == 0
    assert 0 <= total_variation(a, b) <= 1 + 1e-12
    assert total_variation(a, c) <= total_variation(a, b) + total_variation(b, c) + 1e-12


@given(amounts, amounts)
def test_total_variation_is_what_the_overlap_lacks(one: dict[int, float], two: dict[int, float]) -> None:
    a, b = shares_of([one, two], EVERY)
    assert weighted_overlap(a.tolist(), b.tolist()) == pytest.approx(1 - total_variation(a, b))


@given(amounts, st.floats(0.01, 100))
def test_shares_know_no_unit(one: dict[int, float], unit: float) -> None:
    a, b = shares_of([one, {number: each * unit for number, each in one.items()}], EVERY)
    assert total_variation(a, b) == pytest.approx(0, abs=1e-9)
    assert a.sum() == pytest.approx(1)


def test_runs_that_say_nothing_of_what_is_compared_are_left_out() -> None:
    assert shares_of([{3: 1.0}, {0: 1.0}], np.array([True, True, True, False])).tolist() == [[1, 0, 0, 0]]


def test_what_is_told_below_zero_counts_as_nothing() -> None:
    assert shares_of([{0: -1.0, 1: 2.0}], EVERY).tolist() == [[0, 1, 0, 0]]


def test_the_import_machinery_is_not_compared() -> None:
    names = [("main", "app.py"), ("_find_and_load", "<frozen importlib._bootstrap>")]
    functions = tuple(plain_function("python", name, file, 1) for name, file in names)
    assert comparable_functions(AuditProfile((), functions=functions)).tolist() == [True, False]
    assert isinstance(functions[0], Function)
