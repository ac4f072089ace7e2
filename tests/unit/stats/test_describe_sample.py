"""Descriptions of a sample agree with NumPy and SciPy."""

import numpy as np
import pytest
from scipy import stats

from sonde.base.errors import InputError
from sonde.stats import describe
from sonde.stats.samples import Sample

RANDOM = np.random.default_rng(5)
SAMPLES = [RANDOM.normal(10.0, 0.01, 30), RANDOM.lognormal(0.0, 1.0, 31), RANDOM.exponential(1.0, 1000), np.arange(4.0)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_moments_and_quantiles_agree_with_numpy_and_scipy(sample: Sample) -> None:
    near = pytest.approx

    assert describe.mean(sample) == near(np.mean(sample), rel=1e-12)
    assert describe.standard_deviation(sample) == near(np.std(sample, ddof=1), rel=1e-9)
    assert describe.coefficient_of_variation(sample) == near(stats.variation(sample, ddof=1), rel=1e-9)
    assert describe.skewness(sample) == near(stats.skew(sample), rel=1e-9, abs=1e-12)
    assert describe.excess_kurtosis(sample) == near(stats.kurtosis(sample), rel=1e-9)
    assert describe.median(sample) == np.median(sample)
    assert [describe.quantile(sample, p) for p in (0.0, 0.1, 1.0)] == list(np.quantile(sample, (0.0, 0.1, 1.0)))


def test_digits_far_behind_the_point_are_not_lost() -> None:
    # A clock that counts from the epoch, in nanoseconds: the variance is 17 digits below the squares.
    sample = 1.7e9 + np.array([4.0, 7.0, 13.0, 16.0]) * 2.0**-22

    assert describe.standard_deviation(sample) == pytest.approx(np.sqrt(30.0) * 2.0**-22, rel=1e-9)


def test_constant_values_have_no_spread_and_no_shape() -> None:
    sample = [0.1] * 7

    assert (describe.standard_deviation(sample), describe.coefficient_of_variation(sample)) == (0.0, 0.0)
    assert describe.mean(sample) == 0.1
    assert describe.skewness(sample) is None and describe.excess_kurtosis(sample) is None


def test_nothing_is_a_share_of_a_mean_of_zero() -> None:
    assert describe.coefficient_of_variation([-1.0, 1.0]) is None


def test_one_value_has_no_standard_deviation() -> None:
    with pytest.raises(InputError, match="at least 2"):
        describe.standard_deviation([1.0])


def test_quantiles_are_of_shares() -> None:
    with pytest.raises(InputError, match=r"'1\.5'"):
        describe.quantile([1.0, 2.0], 1.5)
