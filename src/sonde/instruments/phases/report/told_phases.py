"""The phases of a profile with all that is known of them, put together once for the parts of a report."""

from dataclasses import dataclass

from sonde.instruments.phases.analysis import (
    Consistencies,
    Consistency,
    MachinePart,
    PhaseSum,
    Reason,
    Region,
    all_reasons,
    figures_of,
    machine_parts,
    phase_consistencies,
    phase_sums,
    time_regions,
)
from sonde.instruments.phases.profile import Phase, PhaseProfile, PhaseThread


@dataclass(frozen=True, slots=True)
class ToldPhase:
    """One method."""

    phase: Phase
    sum: PhaseSum
    consistency: Consistency
    reasons: tuple[Reason, ...]

    @property
    def is_phase(self) -> bool:
        """Whether its calls are alike."""
        return self.consistency.is_phase


@dataclass(frozen=True, slots=True)
class ToldProfile:
    """All of a profile."""

    profile: PhaseProfile
    sums: tuple[PhaseSum, ...]
    """Of all phases, parts of the virtual machine among them."""
    methods: tuple[ToldPhase, ...]
    """Those that ran, the longest first."""
    consistencies: Consistencies
    parts: tuple[MachinePart, ...]
    longest: PhaseThread | None
    """The thread with most calls."""
    regions: tuple[Region, ...]
    """Of it."""

    @classmethod
    def of(cls, profile: PhaseProfile) -> "ToldProfile":
        """Put it together. O(n) for n calls, times phases and counters."""
        figures = figures_of(profile)
        sums, consistencies = phase_sums(figures), phase_consistencies(figures)
        reasons = all_reasons(figures, sums)
        nothing = Consistency(None, None, tuple(None for _ in profile.counters))
        methods = [
            ToldPhase(
                profile.phases[each.phase],
                each,
                consistencies.of.get(each.phase, nothing),
                reasons[each.phase],
            )
            for each in sums
            if profile.phases[each.phase].is_method
        ]
        methods.sort(key=lambda told: (-told.sum.total_ns, told.phase.function.name))
        longest = max(figures.threads, key=lambda thread: len(thread.thread.calls), default=None)
        regions = time_regions(longest) if longest is not None else ()
        parts = machine_parts(profile, sums)
        thread = longest.thread if longest is not None else None
        return cls(profile, sums, tuple(methods), consistencies, parts, thread, regions)
