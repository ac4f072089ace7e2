"""Whether phases are phases: how much their calls resemble one another, against those of other phases."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import fmean

from sonde.instruments.phases.analysis.figures import Figures

LEAST_EXPLAINED = 0.2
"""A method whose calls resemble one another less is no phase."""
LEAST_CALLS = 3
"""Of fewer calls it cannot be said."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """How alike the calls of one phase are."""

    explained: float | None
    """Share of the variance that knowing the phase explains; None: too few calls. Below 0 its calls differ more than
    all calls do."""
    length_variation: float | None
    """Coefficient of variation of how long its calls take."""
    variations: tuple[float | None, ...]
    """The same of the rate of each counter; None where there is none of it, too."""

    @property
    def is_phase(self) -> bool:
        """Whether nothing speaks against it."""
        return self.explained is None or self.explained >= LEAST_EXPLAINED


@dataclass(frozen=True, slots=True)
class Consistencies:
    """Of all phases of a profile."""

    of: dict[int, Consistency]
    """By index into `PhaseProfile.phases`."""
    explained: float | None
    """The mean over phases with enough calls; None: there is none."""


def phase_consistencies(figures: Figures) -> Consistencies:
    """Analysis of variance of calls between phases and within them.

    A call is described by the logarithm of its length and by the rate of each counter, without phases that it called.
    Calls of a phase count the same, and so do phases. Each characteristic is scaled to a variance of 1 in all. Of
    events, the square root of the rate is taken, since its variance by chance alone is known, at most 1 / (4 t) in a
    time t (Poisson): that much is taken out. The most extreme twentieth of a phase's calls on either side
    counts as those next to it (winsorised): now and then the system takes a processor away from any call. A counter of
    which a phase has no more than a sum is left out.

    Guarantee: what is explained is between 0 and 1, and 1 where all calls of a phase are alike. It does not depend on
        the units of counters.
    Cost: O(n log n) for n calls, times the counters.
    Source: Buytaert, section 3.2.3 (coefficients of variation within phases, ANOVA between them).
    Differs: the document tests whether phases differ in each characteristic by itself. Here the share that they
        explain of all of them together is told of each phase, since a test finds any difference, given enough calls.
    """
    profile, described = figures.profile, _Described.of(figures)
    times = described.own_ns
    rows_of: dict[int, list[int]] = {}
    for row, phase in enumerate(described.phases):
        rows_of.setdefault(phase, []).append(row)
    columns = [[_winsorised([log(times[row]) for row in rows]) for rows in rows_of.values()]]
    chances = [[0.0 for _ in rows_of]]
    not_by_call = {at for _, at in profile.summed}
    for at, counter in enumerate(profile.counters):
        if at in not_by_call:
            continue
        is_time = counter.known.unit == "duration"
        rates = [[described.rates[row][at] for row in rows] for rows in rows_of.values()]
        columns.append([_winsorised(each if is_time else [sqrt(rate) for rate in each]) for each in rates])
        chances.append(
            [0.0 if is_time else _CHANCE * fmean(1 / times[row] for row in rows) for rows in rows_of.values()]
        )
    shares = [found for found in map(_within_shares, columns, chances) if found[0] > 0]
    found: dict[int, Consistency] = {}
    for group, (phase, rows) in enumerate(rows_of.items()):
        explained = None
        if len(rows) >= LEAST_CALLS and shares and len(rows_of) > 1:
            told = sum(weight * max(1 - share[group], 0.0) for weight, share in shares)
            explained = told / sum(weight for weight, _ in shares)
        variations = [
            None if (phase, at) in profile.summed else _variation([described.rates[row][at] for row in rows])
            for at in range(len(profile.counters))
        ]
        found[phase] = Consistency(explained, _variation([times[row] for row in rows]), tuple(variations))
    known = [each.explained for each in found.values() if each.explained is not None]
    return Consistencies(found, fmean(known) if known else None)


_CHANCE = 0.25
"""Variance of the square root of a rate by chance, times the time that it is of."""
_NOTHING = 1e-18
"""Of the largest square: a variance that is rounding, where values are all the same."""
_TASK_CLOCK = "task-clock"
_LEAST_NS = 1000
"""The clocks of threads are no finer."""
_EXTREME = 20
"""One of so many on either side."""


def _within_shares(groups: Sequence[Sequence[float]], chances: Sequence[float]) -> tuple[float, list[float]]:
    """The share of the variance of one characteristic that lies between phases; and that within each, as a share of
    all."""
    within = [max(_variance(values) - chance, 0.0) for values, chance in zip(groups, chances, strict=True)]
    if not groups:
        return 0.0, []
    of_means = [chance / len(values) for values, chance in zip(groups, chances, strict=True)]
    between = max(_variance([fmean(values) for values in groups]) - fmean(of_means), 0.0)
    total = fmean(within) + between
    largest = max(value * value for values in groups for value in values)
    return (between / total, [each / total for each in within]) if total > _NOTHING * largest else (0.0, within)


def _winsorised(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    out = len(ordered) // _EXTREME
    low, high = ordered[out], ordered[len(ordered) - 1 - out]
    return [min(max(value, low), high) for value in values]


def _variance(values: Sequence[float]) -> float:
    mean = fmean(values)
    return fmean((value - mean) ** 2 for value in values)


def _variation(values: Sequence[float]) -> float | None:
    mean = fmean(values)
    return sqrt(_variance(values)) / mean if mean > 0 and len(values) >= LEAST_CALLS else None


@dataclass(frozen=True, slots=True)
class _Described:
    """Calls of methods, in columns."""

    phases: list[int]
    own_ns: list[float]
    """Of processor time, where that was counted."""
    rates: list[tuple[float, ...]]
    """Of each counter, a nanosecond."""

    @classmethod
    def of(cls, figures: Figures) -> "_Described":
        described = cls([], [], [])
        names = [counter.name for counter in figures.profile.counters]
        clock = names.index(_TASK_CLOCK) if _TASK_CLOCK in names else None
        for thread in figures.threads:
            own_ns, own = thread.own_ns, thread.own
            for row, phase in enumerate(thread.thread.calls.phase):
                if own_ns[row] <= 0 or not figures.profile.phases[phase].is_method:
                    continue
                ran_ns = own_ns[row] if clock is None else min(max(own[clock][row], _LEAST_NS), own_ns[row])
                rates = [
                    max(column[row], 0) / (own_ns[row] if at == clock else ran_ns) for at, column in enumerate(own)
                ]
                described.phases.append(phase)
                described.own_ns.append(float(ran_ns))
                described.rates.append(tuple(rates))
        return described
