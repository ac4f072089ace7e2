"""Patterns that return after the same number of iterations."""

import numpy as np
import pytest

from sonde.stats.periods import find_period


@pytest.mark.parametrize("period", [3, 7, 20, 50])
def test_the_period_of_a_pattern_is_found(period: int) -> None:
    draw = np.random.default_rng(period)
    values = (np.arange(400) % period < period // 2) + 0.05 * draw.standard_normal(400)
    assert find_period(values) == period


def test_noise_steps_and_slopes_have_no_period() -> None:
    draw = np.random.default_rng(1)
    found = [find_period(draw.standard_normal(100)) for _ in range(500)]
    assert sum(period is not None for period in found) <= 5
    assert find_period(np.where(np.arange(100) < 30, 2.0, 1.0)) is None
    assert find_period(np.arange(100.0)) is None
    assert find_period(np.ones(100)) is None
    assert find_period(np.ones(3)) is None
