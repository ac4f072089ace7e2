"""The table of formats: everything the command line and the contract tests know about each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from sonde.base.errors import UsageError
from sonde.base.near_names import near_hint
from sonde.formats.callgrind import CALLGRIND_SUFFIX, write_callgrind
from sonde.formats.callgrind_calls import write_callgrind_calls
from sonde.formats.chrome import write_chrome
from sonde.formats.collapsed import write_collapsed
from sonde.formats.collapsed_paths import write_collapsed_paths
from sonde.formats.metric import Metric
from sonde.formats.pprof import write_pprof
from sonde.formats.provenance import doubts
from sonde.formats.speedscope import write_speedscope
from sonde.instruments.contexts.profile import ContextProfile

CALLGRIND = "callgrind"


class Writer(Protocol):
    """What every format of calling contexts offers; further keyword options have defaults."""

    def __call__(self, profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
        """Write the profile; `metric` None for time when it was measured, else calls."""


def no_doubts(_profile: Any) -> Iterable[str]:
    """Of profiles that are exact, or of formats that say it themselves."""
    return ()


@dataclass(frozen=True, slots=True)
class Format:
    """One file format that profiles can be written in."""

    name: str
    write: Callable[..., None]
    """A `Writer`; without `metric` where `has_metrics` is false."""
    suffix: str
    """Of the file name, with its leading dot."""
    binary: bool
    """Not for a terminal."""
    holds_losses: bool
    """Whether the file itself says what the profile lacks."""
    open_with: str
    """What to type or where to go; `{path}` is the file."""
    kind: str = "contexts"
    """The kind of profiles that it is for."""
    has_metrics: bool = True
    """Whether weights are one of the `METRICS`."""
    doubts: Callable[[Any], Iterable[str]] = no_doubts
    """How far values may be off, where the file has no room to say it."""


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
        doubts=doubts,
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
    Format(
        name=CALLGRIND,
        write=write_callgrind,
        suffix=CALLGRIND_SUFFIX,
        binary=False,
        holds_losses=False,
        open_with="callgrind_annotate {path}, or kcachegrind {path}",
        kind="memory",
        has_metrics=False,
    ),
    Format(
        name="collapsed",
        write=write_collapsed_paths,
        suffix=".collapsed.txt",
        binary=False,
        holds_losses=False,
        open_with="flamegraph.pl {path} > flame.svg, or https://www.speedscope.app",
        kind="paths",
        has_metrics=False,
    ),
)


def registered_name(each: Format) -> str:
    """What a format is called in the registry: formats of different kinds may have one name."""
    return each.name if each.kind == "contexts" else f"{each.kind}-{each.name}"


def format_named(name: str) -> Format:
    """Find a format of ours by its name in the registry.

    Raises:
        UsageError: `unknown-format`.
    """
    for each in FORMATS:
        if registered_name(each) == name:
            return each
    raise unknown_format(name, [each.name for each in FORMATS])


def unknown_format(name: str, known: Iterable[str]) -> UsageError:
    """The error for a format that there is not."""
    names = list(dict.fromkeys(known))
    return UsageError(
        f"cannot write format '{name}': known are {', '.join(names)}",
        slug="unknown-format",
        hint=near_hint(name, names, "sonde export --help", before="--to "),
    )
