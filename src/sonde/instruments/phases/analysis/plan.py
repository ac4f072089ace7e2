"""The estimate of what watching costs and how much it covers, over a grid of thresholds."""

from collections.abc import Sequence
from itertools import product

from sonde.instruments.phases.analysis.selection import select_phases
from sonde.instruments.phases.profile import NO_PARENT, FunctionTime, Plan, Thetas, TimedTree

WHOLE_SHARE = 0.9
"""A method with this share of the time or more is the program as a whole: it tells nothing of its parts."""
WEIGHTS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
GRAINS = (0.00001, 0.0001, 0.001, 0.01, 0.1)


def plan_phases(
    tree: TimedTree,
    call_cost_ns: float,
    passing_ns: float,
    weights: Sequence[float] = WEIGHTS,
    grains: Sequence[float] = GRAINS,
    always: int = 0,
) -> tuple[Plan, ...]:
    """Estimate each pair of thresholds: weights from the first to the last, grains within.

    Args:
        call_cost_ns: nanoseconds that watching one call takes.
        passing_ns: nanoseconds that any other call takes longer.
        always: calls that are watched whatever the thresholds are, of parts of the virtual machine.
    Guarantee: `phases`, `calls`, `cost` and `coverage` do not rise with either theta.
    Cost: O(n) for each different set of methods, for n contexts.
    Source: Buytaert, section 3.3.1, figures 3.4 and 3.5.
    Differs: the document estimates the overhead as the share of calls that is watched, which was off by up to 3 times.
        Here the calls are multiplied by what one costs on this machine. What coverage is without the methods that
        are the whole program is told beside it, since with them it is always 100 %.
    """
    whole_ns, all_calls, times = tree.whole_ns, tree.all_calls, tree.function_times()
    covered: dict[frozenset[int], float] = {}
    number = {function: at for at, function in enumerate(tree.functions)}

    def share_in(selected: Sequence[FunctionTime]) -> float:
        chosen = frozenset(number[each.function] for each in selected)
        if chosen not in covered:
            covered[chosen] = share_below(tree, chosen)
        return covered[chosen]

    plans = []
    for weight, grain in product(weights, grains):
        thetas = Thetas(weight, grain)
        phases = select_phases(times, whole_ns, thetas)
        parts = [each for each in phases if each.total_ns < WHOLE_SHARE * whole_ns]
        calls = sum(each.calls for each in phases)
        plans.append(
            Plan(
                thetas,
                len(phases),
                calls,
                calls / all_calls if all_calls else 0.0,
                ((calls + always) * call_cost_ns + all_calls * passing_ns) / whole_ns if whole_ns else 0.0,
                share_in(phases),
                share_in(parts),
            )
        )
    return tuple(plans)


def share_below(tree: TimedTree, chosen: frozenset[int]) -> float:
    """The share of the time in which at least one of some functions is on the stack.

    Args:
        chosen: indices into `tree.functions`.
    """
    is_below = [False] * len(tree.parent)
    inside_ns = 0
    for row, (parent, function) in enumerate(zip(tree.parent, tree.function, strict=True)):
        is_below[row] = function in chosen or (parent != NO_PARENT and is_below[parent])
        inside_ns += tree.own_ns[row] if is_below[row] else 0
    whole_ns = tree.whole_ns
    return inside_ns / whole_ns if whole_ns else 0.0


def cheapest_within(plans: Sequence[Plan], most_cost: float) -> Plan | None:
    """The pair of thresholds that resolves most of the time at no more than a cost; of those, that with fewest phases.

    Returns:
        None where every pair costs more.
    """
    fitting = [plan for plan in plans if plan.cost <= most_cost and plan.phases]
    return max(fitting, key=lambda plan: (round(plan.resolved, 3), -plan.phases, -plan.calls), default=None)
