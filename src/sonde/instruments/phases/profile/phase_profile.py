"""A profile of phases: which methods were watched, their calls on each thread, and what was counted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sonde.base.errors import InputError
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.phases.profile.counters import Counter
from sonde.instruments.phases.profile.phase_calls import PhaseThread
from sonde.instruments.phases.profile.plan import Plan, Thetas

Component = Literal["application", "module bodies", "garbage collection", "import", "compilation"]
"""Whose work a phase is: the program's, or that of a part of the virtual machine. Bodies of modules are the program's,
but they run inside imports."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A method that was watched, or a part of the virtual machine."""

    function: Function
    component: Component = "application"
    planned_calls: int = 0
    """In the first step, when every call was timed."""
    planned_ns: int = 0

    @property
    def is_method(self) -> bool:
        """Whether it was selected for its times."""
        return self.component == "application"


class RunTimes(NamedTuple):
    """How long one of several runs took, without what watching took."""

    whole_ns: int
    total_ns: tuple[int, ...]
    """Of each phase, as `PhaseProfile.phases` has them, in its outermost calls."""


@dataclass(frozen=True, slots=True)
class PhaseProfile:
    """What was counted while the phases of a program ran."""

    phases: tuple[Phase, ...]
    counters: tuple[Counter, ...]
    threads: tuple[PhaseThread, ...]
    """The main thread first."""
    command: tuple[str, ...] = ()
    thetas: Thetas = field(default_factory=Thetas)
    planned_whole_ns: int = 0
    """What the program took in the first step, all threads together."""
    plans: tuple[Plan, ...] = ()
    """What other thresholds would have selected, as estimated after the first step; the thresholds of the run first."""
    losses: tuple[Loss, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    """Texts of files."""
    is_complete: bool = True
    """Whether the program came to its end."""
    runs: tuple[RunTimes, ...] = ()
    """Where several runs were counted: each of them, that whose times these are first."""
    summed: frozenset[tuple[int, int]] = frozenset()
    """Phases with counters of which only the sum is known, as calls of two runs did not align. What each call of such a
    phase has of it is by its time."""

    @property
    def whole_ns(self) -> int:
        """What all threads took together, without what watching took."""
        return sum(max(thread.end_ns - thread.start_ns - thread.taken_ns, 0) for thread in self.threads)

    @property
    def taken_ns(self) -> int:
        """What watching took, on all threads together."""
        return sum(thread.taken_ns for thread in self.threads)

    @property
    def all_calls(self) -> int:
        """Calls that were watched."""
        return sum(len(thread.calls) for thread in self.threads)

    def total(self, counter: int) -> int:
        """What was counted on all threads."""
        return sum(thread.totals[counter] for thread in self.threads)

    def check_valid(self) -> None:
        """Refuse what is no profile.

        Raises:
            InputError: `corrupt-profile`.
        """
        names = [counter.name for counter in self.counters]
        functions = [phase.function for phase in self.phases]
        if len(set(names)) != len(names) or len(set(functions)) != len(functions):
            raise InputError("cannot use these phases: one is there twice", slug="corrupt-profile")
        known = all(0 <= phase < len(functions) and 0 <= at < len(names) for phase, at in self.summed)
        if not known or any(len(run.total_ns) != len(functions) for run in self.runs):
            raise InputError("cannot use these runs: their phases are not those of the profile", slug="corrupt-profile")
        for thread in self.threads:
            if len(thread.totals) != len(names) or thread.start_ns > thread.end_ns:
                raise InputError(f"cannot use '{thread.name}': it is no thread of this run", slug="corrupt-profile")
            thread.calls.check_valid(len(self.phases), len(names))
