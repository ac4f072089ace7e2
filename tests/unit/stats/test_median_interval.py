"""The interval of the median lies between order statistics, and covers as often as it says."""

import numpy as np
import pytest
from scipy import stats

from sonde.stats.median_interval import median_interval, values_needed


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [8, 9, 30, 101])
def test_ends_lie_between_the_order_statistics_that_enclose_the_level(n: int, level: float) -> None:
    # Given the values 1 ... n, an end tells its own place.
    found = median_interval(np.arange(1.0, n + 1.0), level).interval
    assert found is not None

    outer, inner = int(np.floor(found.low)), int(np.floor(found.low)) + 1
    confidence = [1.0 - 2.0 * stats.binom.cdf(depth - 1, n, 0.5) for depth in (outer, inner)]

    assert confidence[0] >= level > confidence[1]
    assert found.low + found.high == pytest.approx(n + 1.0)


def test_exactly_the_level_needs_no_interpolation() -> None:
    level = 1.0 - 2.0 * stats.binom.cdf(2, 12, 0.5)  # of the third from either end

    found = median_interval(np.arange(1.0, 13.0), level).interval

    assert found is not None and (found.low, found.high) == pytest.approx((3.0, 10.0))


@pytest.mark.parametrize(("level", "needed"), [(0.5, 2), (0.9, 5), (0.95, 6), (0.99, 8), (0.999, 11)])
def test_it_is_withheld_where_even_all_values_enclose_too_little(level: float, needed: int) -> None:
    assert values_needed(level) == needed
    if needed > 2:
        short = median_interval(np.arange(float(needed - 1)), level)
        assert short.interval is None and f"{needed} are needed" in short.withheld
    assert median_interval(np.arange(float(needed)), level).interval is not None


@pytest.mark.parametrize(("values", "why"), [([2.5], "a single value"), ([0.1] * 9, "all 9 values are the same")])
def test_without_spread_the_median_has_no_interval(values: list[float], why: str) -> None:
    estimate = median_interval(values)

    assert estimate.interval is None and why in estimate.withheld


def test_ties_in_the_middle_are_no_certainty() -> None:
    estimate = median_interval([1.0] * 20 + [2.0, 0.5])

    assert estimate.interval is None and "too coarse" in estimate.withheld


@pytest.mark.parametrize("n", [7, 10, 30])
@pytest.mark.parametrize("shape", ["normal", "log-normal", "Cauchy"])
def test_it_covers_the_median_as_often_as_it_says(shape: str, n: int) -> None:
    # 2,000 experiments: three standard errors are 1.5 percentage points, beside the 1 that interpolation may be off.
    random = np.random.default_rng([n, len(shape)])
    values = {
        "normal": random.standard_normal((2000, n)),
        "log-normal": np.exp(random.standard_normal((2000, n))) - 1.0,
        "Cauchy": random.standard_cauchy((2000, n)),
    }[shape]

    intervals = [median_interval(sample).interval for sample in values]

    covered = np.mean([interval is not None and 0.0 in interval for interval in intervals])
    assert 0.925 <= covered <= 0.975
