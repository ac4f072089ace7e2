"""A step in a level: its interval covers, and its test is as strict as it says."""

import numpy as np
import pytest
from scipy import stats

from sonde.stats import level_step


def test_it_is_student_s_test_of_logarithms() -> None:
    random = np.random.default_rng(1)
    before, after = random.lognormal(0.0, 0.1, 9), random.lognormal(0.1, 0.1, 5)
    ratio, test = level_step(before, after)
    found = stats.ttest_ind(np.log(after), np.log(before))
    ends = found.confidence_interval(0.95)
    assert ratio.interval is not None
    assert test.p_value == pytest.approx(found.pvalue)
    assert (ratio.interval.low, ratio.interval.high) == pytest.approx((np.exp(ends.low), np.exp(ends.high)))


@pytest.mark.parametrize("sizes", [(4, 1), (10, 3), (20, 20)])
def test_guarantee_the_interval_covers_and_the_test_is_level(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(2)
    covered = alarms = 0
    for _ in range(1000):
        before, after = random.lognormal(0.0, 0.2, sizes[0]), random.lognormal(np.log(1.2), 0.2, sizes[1])
        ratio, _ = level_step(before, after)
        covered += ratio.interval is not None and 1.2 in ratio.interval
        alarms += level_step(before, after / 1.2)[1].p_value < 0.05
    assert 930 <= covered <= 970  # 3 standard deviations
    assert 30 <= alarms <= 70


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [([1.0, 2.0, 3.0], [1.0], "too few"), ([1.0] * 5, [1.0], "do not vary"), ([0.0, 1, 2, 3], [1.0], "above 0")],
)
def test_what_says_nothing_is_withheld(before: list[float], after: list[float], why: str) -> None:
    ratio, test = level_step(before, after)
    assert why in ratio.withheld and why in test.withheld and ratio.interval is None
