"""The table of formats: everything the command line and the contract tests know about each."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import BinaryIO, Protocol

from sonde.base.errors import UsageError
from sonde.formats.callgrind import CALLGRIND_SUFFIX
from sonde.formats.callgrind_calls import write_callgrind_calls
from sonde.formats.chrome import write_chrome
from sonde.formats.collapsed import write_collapsed
from sonde.formats.metric import Metric
from sonde.formats.pprof import write_pprof
from sonde.formats.speedscope import write_speedscope
from sonde.instruments.contexts.profile import ContextProfile

CALLGRIND = "callgrind"
"""The format that profiles of memory accesses have, too, and no other."""


class Writer(Protocol):
    """What every format offers; further keyword options have defaults."""

    def __call__(self, profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
        """Write the profile; `metric` None for time when it was measured, else calls."""


@dataclass(frozen=True, slots=True)
class Format:
    """One file format that profiles can be written in."""

    name: str
    write: Writer
    suffix: str
    """Of the file name, with its leading dot."""
    binary: bool
    """Not for a terminal."""
    holds_losses: bool
    """Whether the file itself says what the profile lacks."""
    open_with: str
    """What to type or where to go; `{path}` is the file."""


FORMATS: tuple[Format, ...] = (
    Format(
        name="speedscope",
        write=write_speedscope,
        suffix=".speedscope.json",
        binary=False,
        holds_losses=True,
        open_with="https://www.speedscope.app (drop the file there), or: speedscope {path}",
    ),
    Format(
        name="pprof",
        write=write_pprof,
        suffix=".pb.gz",
        binary=True,
        holds_losses=True,
        open_with="go tool pprof -http=: {path}",
    ),
    Format(
        name="collapsed",
        write=write_collapsed,
        suffix=".collapsed.txt",
        binary=False,
        holds_losses=False,
        open_with="flamegraph.pl {path} > flame.svg, or https://www.speedscope.app",
    ),
    Format(
        name="chrome",
        write=write_chrome,
        suffix=".trace.json",
        binary=False,
        holds_losses=True,
        open_with="https://ui.perfetto.dev (Open trace file)",
    ),
    Format(
        name=CALLGRIND,
        write=write_callgrind_calls,
        suffix=CALLGRIND_SUFFIX,
        binary=False,
        holds_losses=True,
        open_with="callgrind_annotate --inclusive=yes {path}, or kcachegrind {path}",
    ),
)


def format_named(name: str) -> Format:
    """Find a format for profiles of calling contexts.

    Raises:
        UsageError: `unknown-format`.
    """
    for each in FORMATS:
        if each.name == name:
            return each
    names = [each.name for each in FORMATS]
    near = get_close_matches(name, names, n=1)
    raise UsageError(
        f"cannot write format '{name}': known are {', '.join(names)}",
        slug="unknown-format",
        hint=f"did you mean --to {near[0]}?" if near else "sonde export --help",
    )
