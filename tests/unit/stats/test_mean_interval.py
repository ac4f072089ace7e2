"""The textbook's interval agrees with SciPy and with the textbook."""

import numpy as np
import pytest
from scipy import stats

from sonde.evidence import Interval
from sonde.stats.mean_interval import Critical, mean_interval

SLEEP = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
"""R's `sleep`, first group: t.test says 95 percent confidence interval -0.5297804 2.0297804."""


def interval_of(values: object, level: float = 0.95, critical: Critical = "georges") -> Interval:
    found = mean_interval(np.asarray(values, dtype=float), level, critical).interval
    assert found is not None
    return found


def test_the_published_interval_of_r_is_found() -> None:
    found = interval_of(SLEEP)

    assert (round(found.low, 7), round(found.high, 7)) == (-0.5297804, 2.0297804)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("n", [2, 5, 29, 30, 500])
def test_both_quantiles_agree_with_scipy(n: int, level: float) -> None:
    sample = np.random.default_rng(n).normal(3.0, 0.2, n)
    centre, error = sample.mean(), stats.sem(sample)

    by_t, by_z = interval_of(sample, level, "student"), interval_of(sample, level, "normal")

    assert (by_t.low, by_t.high) == pytest.approx(stats.t.interval(level, n - 1, centre, error), rel=1e-9)
    assert (by_z.low, by_z.high) == pytest.approx(stats.norm.interval(level, centre, error), rel=1e-9)


def test_georges_takes_the_normal_quantile_from_30_values_on() -> None:
    sample = np.random.default_rng(1).normal(size=30)

    assert mean_interval(sample[:29]).method == "Student t, 28 degrees of freedom"
    assert mean_interval(sample).method == "normal quantile"
    assert interval_of(sample) == interval_of(sample, critical="normal")
    assert interval_of(sample[:29]) == interval_of(sample[:29], critical="student")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([2.5], "a single value"),
        ([0.1] * 9, "all 9 values are the same"),
        ([1e-300, 2e-300, 3e-300], "no more than rounding does"),
    ],
)
def test_without_spread_there_is_no_interval(values: list[float], why: str) -> None:
    estimate = mean_interval(values)

    assert estimate.interval is None and why in estimate.withheld and estimate.value == np.median(values)
