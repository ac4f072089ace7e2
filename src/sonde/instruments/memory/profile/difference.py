"""What differs between two memory profiles: functions, lines and types by what they are called."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from sonde.base.errors import InputError
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import CodeLayer, added, by_type, lines_of


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """One side of a change."""

    accesses: int
    misses: tuple[int, ...]
    """Per data level."""


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One function, line or type on both sides; a side that has no such thing counts 0."""

    name: str
    """Of the function or type; empty for the whole."""
    file: str
    """As the profile after has it, else the one before; empty for types and when unknown."""
    lines: tuple[int, int]
    """Before and after: of a function where it begins, else the line; 0 when unknown or not there."""
    before: MemoryCounts
    after: MemoryCounts

    @property
    def accesses(self) -> int:
        """How many more there are after."""
        return self.after.accesses - self.before.accesses

    @property
    def misses(self) -> tuple[int, ...]:
        """How many more there are after, per data level."""
        return tuple(after - before for before, after in zip(self.before.misses, self.after.misses, strict=True))

    @property
    def is_none(self) -> bool:
        """Whether both sides count the same."""
        return self.before == self.after


@dataclass(frozen=True, slots=True)
class MemoryDifference:
    """Two profiles compared, in absolute counts.

    Functions are one when they agree in layer, name and name of the file, wherever it lies (of the library where the
    file is unknown); lines when they are equally far below the beginning of such a function; types when they agree in
    kind and name. The tables hold what counts differently, the largest change of misses first: of the nearest level,
    then of the next, then of accesses.
    """

    levels: tuple[str, ...]
    """Names of the data levels."""
    latencies: Latencies
    """Of the side before: what misses of both are weighed by."""
    total: MemoryChange
    python_functions: tuple[MemoryChange, ...]
    python_lines: tuple[MemoryChange, ...]
    native_functions: tuple[MemoryChange, ...]
    native_lines: tuple[MemoryChange, ...]
    types: tuple[MemoryChange, ...]

    def has_changes(self, min_change: float) -> bool:
        """Whether anything changed much.

        Args:
            min_change: the smallest change that counts, as a share of what the larger side has in all: of accesses,
                or of misses of the same level.
        """
        whole = [max(pair) for pair in zip(_columns(self.total.before), _columns(self.total.after), strict=True)]
        tables = (self.python_functions, self.python_lines, self.native_functions, self.native_lines, self.types)
        return any(
            change and abs(change) >= min_change * most
            for each in (self.total, *(row for table in tables for row in table))
            for change, most in zip((each.accesses, *each.misses), whole, strict=True)
        )


def compare_memory(
    before: MemoryProfile, after: MemoryProfile, *, names: tuple[str, str] = ("before", "after")
) -> MemoryDifference:
    """Compare two memory profiles; their caches may differ in size, not in number.

    Args:
        names: what to call the profiles in messages.
    Raises:
        InputError: `different-caches`: their misses are of different levels.
    Guarantee: the changes of a layer's functions add up to that of the layer, as do those of its lines; those of
        types to the total. Comparing in the other direction gives the same with the sides exchanged.
    Cost: O(n log n) for n rows of both profiles.
    """
    levels = tuple(level.name for level in before.data_levels)
    others = tuple(level.name for level in after.data_levels)
    if levels != others:
        raise InputError(
            f"cannot compare '{names[0]}' with '{names[1]}': one has misses of {', '.join(levels) or 'no caches'},"
            f" the other of {', '.join(others) or 'no caches'}",
            slug="different-caches",
            hint="measure both with as many caches",
        )
    return MemoryDifference(
        levels=levels,
        latencies=before.latencies,
        total=MemoryChange(
            "", "", (0, 0), *(MemoryCounts(each.accesses, each.total_misses) for each in (before, after))
        ),
        python_functions=_changes(_functions(before, "python"), _functions(after, "python"), len(levels)),
        python_lines=_changes(_lines(before, "python"), _lines(after, "python"), len(levels)),
        native_functions=_changes(_functions(before, "native"), _functions(after, "native"), len(levels)),
        native_lines=_changes(_lines(before, "native"), _lines(after, "native"), len(levels)),
        types=_changes(_types(before), _types(after), len(levels)),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """Something that was counted, and what it is the same as."""

    key: tuple[str, ...]
    name: str
    file: str
    line: int
    accesses: int
    misses: tuple[int, ...]


def _functions(profile: MemoryProfile, layer: CodeLayer) -> Iterator[_Row]:
    keys = [(each.name, PurePath(each.file or each.library).name) for each in profile.functions]
    for each in lines_of(profile, layer):
        number, _ = profile.places[each.place].frames[0]
        function = profile.functions[number]
        accesses = each.loads + each.stores
        yield _Row(keys[number], function.name, function.file, function.first_line, accesses, each.misses)


def _lines(profile: MemoryProfile, layer: CodeLayer) -> Iterator[_Row]:
    for each, row in zip(lines_of(profile, layer), _functions(profile, layer), strict=True):
        _, line = profile.places[each.place].frames[0]
        below = f"+{line - row.line}" if line and row.line else str(line)
        yield _Row((*row.key, below), row.name, row.file, line, row.accesses, row.misses)


def _types(profile: MemoryProfile) -> Iterator[_Row]:
    for each in by_type(profile):
        memory = profile.types[each.types[0]]
        yield _Row((memory.kind, memory.name), memory.name, "", 0, each.accesses, each.misses)


def _changes(before: Iterable[_Row], after: Iterable[_Row], levels: int) -> tuple[MemoryChange, ...]:
    """What differs, by key; rows of one key are added up."""
    groups: dict[tuple[str, ...], tuple[list[_Row], list[_Row]]] = {}
    for side, rows in enumerate((before, after)):
        for row in rows:
            groups.setdefault(row.key, ([], []))[side].append(row)
    found = []
    for key in sorted(groups):
        old, new = groups[key]
        shown = (new or old)[0]
        lines = (old[0].line if old else 0, new[0].line if new else 0)
        change = MemoryChange(shown.name, shown.file, lines, _sum(old, levels), _sum(new, levels))
        if not change.is_none:
            found.append(change)
    return tuple(sorted(found, key=lambda each: (*(-abs(count) for count in each.misses), -abs(each.accesses))))


def _sum(rows: list[_Row], levels: int) -> MemoryCounts:
    return MemoryCounts(sum(row.accesses for row in rows), added([(0,) * levels, *(row.misses for row in rows)]))


def _columns(counts: MemoryCounts) -> tuple[int, ...]:
    return counts.accesses, *counts.misses
