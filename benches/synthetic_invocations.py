"""Invocations whose truth is known: what JIT compilers, collectors and machines do to a row of iterations."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Draw = np.random.Generator


@dataclass(frozen=True)
class Scenario:
    """A way in which invocations go."""

    name: str
    kind: str
    """What is true."""
    curve: Callable[[Draw, int, float], tuple[Values, int]]
    """Given n and the noise, as a share: levels of all iterations (1 where steady), and index of the first steady."""


def noise(draw: Draw, n: int, share: float, shape: str) -> Values:
    """Mean 0 and standard deviation `share` without outliers: normal, skewed, with outliers, autocorrelated (0.3)."""
    if shape == "skewed":
        return share * (draw.exponential(size=n) - 1.0)
    values: Values = draw.standard_normal(n)
    if shape == "autocorrelated":
        values *= np.sqrt(1.0 - 0.3**2)
        for index in range(1, n):
            values[index] += 0.3 * values[index - 1]
    values *= share
    if shape == "with outliers":
        values += (draw.random(n) < 0.02) * draw.uniform(10 * share, 2.0, n)
    return values


SHAPES = ("normal", "skewed", "with outliers", "autocorrelated")


def _between(draw: Draw, low: float, high: float) -> float:
    return float(np.exp(draw.uniform(np.log(low), np.log(high))))


def _flat(_: Draw, n: int, __: float) -> tuple[Values, int]:
    return np.ones(n), 0


def _collections(draw: Draw, n: int, _: float) -> tuple[Values, int]:
    every = int(draw.integers(3, 12))
    return 1.0 + _between(draw, 0.05, 0.5) * (np.arange(n) % every == every - 1), 0


def _blocks(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    every = int(draw.integers(n // 20, n // 10 + 1))
    slow = np.arange(n) % every < every // 3
    return np.where(slow, 1.05 + 4 * share, 1.0), 0


def _decay(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    height, pace = _between(draw, 0.3, 5.0), n * _between(draw, 0.01, 0.08)
    levels: Values = 1.0 + height * np.exp(-np.arange(n) / pace)
    return levels, int(np.argmax(levels < 1.0 + max(0.01, 0.5 * share)))


def _step(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    at = int(draw.integers(max(4, n // 50), n // 2))
    return np.where(np.arange(n) < at, 1.0 + max(_between(draw, 0.04, 2.0), 2 * share), 1.0), at


def _tiers(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    first = int(draw.integers(max(4, n // 50), n // 5))
    second = first + int(draw.integers(max(5, n // 50), n // 3))
    low = max(_between(draw, 0.05, 0.5), 3 * share)
    levels = np.where(np.arange(n) < first, 1.0 + 3 * low, np.where(np.arange(n) < second, 1.0 + low, 1.0))
    return levels, second


def _first(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    count = int(draw.integers(1, 4))
    return np.where(np.arange(n) < count, 1.0 + max(_between(draw, 0.3, 10.0), 10 * share), 1.0), count


def _slower(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    at = int(draw.integers(n // 8, 6 * n // 10))
    return np.where(np.arange(n) < at, 1.0 / (1.0 + max(_between(draw, 0.04, 0.5), 2 * share)), 1.0), at


def _warm_then_slower(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    levels, at = _slower(draw, n, share)
    warm = max(3, n // 20)
    levels[:warm] = 1.5 + 5 * share
    return levels, max(at, warm)


def _drift(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    total = max(_between(draw, 0.05, 0.5), 3 * share) * draw.choice([-1.0, 1.0])
    return 1.0 + total * (np.arange(n) / n - 0.5), n


def _late(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    at = n - int(draw.integers(max(5, n // 12), n // 6))
    return np.where(np.arange(n) < at, 1.0, 1.0 + max(0.05, 3 * share) * draw.choice([-1.0, 1.0])), n


def _wandering(draw: Draw, n: int, share: float) -> tuple[Values, int]:
    lengths = draw.integers(n // 15, n // 6, 20).cumsum()
    heights = (1.0 + (0.05 + 4 * share) * np.arange(5))[draw.permutation(np.arange(25) % 5)]
    levels = heights[np.searchsorted(lengths, np.arange(n), side="right")]
    tail = n // 6  # whatever was drawn, something changes near the end
    levels[-tail:] = levels[-tail - 1] + 0.1 + 6 * share
    return levels, n


SCENARIOS = (
    Scenario("flat", "flat", _flat),
    Scenario("a collection every few iterations", "flat", _collections),
    Scenario("blocks that return", "flat", _blocks),
    Scenario("exponential decay", "warm-up", _decay),
    Scenario("one step down", "warm-up", _step),
    Scenario("two tiers", "warm-up", _tiers),
    Scenario("the first 1 to 3", "warm-up", _first),
    Scenario("one step up", "slow-down", _slower),
    Scenario("warm-up, then a step up", "slow-down", _warm_then_slower),
    Scenario("linear drift", "no steady state", _drift),
    Scenario("a late step", "no steady state", _late),
    Scenario("wandering levels", "no steady state", _wandering),
)
