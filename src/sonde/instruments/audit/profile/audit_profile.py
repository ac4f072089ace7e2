"""An audit as a value: the same program run many times, by itself and under each profiler, and what each one said."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sonde.base.errors import InternalError
from sonde.code import Function
from sonde.evidence import Loss

PLAIN, CONTROL, DENSE, EMPTY = "plain", "plain again", "dense sample", "empty program"
"""Runs without a profiler, twice in each round; those that all profilers are compared with; and those of a program that
does nothing, whose time profilers do not see."""

NOT_PROFILERS = (PLAIN, CONTROL, DENSE, EMPTY)

ClockKind = Literal["wall", "processor"]


@dataclass(frozen=True, slots=True)
class Profiler:
    """One profiler, as it took part in the audit."""

    name: str
    version: str = ""
    clock: ClockKind = "wall"
    """Which time it tells."""
    tells_program_only: bool = False
    """It tells nothing of functions outside of the program's own files."""
    missing: str = ""
    """Why it took no part; empty if it did."""


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """The machine code of a compiled program."""

    size_bytes: int
    """Of all functions."""
    inlined_calls: int
    """Calls of which the debug information says that they were inlined, by who was called and from where."""


@dataclass(frozen=True, slots=True)
class ProfiledRun:
    """One run of the program."""

    profiler: str
    """`Profiler.name`, or one of `NOT_PROFILERS`."""
    round: int
    """From 0; in each round there is a run of every configuration, in an order drawn anew."""
    is_without: bool
    """Whether the optimisation that the audit turns off was off."""
    wall_ns: int
    """From its start to its end, with that of the profiler."""
    processor_ns: int
    """Of all its processes that were waited for."""
    program_wall_ns: int = 0
    """Elapsed time of the program's process, from the start of its first line to its end; 0: not known."""
    program_processor_ns: int = 0
    """Processor time of the program's process; 0: not known."""
    told_ns: int | None = None
    """Time that the profiler says it saw; None: it tells shares alone, or there is no answer."""
    failure: str = ""
    """Why there is no answer."""
    changed: str = ""
    """What the program did otherwise than without a profiler: `exit code 1 in place of 0`."""
    own: Mapping[int, float] = field(default_factory=dict)
    """What it says of each function's own time, in a unit of its own, by place in `AuditProfile.functions`."""
    charged: Mapping[int, float] = field(default_factory=dict)
    """Of the dense sample: own time of what each function called directly."""
    is_of_nothing: bool = False
    """It is a run of an empty program: what the profiler takes by itself."""


@dataclass(frozen=True, slots=True)
class AuditProfile:
    """All runs of an audit."""

    command: tuple[str, ...]
    python: str = ""
    """Version of the interpreter that ran the program."""
    profilers: tuple[Profiler, ...] = ()
    functions: tuple[Function, ...] = ()
    calls: Mapping[int, int] = field(default_factory=dict)
    """Activations of each function, counted exactly in a run of their own; empty: not known."""
    runs: tuple[ProfiledRun, ...] = ()
    code: Mapping[str, CodeFacts] = field(default_factory=dict)
    """Of a compiled program, with the probes of each profiler, by its name, and without any (`PLAIN`)."""
    is_compiled: bool = False
    """Whether sonde compiled the program, and costs are of the program's own process."""
    turned_off: str = ""
    """The optimisation that half of the runs were without: `inlined calls`; empty: none."""
    losses: tuple[Loss, ...] = ()

    def check_valid(self) -> None:
        """See to it that numbers are in range and names are known.

        Raises:
            InternalError: `invalid-audit`.
        """
        known = {*NOT_PROFILERS, *(each.name for each in self.profilers)}
        for run in self.runs:
            if run.profiler not in known:
                raise InternalError(
                    f"cannot use an audit: no profiler is called '{run.profiler}'", slug="invalid-audit"
                )
            for number in (*run.own, *run.charged):
                if not 0 <= number < len(self.functions):
                    raise InternalError(
                        f"cannot use an audit: function {number} of {len(self.functions)}", slug="invalid-audit"
                    )
        if any(not 0 <= number < len(self.functions) for number in self.calls):
            raise InternalError("cannot use an audit: calls of a function that is not there", slug="invalid-audit")

    @property
    def rounds(self) -> int:
        """Rounds in which there is a run."""
        return len({run.round for run in self.runs})

    def runs_of(self, profiler: str, *, is_without: bool = False) -> tuple[ProfiledRun, ...]:
        """The runs of one configuration, by round."""
        found = [
            run
            for run in self.runs
            if run.profiler == profiler and run.is_without == is_without and not run.is_of_nothing
        ]
        return tuple(sorted(found, key=lambda run: run.round))

    def runs_of_nothing(self, profiler: str) -> tuple[ProfiledRun, ...]:
        """Those of an empty program under the profiler; if there are none, those without one."""
        found = tuple(run for run in self.runs if run.profiler == profiler and run.is_of_nothing)
        return found or self.runs_of(EMPTY)

    def answers_of(self, profiler: str, *, is_without: bool = False) -> tuple[ProfiledRun, ...]:
        """Those of them in which the profiler said anything."""
        return tuple(run for run in self.runs_of(profiler, is_without=is_without) if run.own)

    def with_losses(self, *losses: Loss) -> "AuditProfile":
        """The same, of which more is lost."""
        return replace(self, losses=(*self.losses, *losses))
