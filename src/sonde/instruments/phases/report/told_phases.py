"""The phases of a profile with all that is known of them, put together once for the parts of a report."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.instruments.phases.analysis import (
    LARGELY,
    MOSTLY,
    WHOLE_SHARE,
    Consistencies,
    Consistency,
    MachinePart,
    PhaseSum,
    Reason,
    Region,
    all_reasons,
    figures_of,
    machine_parts,
    nested_ns,
    phase_consistencies,
    phase_sums,
    time_regions,
)
from sonde.instruments.phases.profile import Phase, PhaseProfile, PhaseThread

_LEAF_OWN = 0.5
"""Share of its time that a phase has of its own, for it to be looked at though it is nearly all of the program."""
LEAST_OWN = 0.05
"""Share of its time that a phase has of its own."""


@dataclass(frozen=True, slots=True)
class ToldPhase:
    """One method."""

    phase: Phase
    sum: PhaseSum
    consistency: Consistency
    reasons: tuple[Reason, ...]

    @property
    def is_wrapper(self) -> bool:
        """Whether nearly all of its time is that of phases that it calls: they are to be looked at."""
        return self.sum.own_ns < LEAST_OWN * self.sum.total_ns

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
    nested_ns: Mapping[tuple[int, int], int]
    """Of a phase within another: the inner one first."""

    def are_one(self, one: ToldPhase, other: ToldPhase) -> bool:
        """Whether one of two phases is mostly within the other, and largely what that does."""
        return any(
            self.nested_ns.get((inner.sum.phase, outer.sum.phase), 0)
            >= max(MOSTLY * inner.sum.total_ns, LARGELY * outer.sum.total_ns)
            for inner, outer in ((one, other), (other, one))
        )

    def parts_to_look_at(self) -> list[ToldPhase]:
        """Phases that are not the program as a whole, those with most time of their own first."""
        parts = [
            each for each in self.methods if each.is_phase and not each.is_wrapper and not self._is_the_program(each)
        ]
        return sorted(parts, key=lambda each: (-each.sum.own_ns, each.phase.function.name))

    def _is_the_program(self, each: ToldPhase) -> bool:
        """Whether it takes nearly all of the time, and is not what the program does again and again."""
        is_part = each.sum.calls > 1 and each.sum.own_ns >= _LEAF_OWN * each.sum.total_ns
        return each.sum.total_ns >= WHOLE_SHARE * self.profile.whole_ns and not is_part

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
        return cls(profile, sums, tuple(methods), consistencies, parts, thread, regions, nested_ns(figures))
