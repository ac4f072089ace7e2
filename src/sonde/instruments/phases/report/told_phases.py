"""The phases of a profile with all that is known of them, put together once for the parts of a report."""

from dataclasses import dataclass

from sonde.instruments.phases.analysis import (
    Consistencies,
    Consistency,
    MachinePart,
    PhaseSum,
    Reason,
    machine_parts,
    phase_consistencies,
    phase_reasons,
    phase_sums,
)
from sonde.instruments.phases.profile import Phase, PhaseProfile


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
    methods: tuple[ToldPhase, ...]
    """Those that ran, the longest first."""
    consistencies: Consistencies
    parts: tuple[MachinePart, ...]

    @classmethod
    def of(cls, profile: PhaseProfile) -> "ToldProfile":
        """Put it together. O(n) for n calls, times phases and counters."""
        sums, consistencies = phase_sums(profile), phase_consistencies(profile)
        nothing = Consistency(None, None, tuple(None for _ in profile.counters))
        methods = [
            ToldPhase(
                profile.phases[each.phase],
                each,
                consistencies.of.get(each.phase, nothing),
                phase_reasons(profile, each),
            )
            for each in sums
            if profile.phases[each.phase].is_method
        ]
        methods.sort(key=lambda told: (-told.sum.total_ns, told.phase.function.name))
        return cls(profile, tuple(methods), consistencies, machine_parts(profile, sums))
