"""The cheapest experiment that is precise enough: how many invocations, how many iterations in each."""

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np
from scipy import special

from sonde.base.errors import InputError, UsageError
from sonde.stats.distributions import student_quantile
from sonde.stats.samples import checked_level
from sonde.stats.variance_components import VarianceSplit

LEAST_INVOCATIONS = 10
"""With fewer, what an interval takes for granted can neither be checked nor counted on."""

MOST_INVOCATIONS = 1_000_000
"""Nobody starts more processes than that for one number."""

_ROUNDING = 1e-12
"""A variance that is allowed exactly is not missed by an error of rounding."""


@dataclass(frozen=True, slots=True)
class Design:
    """An experiment to come."""

    invocations: int
    iterations: int
    """Steady iterations in each invocation, after warm-up."""
    half_width_relative: float
    """What half the width of the mean's interval is expected to be, as a share of the mean."""
    cost_s: float
    """Seconds that it takes."""
    level: float
    """Of that interval."""
    reason: str
    """Why these numbers, as a sentence."""

    def __str__(self) -> str:
        return (
            f"{self.invocations} invocations of {_iterations(self.iterations)}, {self.cost_s:.3g} s: "
            f"±{self.half_width_relative:.2%} at level {self.level:g} to be expected"
        )


def cheapest_design(
    split: VarianceSplit,
    *,
    invocation_cost_s: float,
    iteration_cost_s: float,
    warm_up_cost_s: float = 0.0,
    precision: float = 0.01,
    level: float = 0.95,
    least_invocations: int = LEAST_INVOCATIONS,
) -> Design:
    """The numbers of invocations and iterations that reach a precision in the least time.

    Args:
        split: variance between and within invocations, from a pilot experiment.
        invocation_cost_s: seconds to start and end a process.
        iteration_cost_s: seconds of one steady iteration.
        warm_up_cost_s: seconds of each invocation until iterations are steady.
        precision: half-width of the mean's interval to reach, as a share of the mean.
        level: of that interval.
        least_invocations: not fewer than that, however little they differ.
    Returns:
        The cheapest pair of whole numbers. Its half-width is what the variances of the pilot lead one to expect; the
        experiment will come out wider or narrower, by chance and as the pilot erred.
    Raises:
        InputError: the pilot was a single invocation, its mean is 0, or a million invocations do not suffice.
        UsageError: a cost is negative or not finite, iterations cost nothing, or the precision is not above 0.
    Guarantee: no other pair of at least `least_invocations` reaches the precision at less cost.
    Cost: O(invocations of the dearest design that is still worth looking at), usually microseconds.
    Source: Kalibera, Jones, ISMM 2013: iterations = sqrt(cost of an invocation / cost of an iteration * variance within
        / variance between), which minimises cost * variance of a mean of means.
    Differs: whole numbers, quantiles of Student's t and the least number of invocations are part of the optimum; there
        the square root is rounded up, and the number of invocations follows.

    >>> from sonde.stats.variance_components import split_variance
    >>> pilot = split_variance([[10.0, 10.2, 9.8], [10.1, 10.5, 10.0], [9.8, 10.4, 9.9]])
    >>> print(cheapest_design(pilot, invocation_cost_s=1.0, iteration_cost_s=0.1, precision=0.005))
    10 invocations of 15 iterations, 25 s: ±0.49% at level 0.95 to be expected
    """
    checked_level(level)
    _check_request(invocation_cost_s, iteration_cost_s, warm_up_cost_s, precision)
    between, within = _variances(split)
    start_s = invocation_cost_s + warm_up_cost_s
    half_width = precision * abs(split.mean)
    least = max(2, least_invocations)

    def allowed(invocations: int) -> float:
        """The variance that the mean of one invocation may have, if there are that many."""
        return invocations * (half_width / student_quantile(0.5 + level / 2.0, invocations - 1)) ** 2

    def enough(variance: float) -> int:
        """The least number of invocations, if that is the variance of the mean of each."""
        return bisect_left(range(MOST_INVOCATIONS), variance, lo=least, key=allowed)

    # Any design that suffices bounds the others: each of their invocations costs at least one iteration.
    first = sqrt(start_s / iteration_cost_s * within / between) if between > 0.0 else inf
    spare = allowed(least) - between
    if spare > 0.0:
        first = min(first, within / spare)  # that many are enough for the least number of invocations
    first = max(1, ceil(first))
    fewest, some = enough(between * (1.0 + _ROUNDING)), enough(between + within / first)
    if some >= MOST_INVOCATIONS:
        raise InputError(
            f"cannot plan an experiment with a precision of '{precision:g}': a million invocations do not suffice",
            slug="bad-design",
            hint="ask for less precision",
        )
    most = ceil(some * (start_s + first * iteration_cost_s) / (start_s + iteration_cost_s))
    counts = np.arange(fewest, max(fewest, min(MOST_INVOCATIONS, most)) + 1, dtype=np.float64)
    quantiles = special.stdtrit(counts - 1.0, 0.5 + level / 2.0)
    room = counts * np.square(half_width / quantiles) - between
    iterations = np.maximum(1.0, np.ceil(within / room * (1.0 - _ROUNDING)))
    costs = counts * (start_s + iterations * iteration_cost_s)
    best = len(costs) - 1 - int(np.argmin(costs[::-1]))  # of equally cheap ones that with the most processes
    chosen, each = int(counts[best]), int(iterations[best])
    return Design(
        invocations=chosen,
        iterations=each,
        half_width_relative=expected_half_width(split, chosen, each, level),
        cost_s=float(costs[best]),
        level=level,
        reason=f"standard deviation {sqrt(between) / abs(split.mean):.2%} between invocations and "
        f"{sqrt(within) / abs(split.mean):.2%} within them, measured on {split.invocations} invocations; "
        f"an invocation costs {start_s:.3g} s until it is steady, an iteration {iteration_cost_s:.3g} s",
    )


def expected_half_width(split: VarianceSplit, invocations: int, iterations: int, level: float = 0.95) -> float:
    """What half the width of the mean's interval will be, as a share of the mean, if variances are as they were.

    Raises:
        InputError: as `cheapest_design`.
        UsageError: there are fewer than two invocations, or no iterations.
    """
    if invocations < 2 or iterations < 1:
        raise UsageError(
            f"cannot tell the precision of '{invocations}' invocations of '{iterations}' iterations: "
            "it takes two invocations and one iteration",
            slug="bad-design",
        )
    between, within = _variances(split)
    quantile = student_quantile(0.5 + checked_level(level) / 2.0, invocations - 1)
    return quantile * sqrt((between + within / iterations) / invocations) / abs(split.mean)


def _variances(split: VarianceSplit) -> tuple[float, float]:
    """Between and within invocations; all of it between where each invocation had one iteration."""
    if split.standard_error is None:
        raise InputError(
            "cannot plan an experiment from '1' invocation: it does not show how invocations differ",
            slug="bad-design",
            hint="measure at least two, better ten",
        )
    if split.mean == 0.0:
        raise InputError("cannot plan for a share of the mean: the mean is '0'", slug="bad-design")
    if split.within_variance is None:
        return split.standard_error**2 * split.invocations, 0.0
    return split.between.value, split.within_variance


def _check_request(invocation_cost_s: float, iteration_cost_s: float, warm_up_cost_s: float, precision: float) -> None:
    costs = {"an invocation": invocation_cost_s, "an iteration": iteration_cost_s, "warm-up": warm_up_cost_s}
    for what, cost_s in costs.items():
        if not 0.0 <= cost_s < inf:
            raise UsageError(
                f"cannot plan with a cost of '{cost_s}' s for {what}: a cost is 0 or more", slug="bad-design"
            )
    if iteration_cost_s == 0.0:
        raise UsageError("cannot plan with iterations that cost '0' s: no number is too many", slug="bad-design")
    if not 0.0 < precision < inf:
        raise UsageError(
            f"cannot plan for a precision of '{precision}': it is a share above 0, such as 0.01", slug="bad-design"
        )


def _iterations(count: int) -> str:
    return "1 iteration" if count == 1 else f"{count} iterations"
