"""Options of `sonde paths`, and of looking at path profiles and comparing them."""

from argparse import ArgumentTypeError
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sonde.base.units import format_percent, format_size
from sonde.options.bursts import BURST, Bursts, checked_bursts
from sonde.options.declared import Option
from sonde.options.numbers import positive, share, size_bytes

MOST_PATHS = 2**32 - 1
"""The largest k of the core."""
LEAST_MEMORY_BYTES = 64 << 10
PROBES = ("late", "early")


def _paths(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_PATHS:
        raise ArgumentTypeError(f"'{text}' is not a number of paths: write 1 to {MOST_PATHS:,}")
    return int(text)


def _memory(text: str) -> int:
    size = size_bytes(text)
    if size < LEAST_MEMORY_BYTES:
        raise ArgumentTypeError(f"'{text}' is too little memory: write 64k or more")
    return size


@dataclass(frozen=True, slots=True)
class PathOptions:
    """Which paths are counted together, and what that may cost."""

    stream: Annotated[
        Path | None,
        Option(
            "a stream of paths: one id per line, '*' or '* NAME' where a routine is entered; - for standard input",
            parse=Path,
            metavar="FILE",
        ),
    ] = None
    k: Annotated[int, Option("acyclic paths in a sequence at most", parse=_paths, metavar="N", short="-k")] = 4
    memory: Annotated[int, Option("keep as many sequences as fit", parse=_memory, metavar="SIZE", show=format_size)] = (
        1 << 30
    )
    """In bytes."""
    burst: Annotated[tuple[int, int] | None, BURST] = None
    """In nanoseconds."""
    probes: Annotated[
        str,
        Option(
            "of a program that sonde compiles: whether paths are those that are left after the optimiser, or those of"
            " each function as it is written, wherever it is inlined (slower; default: late)",
            choices=PROBES,
        ),
    ] = ""

    @property
    def bursts(self) -> Bursts | None:
        """When to look; None: all the time. Raises: UsageError: `bad-burst`."""
        return None if self.burst is None else checked_bursts(*self.burst)


_ROWS = Option("rows of each table", parse=positive, metavar="N")


@dataclass(frozen=True, slots=True)
class PathViewOptions:
    """How much of a profile is shown."""

    rows: Annotated[int, _ROWS] = 20
    min_share: Annotated[
        float,
        Option(
            "leave out sequences with less than this share of their routine's paths",
            parse=share,
            metavar="SHARE",
            show=format_percent,
        ),
    ] = 0.01
    function: Annotated[str, Option("only this function", metavar="NAME")] = ""


@dataclass(frozen=True, slots=True)
class PathAdviceOptions:
    """How much advice is given."""

    rows: Annotated[int, _ROWS] = 20
    min_share: Annotated[
        float,
        Option(
            "leave out what is about less than this share of the paths",
            parse=share,
            metavar="SHARE",
            show=format_percent,
        ),
    ] = 0.01
    function: Annotated[str, Option("only this function", metavar="NAME")] = ""


@dataclass(frozen=True, slots=True)
class PathDiffOptions:
    """How much of a comparison is shown."""

    rows: Annotated[int, _ROWS] = 20
