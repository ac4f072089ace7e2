"""How a profiler is run, as its users do, and how what it writes is read."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonde.instruments.audit.profile import ClockKind
from sonde.instruments.audit.sources.program_code import CodeName


class UnreadableAnswer(Exception):
    """What a profiler wrote is not what this driver knows. Its text says why."""


@dataclass(slots=True)
class Told:
    """What a profiler said of one run."""

    own: dict[CodeName, float] = field(default_factory=dict)
    """Own time of each function, or of lines, in a unit of the profiler's own."""
    charged: dict[CodeName, float] = field(default_factory=dict)
    """Own time of what each called directly; of the dense sample only."""
    total_ns: int | None = None
    """The time that it says it saw; None: it tells shares alone."""
    program_ns: tuple[int, int] | None = None
    """Elapsed and processor time of the program's process, where it is known by what started it."""

    def add(self, name: CodeName, amount: float) -> None:
        """Add to a function's own time."""
        self.own[name] = self.own.get(name, 0.0) + amount

    def without(self, folders: Iterable[str]) -> "Told":
        """Without the profiler's own code, in files whose path has one of these in it."""
        parts = tuple(folders)

        def kept(amounts: Mapping[CodeName, float]) -> dict[CodeName, float]:
            return {name: each for name, each in amounts.items() if not any(part in name.file for part in parts)}

        return Told(kept(self.own), kept(self.charged), self.total_ns, self.program_ns)


@dataclass(frozen=True, slots=True)
class Driver:
    """One profiler. Others are plugged in as `profiler-driver`."""

    name: str
    """As it is asked for."""
    command: Callable[[Any, Path], list[str]]
    """(program, output): runs an `AuditedPython`, or an `AuditedCompiled`, under the profiler, which writes to
    `output`."""
    read: Callable[[Path], Told]
    """What it wrote. Raises `UnreadableAnswer`; `OSError` where there is nothing."""
    clock: ClockKind = "wall"
    """Which time it tells."""
    module: str = ""
    """What the program's interpreter must have; empty: nothing."""
    distribution: str = ""
    """What installs it; empty: it comes with Python, or with sonde."""
    executable: str = ""
    """A command that must be there, beside the interpreter or on PATH; empty: none."""
    tells_program_only: bool = False
    """It tells nothing of functions outside of the program's own files."""
    keeps_time: bool = False
    """It compiles the program first, and tells how long it ran then (`Told.program_ns`)."""
    own_code: tuple[str, ...] = ()
    """Parts of paths of its own code."""
    own_failures: tuple[int, ...] = ()
    """Exit codes by which it tells that it has no profile of a program that ended with success.
    It runs the program as a process of its own."""
