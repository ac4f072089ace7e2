"""Honest levels where the number of invocations was chosen by how wide the interval was.

Who looks at an interval again and again, and stops when it is narrow, stops a little too often where the spread happens
to be underestimated. `sonde.stats.stopping` says which level to ask of the usual interval so that it covers, at the
moment of stopping, as often as is stated.
"""

from dataclasses import replace

from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.policy import Policy
from sonde.stats import Estimate, StoppingPlan


def level_to_ask(measurements: Measurements, benchmark: str, policy: Policy) -> float:
    """The level at which to compute intervals that are to be stated at the level of the policy."""
    looks = measurements.looked_between.get(benchmark)
    if looks is None:
        return policy.level
    least, most = looks
    return StoppingPlan(least, most, level=policy.level).fixed_level


def restated(estimate: Estimate, level: float) -> Estimate:
    """The same interval, stated at the level with which it covers; the method says why."""
    if estimate.interval is None or estimate.interval.level == level:
        return estimate
    asked = 100.0 * estimate.interval.level
    return replace(
        estimate,
        interval=replace(estimate.interval, level=level),
        method=f"{estimate.method}, at {asked:.3g}% to make up for stopping when it was narrow enough",
    )
