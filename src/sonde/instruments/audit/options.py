"""Options of `sonde audit`, and of looking at audits."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from typing import Annotated

from sonde.options.declared import Option
from sonde.options.numbers import natural, positive
from sonde.registry import PROFILER_DRIVERS

ROUNDS = 10
TOGGLES = ("calls", "numba", "jit", "comprehensions", "specialisation")
"""The last two are known, and cannot be turned off."""
FEWEST_ROUNDS = 6
"""Of fewer pairs of runs there is no 95 % interval that holds whatever their distribution."""


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ArgumentTypeError(f"'{text}' is not a list of profilers: write cProfile,py-spy")
    return names


def _toggles(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in text.split(","))
    unknown = [name for name in names if name not in TOGGLES]
    if unknown:
        raise ArgumentTypeError(f"'{unknown[0]}' is nothing that could be turned off: write calls, numba or jit")
    return names


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) < FEWEST_ROUNDS:
        raise ArgumentTypeError(f"'{text}' is not a number of rounds: write {FEWEST_ROUNDS} or more")
    return int(text)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Which profilers are audited, and how long."""

    profilers: Annotated[
        tuple[str, ...],
        Option(
            "profilers, separated by commas (default: all that are installed)",
            parse=_names,
            metavar="NAMES",
            suggested=tuple(PROFILER_DRIVERS),
        ),
    ] = ()
    rounds: Annotated[
        int, Option("runs of each configuration, in rounds of random order", parse=_rounds, metavar="N")
    ] = ROUNDS
    realism: Annotated[
        bool,
        Option("also run everything with an optimisation turned off, to see which profilers notice; twice the runs"),
    ] = True
    toggle: Annotated[
        tuple[str, ...],
        Option(
            "what is turned off in Python programs, separated by commas: calls, CPython's inlined calls (default);"
            " numba, inlining in code that Numba compiles; jit, CPython's JIT, where a build has it",
            parse=_toggles,
            metavar="NAMES",
            suggested=TOGGLES[:3],
        ),
    ] = ()
    seed: Annotated[int, Option("seed of the order of the runs", parse=natural, metavar="N")] = 0


@dataclass(frozen=True, slots=True)
class AuditViewOptions:
    """How much of an audit is shown."""

    rows: Annotated[int, Option("functions of each profiler", parse=positive, metavar="N")] = 5
