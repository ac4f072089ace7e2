"""What a capture is asked for, and what it leaves."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

from sonde.instruments.decisions.model import CompilerKind
from sonde.options.declared import Option
from sonde.options.numbers import duration_ns


def _seconds(text: str) -> float:
    return duration_ns(text) / 1e9


def _tick_ms(text: str) -> int:
    """Milliseconds; 0 for none."""
    ms = 0 if text == "0" else duration_ns(text) // 1_000_000
    if not ms and text != "0":
        raise ArgumentTypeError(f"'{text}' is too short: write 1ms or more, or 0 for no times")
    return ms


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How to capture."""

    kind: Annotated[
        CompilerKind | None,
        Option("what to record (default: what the command says)", parse=str, choices=get_args(CompilerKind)),
    ] = None
    interval_s: Annotated[
        float,
        Option(
            "Python: from one snapshot of what is specialised to the next",
            parse=_seconds,
            metavar="TIME",
            show="{:g}s".format,
            called="interval",
        ),
    ] = 1.0
    tick_ms: Annotated[
        int,
        Option(
            "Python: from one look at where the program is to the next; 0: no times",
            parse=_tick_ms,
            metavar="TIME",
            show="{}ms".format,
            called="tick",
        ),
    ] = 5
    force: Annotated[bool, Option("write into a folder in which something is")] = False
    """What is there stays, unless it has the same name."""


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
