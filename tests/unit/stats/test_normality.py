"""The test of normality is SciPy's."""

import warnings

import numpy as np
import pytest
from scipy import stats

from sonde.base.errors import InputError
from sonde.stats.normality import normality, normality_test


@pytest.mark.parametrize("n", [8, 12, 30, 300])
@pytest.mark.parametrize("shape", ["normal", "uniform", "lognormal"])
def test_it_agrees_with_scipy(shape: str, n: int) -> None:
    sample = getattr(np.random.default_rng(n), shape)(size=n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns that the test is rough below 20 values; so do we, in words
        expected = stats.normaltest(sample)

    found = normality_test(sample)

    assert found.statistic == pytest.approx(float(expected.statistic), rel=1e-9)
    assert found.p_value == pytest.approx(float(expected.pvalue), rel=1e-9)


def test_skewed_values_fail_and_normal_ones_do_not() -> None:
    random = np.random.default_rng(2)

    assert normality(random.lognormal(0.0, 1.0, 50)).holds is False
    assert sum(normality(sample).holds is False for sample in random.standard_normal((500, 30))) <= 25


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.3] * 12])
def test_too_few_or_constant_values_tell_nothing_of_shape(values: list[float]) -> None:
    assert normality(values).holds is None


def test_constant_values_do_not_speak_against_normality() -> None:
    assert normality_test([0.1] * 9).p_value == 1.0


def test_it_needs_eight_values() -> None:
    with pytest.raises(InputError, match="at least 8 values"):
        normality_test([1.0, 2.0])
