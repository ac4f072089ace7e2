"""How far the values of a profile can be trusted: in words for the whole of it, in numbers for each context."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import sub

from sonde.base.units import counted, format_count, format_duration
from sonde.instruments.contexts.profile import NO_PARENT, Approximation, ContextClass, ContextProfile, Sampling

DEVIATIONS_OF_95_PERCENT = 2
"""Standard errors on either side that hold the truth 19 times out of 20, for sums over many bursts."""

LEAST_TOLD_ERROR = 0.01
"""Share of a value from which on it is worth saying that it may be so much too small."""

_DURATION_STEPS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


@dataclass(frozen=True, slots=True)
class Doubt:
    """How far the own values of some contexts, taken together, may be from the truth."""

    error: int
    """Calls or nanoseconds, whichever the approximation is of, that may be missing."""
    calls_deviation: int
    """Standard error of their calls, at most; 0 when nothing was sampled."""
    ns_deviation: int
    """Standard error of their own time, at most."""
    heat: ContextClass
    """That of the hottest of them; `cold` when nobody has said what is hot."""


class Doubts:
    """Looks up doubts of contexts; all of them are zero in an exact profile.

    Cost: O(n) to build for n contexts, O(rows) for each question.
    """

    def __init__(self, profile: ContextProfile) -> None:
        tree = profile.contexts
        self._error, self._calls, self._ns = tree.error, tree.calls_deviation, tree.ns_deviation
        self._values = profile.metric_values()
        self._threshold = None if profile.approximation is None else profile.hot_threshold

    def of(self, rows: Sequence[int]) -> Doubt:
        """The doubt about the sum over some contexts.

        Guarantee: the standard error of a sum is at most the sum of the standard errors, whether contexts run
            in the same bursts or not; so is the doubt given here.
        """
        return Doubt(
            error=_sum(self._error, rows),
            calls_deviation=_sum(self._calls, rows),
            ns_deviation=_sum(self._ns, rows),
            heat=self._heat(rows),
        )

    def _heat(self, rows: Sequence[int]) -> ContextClass:
        values, error, threshold = self._values, self._error, self._threshold
        if threshold is None:
            return "cold"
        if any(values[row] >= threshold for row in rows):
            return "hot"
        is_possible = bool(error) and any(values[row] + error[row] >= threshold for row in rows)
        return "possibly hot" if is_possible else "cold"


def largest_error(profile: ContextProfile) -> int:
    """Calls or nanoseconds that the own value of any context of the profile may be too small by."""
    if profile.approximation is None:
        return 0
    # Of contexts that were not read, it is only known that their error is not above the floor.
    return max(profile.contexts.error, default=0) if not profile.pruned_contexts else profile.approximation.floor


def exactness(profile: ContextProfile) -> list[str]:
    """Say what the values of a profile are, as phrases for one line.

    >>> from sonde.instruments.contexts.profile import contexts_from_self
    >>> nothing = contexts_from_self(parent=[], function=[], call_line=[], calls=[], self_ns=[])
    >>> exactness(ContextProfile((), nothing))
    ['exact: every call in its context']
    >>> sample = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101)
    >>> exactness(ContextProfile((), nothing, sampling=sample))
    ['looked at 10.1% of the run in 37 bursts of 2 ms', 'values scaled up', '± is a 95% interval']
    """
    said = [] if profile.sampling is None else _sampled(profile.sampling)
    if profile.approximation is not None:
        said += _approximated(profile, profile.approximation)
    if not said:
        return ["exact: every call in its context" + (", but for the warnings below" if profile.losses else "")]
    return said


def not_kept_below(parent: Sequence[int], own: Sequence[int], total: Sequence[int]) -> "array[int]":
    """What the total of each context has beyond its own value and the totals of its children: (n_contexts,).

    Zero in a whole tree. Else it belongs to callees that were given up in bounded memory, or not read.

    >>> list(not_kept_below([-1, 0, 0], own=[1, 2, 3], total=[10, 2, 4]))
    [3, 0, 1]
    """
    rest = array("q", map(sub, total, own))
    for row, above in enumerate(parent):
        if above != NO_PARENT:
            rest[above] -= total[row]
    return rest


def deviations_of_functions(profile: ContextProfile, column: Sequence[int]) -> list[int]:
    """Standard errors of sums over the contexts of each function, at most; empty when nothing was sampled.

    Args:
        column: (n_contexts,) standard errors of the contexts, or empty.
    """
    if not column:
        return []
    sums = [0] * len(profile.functions)
    for function, deviation in zip(profile.contexts.function, column, strict=True):
        sums[function] += deviation
    return sums


def rounded_duration(duration_ns: int) -> str:
    """Write a duration that somebody chose: `2 ms`, `1.5 s`."""
    for step, unit in _DURATION_STEPS:
        if duration_ns >= step:
            return f"{duration_ns / step:.3g} {unit}"
    return f"{duration_ns} ns"


def small_share(share: float) -> str:
    """Write a share that may be tiny: `0.01%`, `2.3e-05%`, or not: `100%`."""
    return f"{100 * share:.2g}%" if share < 0.1 else f"{100 * share:.0f}%"


def metric_amount(metric: str, value: int) -> str:
    """Write a value of the approximation's metric: `199 us`, `1 call`."""
    return format_duration(value) if metric == "time" else counted(value, "call")


def _sampled(sampling: Sampling) -> list[str]:
    bursts = counted(sampling.bursts, "burst")
    looked = f"looked at {100 * sampling.fraction:.3g}% of the run in {bursts} of {rounded_duration(sampling.burst_ns)}"
    said = [looked, "values scaled up", "± is a 95% interval"]
    if sampling.adaptive:
        said.insert(1, f"where much was seen before, 1 burst in {1 / sampling.adaptive:.3g}")
    return said


def _approximated(profile: ContextProfile, bounds: Approximation) -> list[str]:
    what = bounds.metric
    is_part = bounds.whole is not None
    of_run = "run's " if is_part else ""
    said = [f"hot contexts: from {small_share(bounds.phi)} of the {of_run}{what} on"]
    of_all = " of what was seen" if profile.sampling else ""
    if not profile.left_something_out:
        kept = "nothing was left out" + of_all
        return [*said, kept if profile.sampling or profile.losses else f"{kept}: values are exact"]
    error, whole = largest_error(profile), profile.metric_total if bounds.whole is None else bounds.whole
    own, amount = ("own times", format_duration) if what == "time" else ("call counts", format_count)
    if error:
        share = f" ({small_share(error / whole)}{' of the run' if is_part else ''})" if whole else ""
        said.append(f"{own} at most {amount(error)}{share} too low")
    else:
        said.append(f"{own} of contexts kept are not too low")
    if profile.has_time:
        said.append(f"{'call counts' if what == 'time' else 'times'} are lower bounds")
    said.append(f"contexts not kept: at most {metric_amount(what, bounds.floor)}{of_all}")
    return said


def _sum(column: Sequence[int], rows: Iterable[int]) -> int:
    return sum(column[row] for row in rows) if column else 0
