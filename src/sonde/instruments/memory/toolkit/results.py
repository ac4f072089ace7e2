"""What a tool has found out, as numbers: the same value from result lines and from the slow twin."""

from dataclasses import dataclass, field

from sonde.instruments.memory.toolkit.histogram import Bins
from sonde.instruments.memory.toolkit.value_types import Kind

KeyNumbers = tuple[int | None, ...]
"""A number for each part of a key; None for a type, method, place or thread where there is none."""

FAULTS = {
    "division-by-zero": "a division by zero",
    "negative-shift": "a shift by a negative number",
    "no-such-integer": "int() of a float that does not fit",
    "range-without-step": "a range() with step 0",
    "endless-loop": "10,000,000 iterations of loops in one piece of advice",
    "no-memory": "no memory left",
}
"""What ended the advice, and its name in result lines."""


@dataclass(frozen=True, slots=True)
class CountsResult:
    kinds: tuple[Kind, ...]
    columns: tuple[str, ...]
    rows: dict[KeyNumbers, tuple[int, ...]]
    refused: int
    """How often a row was wanted for which there was no room."""


@dataclass(frozen=True, slots=True)
class HistogramResult:
    kinds: tuple[Kind, ...]
    rows: dict[KeyNumbers, Bins]
    refused: int


@dataclass(frozen=True, slots=True)
class SetResult:
    kinds: tuple[Kind, ...]
    rows: set[KeyNumbers]
    refused: int
    """How often a key was added for which there was no room."""


@dataclass(frozen=True, slots=True)
class CacheResult:
    accesses: int
    misses: tuple[int, ...]
    """By level."""


@dataclass(frozen=True, slots=True)
class OutputResult:
    file: str
    lines: int
    lost: int
    """Lines that could not be written."""


@dataclass(frozen=True, slots=True)
class ToolFault:
    """What ended the advice of a run before its end."""

    what: str
    """A key of `FAULTS`."""
    line: int
    """Of the tool's file; 0: none."""


@dataclass(slots=True)
class ToolResults:
    """All that was left when the run ended."""

    name: str
    """Of the tool's class."""
    fields: dict[str, tuple[Kind, int | float | bool | None]] = field(default_factory=dict)
    counts: dict[str, CountsResult] = field(default_factory=dict)
    histograms: dict[str, HistogramResult] = field(default_factory=dict)
    sets: dict[str, SetResult] = field(default_factory=dict)
    objects: dict[int, tuple[int | None, int | None]] = field(default_factory=dict)
    """Type and place of birth of the objects that are named anywhere in it, and were among the first 1,048,576."""
    caches: dict[str, CacheResult] = field(default_factory=dict)
    outputs: dict[str, OutputResult] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    unprinted: int = 0
    """Lines for which there was no room."""
    fault: ToolFault | None = None

    def notices(self, file: str = "the tool") -> list[str]:
        """What the reader of the results must know, in sentences; nothing if all is well."""
        said = []
        if self.fault is not None:
            where = f"{file}:{self.fault.line}: " if self.fault.line else ""
            said.append(f"{where}advice was switched off for the rest of the run by {FAULTS[self.fault.what]}")
        tables: dict[str, CountsResult | HistogramResult | SetResult]
        tables = {**self.counts, **self.histograms, **self.sets}
        said += [
            f"{name!r} is full with {len(each.rows):,} keys: {each.refused:,} uses of other keys are not in it"
            for name, each in tables.items()
            if each.refused
        ]
        said += [
            f"{each.lost:,} lines could not be written to {each.file!r}, {each.lines:,} were"
            for each in self.outputs.values()
            if each.lost
        ]
        if self.unprinted:
            said.append(f"{self.unprinted:,} printed lines are left out: advice can print a mebibyte")
        return said
