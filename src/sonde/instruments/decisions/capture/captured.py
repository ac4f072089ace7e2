"""What a capture is asked for, and what it leaves."""

from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.decisions.model import CompilerKind


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How to capture."""

    kind: CompilerKind | None = None
    """What is to be recorded; None: what the command says."""
    force: bool = False
    """Write into a folder in which something is; what is there stays, unless it has the same name."""
    interval_s: float = 1.0
    """Python only: seconds from one snapshot of the interpreter's decisions to the next."""
    tick_ms: int = 5
    """Python only: milliseconds from one look at where the program is to the next; 0: none, and no time is known."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What lies in the folder, by the end of the program."""

    kind: CompilerKind
    exit_code: int
    """Of the program; 128 and the number of the signal that killed it, as shells say it."""
    record: Path
    """File or folder that has the decisions, below the folder of the run."""
    profile: Path | None = None
    """File that has the times."""
    compiler: str | None = None
    """In words: `OpenJDK 64-Bit Server VM 25.0.3, C1 and C2`."""
    remarks: tuple[str, ...] = ()
    """For people, one line each: what was changed in the command, how much of the time could be linked."""
