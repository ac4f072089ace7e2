"""Which contexts are hot, and how much memory finding them may take.

Why epsilon is at most half of phi: a context is hot from T = floor(phi N) on, rounded down so that whole
calls decide, while one that is missing may have up to floor(epsilon N). With x = phi N >= 1, that is at most
floor(x / 2) < floor(x) = T, so that no hot context is missing. With a larger epsilon it can be: phi = 0.11,
epsilon = 0.1 and eleven contexts called once each make N = 11, T = 1, and a floor of 1.
"""

from math import ceil, isfinite
from typing import NamedTuple

from sonde.base.errors import UsageError

PHI = 1e-4
"""A context with a ten-thousandth of the whole is hot: about a thousand are, whatever the program (D'Elia,
PhD thesis, section 5.1.2)."""
PHI_PER_EPSILON = 5
"""Errors stay below a fifth of what makes a context hot (same section)."""
NODE_BYTES = 152
"""A context with its side, and its part of indexes and lists."""
NODES_PER_COUNTER = 6
"""So that three quarters of the nodes are four times as many as counters, and some (core/contexts/compaction.h)."""
MOST_COUNTERS = (1 << 32) - 1
METRICS = ("time", "calls")
METRIC_NUMBERS = {"": 0, "calls": 1, "time": 2}
"""As native code knows them (`sn_metric` of native/core/base/cells.h); 0: everything is kept."""


# A named tuple, and no dataclass: this is loaded before the program starts (sources/cpython/agent.py).
class HotLimits(NamedTuple):
    """What is hot, and what finding it may cost. `hot_limits` makes them."""

    metric: str
    """`time` or `calls`."""
    phi: float
    """Share of the whole from which a context is hot."""
    epsilon: float
    """Share of the whole that no value is wrong by."""
    counters: int
    """1 / epsilon, rounded up: so many contexts can be told apart, and Space-Saving monitors that many."""
    nodes: int
    """Contexts that are kept at most, callers of heavy ones among them."""
    space_saving: bool = False
    """By lazy Space-Saving, by calls only; else by compaction, which is faster and keeps fewer."""


def hot_limits(
    metric: str,
    phi: float = PHI,
    epsilon: float | None = None,
    *,
    nodes: int | None = None,
    memory_bytes: int | None = None,
    space_saving: bool = False,
) -> HotLimits:
    """Check what is asked for, and fill in what is not.

    Args:
        epsilon: a fifth of `phi` when not given.
        nodes: six times as many as counters when not given, which is what the bound takes
            (native/core/contexts/compaction.h); most programs never come near it.
        memory_bytes: instead of `nodes`; the counters are then as many as fit, too.
    Raises:
        UsageError: `bad-metric`, `bad-phi`, `bad-epsilon`, `budget-too-small`.

    >>> hot_limits("time")
    HotLimits(metric='time', phi=0.0001, epsilon=2e-05, counters=50000, nodes=300000, space_saving=False)
    """
    if metric not in METRICS:
        raise UsageError(
            f"cannot find contexts that are hot by '{metric}': the metric is time or calls", slug="bad-metric"
        )
    if not (isfinite(phi) and 0 < phi < 1):
        raise UsageError(
            f"cannot call contexts hot from a share of {phi:g} on: phi lies between 0 and 1, both excluded",
            slug="bad-phi",
            hint=f"--phi {PHI:g} is the default; --exact keeps every context",
        )
    epsilon = phi / PHI_PER_EPSILON if epsilon is None else epsilon
    if not (isfinite(epsilon) and 0 < epsilon <= phi / 2):
        raise UsageError(
            f"cannot tell hot contexts apart: epsilon is {epsilon:g}, and more than 0, up to half of phi, {phi / 2:g},"
            " is allowed",
            slug="bad-epsilon",
            hint=f"--epsilon {phi / PHI_PER_EPSILON:g} is the default for a phi of {phi:g}",
        )
    if 1 / epsilon > MOST_COUNTERS:
        raise UsageError(
            f"cannot monitor as many contexts as an epsilon of {epsilon:g} takes: {MOST_COUNTERS:,} is the most",
            slug="bad-epsilon",
            hint="a larger --epsilon, or --exact",
        )
    counters = ceil(round(1 / epsilon, 6))  # 1 / 2e-5 is a little more than 50,000 in floating point
    if memory_bytes is not None:
        nodes = memory_bytes // NODE_BYTES
        counters = min(counters, max(1, nodes // NODES_PER_COUNTER))
    elif nodes is None:
        nodes = counters * NODES_PER_COUNTER
    if nodes < 1:
        raise UsageError(
            "cannot keep hot contexts in no memory: the budget is too small for a single context",
            slug="budget-too-small",
            hint=f"a context takes {NODE_BYTES} bytes; --memory 1M keeps some 6,900",
        )
    if space_saving and metric != "calls":
        raise UsageError(
            "cannot use Space-Saving by time: its queue of victims is for counts that grow by ones",
            slug="bad-metric",
            hint="--metric calls, or leave out --space-saving",
        )
    return HotLimits(metric, phi, epsilon, counters, nodes, space_saving)
