"""Intervals of what is computed of several runs' answers, by the bootstrap over runs."""

import math
from collections.abc import Callable

import numpy as np

from sonde.evidence import Interval
from sonde.instruments.audit.analysis.shares import Shares
from sonde.report import Estimated
from sonde.stats import student_quantile

_RESAMPLES = 400
"""Standard errors are within 4 % of what infinitely many would give (1 / sqrt(2 n))."""
_FEWEST = 3
"""Runs of each from which on there is an interval."""
_SEED = 20240919
LEVEL = 0.95


def estimated(statistic: Callable[[Shares, Shares], float], runs: Shares, dense: Shares) -> Estimated | None:
    """A figure of a profiler's answers and those of the dense sample, with its 95 % interval; None for too few runs.

    Args:
        statistic: of (n_runs, n_columns) answers and (m_runs, n_columns) dense samples.
    Cost: 400 times that of the statistic.
    Source: standard errors by the bootstrap, Efron 1979; Student's quantile and n / (n - 1) since runs are few.
    """
    n = min(len(runs), len(dense))
    if n < _FEWEST:
        return None
    value = statistic(runs, dense)
    random = np.random.default_rng(_SEED)
    found = []
    for _ in range(_RESAMPLES):
        first = random.integers(0, len(runs), len(runs))
        second = random.integers(0, len(dense), len(dense))
        found.append(statistic(runs[first], dense[second]))
    deviation = float(np.std(found)) * math.sqrt(n / (n - 1))
    margin = student_quantile(1 - (1 - LEVEL) / 2, n - 1) * deviation
    return Estimated(value, Interval(value - margin, value + margin, LEVEL))


def within(figure: Estimated | None, low: float, high: float) -> Estimated | None:
    """A figure that cannot lie outside of a range, with an interval that does not."""
    if figure is None:
        return None
    amount, lower, upper = (min(high, max(low, each)) for each in (figure.amount, figure.low, figure.high))
    return Estimated(amount, Interval(lower, upper, figure.interval.level))
