"""A function's own time, divided among its lines as they were sampled."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.evidence import share_interval
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile

LEAST_SAMPLES = 10
"""Of a function that was seen less often, half of the time is uncertain by 26 points or more: its lines are not told
apart."""


_SEEN_AT_THE_CALLER = "cpython-eval-hook"
"""While this mechanism watches a Python function begin, its caller is still on top of the stack. Others are called
when the callee is, so that the sample is dropped; but for calls of C functions, which have no frame."""


@dataclass(frozen=True, slots=True)
class LineShare:
    """What one line has of its function's own time."""

    line: int
    own_ns: int
    around_ns: int
    """The true value is within so much of it, 19 times out of 20."""


def line_shares(
    own_ns: int, samples: Mapping[int, int], watching_ns: Mapping[int, int] | None = None
) -> list[LineShare]:
    """Divide the own time of a function, in the order of its lines; nothing where it was hardly seen.

    Args:
        samples: how often each line was seen; line 0, as some jumps of 3.11 have, is divided as the others.
        watching_ns: what it cost in a line to watch the calls from there: in the samples, but not in the own time.
    Guarantee: the parts add up to `own_ns`; each is within a nanosecond of its share of the samples, less what watching
        cost there.
    Cost: O(n log n) for n lines.

    >>> [(each.line, each.own_ns) for each in line_shares(100, {5: 20, 6: 10})]
    [(5, 67), (6, 33)]
    >>> [(each.line, each.own_ns) for each in line_shares(100, {5: 20, 6: 10}, {5: 20})]
    [(5, 60), (6, 40)]
    """
    samples = {line: count for line, count in samples.items() if line}
    seen = sum(samples.values())
    if seen < LEAST_SAMPLES:
        return []
    watching_ns = watching_ns or {}
    sampled_ns = own_ns + sum(watching_ns.values())
    weights = {line: max(0, sampled_ns * count - watching_ns.get(line, 0) * seen) for line, count in samples.items()}
    whole = sum(weights.values())
    if not whole:
        weights, whole = samples, seen
    own = {line: own_ns * weight // whole for line, weight in weights.items()}
    left = own_ns - sum(own.values())
    by_remainder = sorted(weights, key=lambda line: (-(own_ns * weights[line] % whole), line))
    for line in by_remainder[:left]:
        own[line] += 1
    shares = []
    for line in sorted(samples):
        around = share_interval(samples[line], seen).reach_from(samples[line] / seen)
        shares.append(LineShare(line, own[line], round(around * sampled_ns)))
    return shares


def watching_by_line(profile: ContextProfile) -> dict[int, dict[int, int]]:
    """What it cost to watch calls, where the lines that call were seen meanwhile: by function and line, in nanoseconds.

    It was taken out of the callers' own times, as calibrated; nothing where it was not, or is in no samples.
    Cost: O(n) for n contexts.
    """
    costs = next(((each.costs_ns, each.mechanism) for each in profile.processes if each.costs_ns), None)
    if costs is None:
        return {}
    (of_python, _, of_builtin, *_), mechanism = (*costs[0], 0.0, 0.0, 0.0), costs[1]
    of_python = of_python if mechanism == _SEEN_AT_THE_CALLER else 0.0
    tree, sums = profile.contexts, dict[int, dict[int, float]]()
    for above, function, line, calls in zip(tree.parent, tree.function, tree.call_line, tree.calls, strict=True):
        cost = of_builtin if profile.functions[function].kind == "builtin" else of_python
        if above != NO_PARENT and cost and calls:
            lines = sums.setdefault(tree.function[above], {})
            lines[line] = lines.get(line, 0.0) + calls * cost
    return {number: {line: round(cost) for line, cost in lines.items()} for number, lines in sums.items()}
