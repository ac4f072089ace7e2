"""Why a phase takes its time: counters of which it has more than the program, and those that its length depends on."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.phases.analysis.figures import Figures
from sonde.instruments.phases.analysis.phase_sums import PhaseSum
from sonde.instruments.phases.known_counters import SIMULATED
from sonde.instruments.phases.profile import PhaseProfile

LEAST_CALLS = 5
"""With fewer calls, what their length depends on is chance."""
LEAST_EVENTS = 20
"""With fewer of something, its rate is chance."""
_PER_INSTRUCTION = "instructions"
_SIMULATED_INSTRUCTIONS = f"{SIMULATED}instructions"


@dataclass(frozen=True, slots=True)
class Reason:
    """One counter of one phase."""

    counter: int
    """Index into `PhaseProfile.counters`."""
    times: float | None
    """The rate in the phase, as a multiple of that in the rest of the program; None: there are too few, or no rest."""
    is_per_instruction: bool
    """The rate is that of an instruction; else of a second."""
    explained: float | None
    """Share of the variance of its calls' lengths that the counter explains; None: too few, or all as long."""


def all_reasons(figures: Figures, sums: Sequence[PhaseSum]) -> dict[int, tuple[Reason, ...]]:
    """Each counter of each phase, by the number of the phase; the one that explains most of its time first.

    Rates are compared with the rest of the program, without the phase: else a phase that takes most of the time is
    hardly above the whole, whatever it does.

    Guarantee: `explained` is between 0 and 1: the square of the correlation of length and counts.
    Cost: O(n) for n calls, times the counters.
    """
    profile = figures.profile
    names = [counter.name for counter in profile.counters]
    of_calls = _of_calls(figures)
    found: dict[int, tuple[Reason, ...]] = {}
    for each in sums:
        lengths, counts = of_calls[each.phase]
        reasons = []
        for at, name in enumerate(names):
            base = _base(name, names)
            is_summed = (each.phase, at) in profile.summed  # the sum was divided among calls by their time
            explained = None if is_summed else _explained(counts[at], lengths)
            reasons.append(Reason(at, _times(profile, each, at, base), base is not None, explained))
        found[each.phase] = tuple(sorted(reasons, key=lambda reason: -(reason.explained or 0.0)))
    return found


def _base(name: str, names: Sequence[str]) -> int | None:
    """The counter of instructions that a counter is compared by: of the same run, where it is simulated."""
    instructions = _SIMULATED_INSTRUCTIONS if name.startswith(SIMULATED) else _PER_INSTRUCTION
    return names.index(instructions) if instructions in names and name not in ("task-clock", instructions) else None


def telling_reason(profile: PhaseProfile, reasons: Sequence[Reason], variation: float | None) -> Reason | None:
    """The counter to be named: of which the phase has most more than the rest of the program, in its own unit.

    Args:
        variation: coefficient of variation of how long its calls take; None: there are too few.
    Returns:
        None where the phase has of nothing clearly more. Processor time is no reason: it is what is to be explained;
        and simulated instructions in real time say how fast it goes, not what it does.
        Nor is what has no part in how long calls take, where that is anything.
    """
    varies = variation is not None and variation >= LEAST_VARIATION
    told = [
        reason
        for reason in reasons
        if reason.times is not None
        and reason.times >= LEAST_TIMES
        and profile.counters[reason.counter].name not in ("task-clock", "cycles", _SIMULATED_INSTRUCTIONS)
        and not (varies and reason.explained is not None and reason.explained < LEAST_PART)
    ]
    return max(told, key=lambda reason: (reason.times or 0.0) * (0.5 + (reason.explained or 0.0)), default=None)


LEAST_VARIATION = 0.2
"""Of the length of calls, for it to be asked what that depends on."""
LEAST_PART = 0.05
"""Of the variance of that, for a counter to have a part in it."""
LEAST_TIMES = 1.5
"""What a rate is above the rest of the program's for it to be named."""


def _times(profile: PhaseProfile, each: PhaseSum, at: int, base: int | None) -> float | None:
    amount, whole = each.totals[at], profile.total(at)
    of, of_whole = (each.total_ns, profile.whole_ns) if base is None else (each.totals[base], profile.total(base))
    if amount < LEAST_EVENTS or of_whole <= of or of <= 0:
        return None
    # Half of one is added, as where nothing was counted there may be a little.
    rest = (max(whole - amount, 0) + 0.5) / (of_whole - of)
    return amount / of / rest


def _of_calls(figures: Figures) -> list[tuple[Sequence[int], list[Sequence[int]]]]:
    """Of each phase the lengths of its calls, and what each counter counted in them."""
    found = [(array("q"), [array("q") for _ in figures.profile.counters]) for _ in figures.profile.phases]
    for thread in figures.threads:
        phases = thread.thread.calls.phase
        for phase, length in zip(phases, thread.elapsed_ns, strict=True):
            found[phase][0].append(length)
        for at, column in enumerate(thread.thread.calls.counters):
            for phase, count in zip(phases, column, strict=True):
                found[phase][1][at].append(count)
    return [(lengths, list(counts)) for lengths, counts in found]


def _explained(counts: Sequence[int], lengths: Sequence[int]) -> float | None:
    """The square of the correlation (Pearson)."""
    n = len(lengths)
    if n < LEAST_CALLS:
        return None
    mean_count, mean_length = sum(counts) / n, sum(lengths) / n
    of_counts = sum((count - mean_count) ** 2 for count in counts)
    of_lengths = sum((length - mean_length) ** 2 for length in lengths)
    if of_lengths <= 0:
        return None
    if of_counts <= 0:
        return 0.0
    pairs = zip(counts, lengths, strict=True)
    both = sum((count - mean_count) * (length - mean_length) for count, length in pairs)
    return min(both * both / (of_counts * of_lengths), 1.0)
