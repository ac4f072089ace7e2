"""What differs between two memory profiles: functions, lines and types by what they are called."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from sonde.base.errors import InputError
from sonde.code import CodeSelection, Function, no_code_left
from sonde.instruments.memory.profile.contexts import contexts_of, inclusive_by_function, own_by_function
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.profile.memory_profile import MemoryContext, MemoryProfile
from sonde.instruments.memory.profile.totals import CodeLayer, added, by_type, functions_that_ran, lines_of

_EVERYTHING = CodeSelection()


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
    """None if only some functions are looked at."""
    inclusive_functions: tuple[MemoryChange, ...]
    """Python functions with all that they called; none where one side has no calling contexts."""
    functions: tuple[MemoryChange, ...]
    """All that are looked at, changed or not; of Python where there are any, else native."""
    is_whole: bool = True
    """Whether all code is looked at."""

    def has_changes(self, min_change: float) -> bool:
        """Whether anything changed much; of some code only, whether that did.

        Args:
            min_change: the smallest change that counts, as a share of what the larger side has in all: of accesses,
                or of misses of the same level.
        """
        whole = [max(pair) for pair in zip(_columns(self.total.before), _columns(self.total.after), strict=True)]
        tables = (self.python_functions, self.python_lines, self.native_functions, self.native_lines, self.types)
        return any(
            change and abs(change) >= min_change * most
            for each in (*([self.total] if self.is_whole else []), *(row for table in tables for row in table))
            for change, most in zip((each.accesses, *each.misses), whole, strict=True)
        )


def compare_memory(
    before: MemoryProfile,
    after: MemoryProfile,
    *,
    names: tuple[str, str] = ("before", "after"),
    selection: CodeSelection = _EVERYTHING,
    from_: str | None = None,
) -> MemoryDifference:
    """Compare two memory profiles; their caches may differ in size, not in number.

    Args:
        names: what to call the profiles in messages.
        selection: functions to look at, on either side; the total is of the whole runs.
        from_: only what was done in functions of this name and what they called; lines are not known of that.
    Raises:
        UsageError: `no-calling-contexts`, `no-such-function`.
        InputError: `different-caches`: their misses are of different levels.
        UsageError: `no-code-left`: none of these functions accessed memory.
    Guarantee: without a selection, the changes of a layer's functions add up to that of the layer, as do those of its
        lines; those of types to the total. Comparing in the other direction gives the same with the sides exchanged.
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
    chosen = _chosen((before, after), selection)

    def of_code(rows: Callable[[MemoryProfile, CodeLayer], Iterator[_Row]], layer: CodeLayer) -> list[MemoryChange]:
        old, new = ([row for row in rows(side, layer) if row.key[:2] in chosen] for side in (before, after))
        return _compared(old, new, len(levels))

    def of_contexts(inclusive: bool) -> list[MemoryChange]:
        old, new = ([row for row in _in_contexts(*side, inclusive) if row.key in chosen] for side in contexts)
        return _compared(old, new, len(levels))

    sides = [(side.contexts, side.functions) for side in (before, after)]
    contexts = [(side, side.contexts) for side in (before, after)]
    if from_ is not None:
        contexts = list(zip((before, after), contexts_of(sides, from_), strict=True))
        python, native, is_whole = of_contexts(False), list[MemoryChange](), False
        if not python:
            raise no_code_left(selection, [], what=f"function that ran in '{from_}'")
    else:
        python, native = of_code(_functions, "python"), of_code(_functions, "native")
        is_whole = selection.is_everything
    types = _compared(_types(before), _types(after), len(levels)) if is_whole else []
    return MemoryDifference(
        levels=levels,
        latencies=before.latencies,
        total=MemoryChange(
            "", "", (0, 0), *(MemoryCounts(each.accesses, each.total_misses) for each in (before, after))
        ),
        python_functions=_changed(python),
        python_lines=_changed(of_code(_lines, "python")) if from_ is None else (),
        native_functions=_changed(native),
        native_lines=_changed(of_code(_lines, "native")) if from_ is None else (),
        types=_changed(types),
        inclusive_functions=_changed(of_contexts(True)) if before.contexts and after.contexts else (),
        functions=tuple(python or native),
        is_whole=is_whole,
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


def _chosen(profiles: Sequence[MemoryProfile], selection: CodeSelection) -> set[tuple[str, ...]]:
    """Keys of functions that are looked at, on either side."""
    functions = [each for profile in profiles for each in profile.functions]
    chosen: set[tuple[str, ...]] = {_key(each) for each in selection.among(functions)}
    ran = [*dict.fromkeys(each for profile in profiles for each in functions_that_ran(profile))]
    if ran and not any(_key(each) in chosen for each in ran):
        raise no_code_left(selection, ran, what="function that accessed memory")
    return chosen


def _key(function: Function) -> tuple[str, str]:
    return function.name, PurePath(function.file or function.library).name


def _functions(profile: MemoryProfile, layer: CodeLayer) -> Iterator[_Row]:
    keys = [_key(each) for each in profile.functions]
    for each in lines_of(profile, layer):
        number, _ = profile.places[each.place].frames[0]
        function = profile.functions[number]
        accesses = each.loads + each.stores
        yield _Row(keys[number], function.name, function.file, function.first_line, accesses, each.misses)


def _in_contexts(profile: MemoryProfile, contexts: Sequence[MemoryContext], inclusive: bool) -> Iterator[_Row]:
    """Python functions in some contexts, or with all that they called there."""
    for each in inclusive_by_function(contexts) if inclusive else own_by_function(contexts):
        function = profile.functions[each.function]
        yield _Row(_key(function), function.name, function.file, function.first_line, each.accesses, each.misses)


def _lines(profile: MemoryProfile, layer: CodeLayer) -> Iterator[_Row]:
    for each, row in zip(lines_of(profile, layer), _functions(profile, layer), strict=True):
        _, line = profile.places[each.place].frames[0]
        below = f"+{line - row.line}" if line and row.line else str(line)
        yield _Row((*row.key, below), row.name, row.file, line, row.accesses, row.misses)


def _types(profile: MemoryProfile) -> Iterator[_Row]:
    for each in by_type(profile):
        memory = profile.types[each.types[0]]
        yield _Row((memory.kind, memory.name), memory.name, "", 0, each.accesses, each.misses)


def _compared(before: Iterable[_Row], after: Iterable[_Row], levels: int) -> list[MemoryChange]:
    """Both sides by key; rows of one key are added up."""
    groups: dict[tuple[str, ...], tuple[list[_Row], list[_Row]]] = {}
    for side, rows in enumerate((before, after)):
        for row in rows:
            groups.setdefault(row.key, ([], []))[side].append(row)
    found = []
    for key in sorted(groups):
        old, new = groups[key]
        shown = (new or old)[0]
        lines = (old[0].line if old else 0, new[0].line if new else 0)
        found.append(MemoryChange(shown.name, shown.file, lines, _sum(old, levels), _sum(new, levels)))
    return found


def _changed(rows: Iterable[MemoryChange]) -> tuple[MemoryChange, ...]:
    """What differs, the largest change first."""
    found = [each for each in rows if not each.is_none]
    return tuple(sorted(found, key=lambda each: (*(-abs(count) for count in each.misses), -abs(each.accesses))))


def _sum(rows: list[_Row], levels: int) -> MemoryCounts:
    return MemoryCounts(sum(row.accesses for row in rows), added([(0,) * levels, *(row.misses for row in rows)]))


def _columns(counts: MemoryCounts) -> tuple[int, ...]:
    return counts.accesses, *counts.misses
