"""How much of an answer follows calls, or callers: known mixtures, and what cannot be told apart."""

import numpy as np
import numpy.typing as npt
import pytest

from sonde.instruments.audit.analysis import biases

TIME = np.array([[0.6, 0.3, 0.1, 0.0]] * 8)
CALLERS = np.array([[0.0, 0.6, 0.3, 0.1]] * 8)
CALLS = np.array([0.0, 0.01, 0.09, 0.9])


def mixed(calls: float, callers: float) -> npt.NDArray[np.float64]:
    """An answer of which so much is calls, and so much the callers' time."""
    return np.asarray(TIME + calls * (CALLS - TIME) + callers * (CALLERS - TIME))


@pytest.mark.parametrize(("calls", "callers"), [(0, 0), (1, 0), (0, 1), (0.3, 0), (0, 0.25), (0.4, 0.2)])
def test_a_mixture_is_taken_apart(calls: float, callers: float) -> None:
    found = biases(mixed(calls, callers), TIME, CALLERS, CALLS)
    assert found.calls is not None and found.callers is not None
    assert found.calls.amount == pytest.approx(calls, abs=1e-9)
    assert found.callers.amount == pytest.approx(callers, abs=1e-9)


def test_the_interval_has_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    truth, held = mixed(0.3, 0.0)[0], 0
    for _ in range(60):
        answers = random.multinomial(500, truth, 8) / 500
        dense = random.multinomial(2000, TIME[0], 8) / 2000
        charged = dense[:, [3, 0, 1, 2]]  # each function is called by the next one
        found = biases(answers, dense, charged, CALLS).calls
        assert found is not None
        held += found.low <= 0.3 <= found.high
    assert held >= 50  # of 60; 57 are expected


def test_calls_that_are_as_many_as_the_time_tell_nothing() -> None:
    found = biases(mixed(0, 0.5), TIME, CALLERS, TIME[0])
    assert found.calls is None
    assert found.callers is not None and found.callers.amount == pytest.approx(0.5)


def test_counts_of_calls_that_look_like_callers_are_not_told_from_them() -> None:
    found = biases(mixed(0, 0.5), TIME, CALLERS, CALLERS[0])
    assert (found.calls, found.callers) == (None, None)


def test_without_counts_callers_are_known() -> None:
    found = biases(mixed(0, 0.5), TIME, CALLERS, None)
    assert (found.calls, found.correlation) == (None, None)
    assert found.callers is not None and found.callers.amount == pytest.approx(0.5)


def test_few_runs_have_no_interval() -> None:
    assert biases(mixed(1, 0)[:2], TIME[:2], CALLERS[:2], CALLS).calls is None


def test_the_correlation_is_with_what_is_added() -> None:
    found = biases(mixed(1, 0), TIME, CALLERS, CALLS)
    expected = np.corrcoef(CALLS - TIME[0], CALLS)[0, 1]
    assert found.correlation == pytest.approx(expected)
