"""A run: what a compiler decided while a program was compiled or ran, and where the time went."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sonde.evidence import Doubt
from sonde.instruments.decisions.model.position import Spread
from sonde.instruments.decisions.model.unit import Unit

CompilerKind = Literal["graal", "llvm", "hotspot", "cpython"]
Offsets = Literal["bytecode index", "line"]


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """Time spent in one piece of code."""

    name: str
    period: int
    id: str | None = None
    """Of the compilation."""
    level: int | None = None
    file: str = ""
    """Of the source, or the library or program that has the code; empty: not known."""
    line: int = 0
    """First line of the function; 0: not known."""
    spread: Spread = ()
    """Where in that code, as far as samples say; empty: they do not."""
    offsets: tuple[tuple[int, int], ...] = ()
    """Byte of the function's code -> time there, where samples tell only that."""


@dataclass(frozen=True, slots=True)
class TimeProfile:
    """Where the time of a run went, compiled or not."""

    total: int
    unit: Literal["cycles", "nanoseconds", "samples", "calls"]
    entries: tuple[ProfileEntry, ...]
    source: str
    """What measured it, for people: `proftool`, `JFR execution samples`, `perf script`, ..."""
    samples: int | None = None
    """How often somebody looked; None: not known, or everything was counted."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """Where a method is in the source."""

    file: str
    first_line: int


@dataclass(slots=True)
class DecisionRun:
    """What one run left behind."""

    name: str
    """For people: usually the path as it was given."""
    kind: CompilerKind
    offsets: Offsets
    units: list[Unit]
    profile: TimeProfile | None = None
    compilation: Literal["JIT", "AOT"] | None = None
    execution_id: str | None = None
    doubts: list[Doubt] = field(default_factory=list)
    sources: dict[str, SourceRange] = field(default_factory=dict)
    """Method -> where it is, for those that are known."""
    lines_from: Literal["file", "method"] = "file"
    """What lines are counted from, with `offsets` "line": the beginning of the file; or, for methods in `sources`, the
    method's first line, which is 0, so that it makes no difference where in its file a method stands."""
    directory: str = ""
    """Where relative names of files in `sources` begin; empty: not known."""
    moved: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Method -> a place in it that is told as another run has it (see `alignment`) -> where it is in this run."""

    @property
    def compiled_period(self) -> int:
        """Time in all units together."""
        return sum(unit.period for unit in self.units)

    def source_line(self, method: str, at: int) -> tuple[str, int] | None:
        """The file and the line in it, of an offset that is a line; None: it is none, or the file is not known."""
        source = self.sources.get(method)
        if self.offsets != "line" or source is None:
            return None
        return source.file, self.line_in_file(source, self.moved.get(method, {}).get(at, at))

    def line_in_file(self, source: SourceRange, at: int) -> int:
        """The line in its file of an offset in a method that is there; offsets are lines."""
        return at + source.first_line if self.lines_from == "method" else at
