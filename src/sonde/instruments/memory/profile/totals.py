"""Sums over a memory profile: per function, per line, per type, per place that made objects.

Code is summed up by its innermost frame: what was inlined counts for itself, not for what it was inlined into.
All answers are sorted by misses, nearest cache first, then by accesses, descending.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Literal, get_args

from sonde.code import Function
from sonde.instruments.memory.profile.memory_profile import (
    NO_PLACE,
    Lifetimes,
    LineAccesses,
    MemoryProfile,
    ObjectClass,
)

CodeLayer = Literal["python", "native"]
"""`python`: the Python line that was running. `native`: the machine code, jitted code included."""
CODE_LAYERS: tuple[CodeLayer, ...] = get_args(CodeLayer)


@dataclass(frozen=True, slots=True)
class FunctionTotals:
    """What one function did, wherever it was inlined."""

    function: int
    loads: int
    stores: int
    misses: tuple[int, ...]
    """Per data level."""
    instructions: int
    fetch_misses: tuple[int, ...]

    @property
    def accesses(self) -> int:
        """Loads and stores."""
        return self.loads + self.stores


@dataclass(frozen=True, slots=True)
class LineTotals:
    """What one line of a file did."""

    file: str
    line: int
    """0: unknown; then there is one of these for each function."""
    functions: tuple[int, ...]
    """Whose line it is, who misses most there first: several when one line defines several, or is executed anew."""
    loads: int
    stores: int
    misses: tuple[int, ...]
    instructions: int
    fetch_misses: tuple[int, ...]

    @property
    def accesses(self) -> int:
        """Loads and stores."""
        return self.loads + self.stores


@dataclass(frozen=True, slots=True)
class MemoryTotals:
    """What happened to the memory of one type, or to the objects that one place made."""

    types: tuple[int, ...]
    """Ascending; one when it is the sum of a type."""
    site: int
    """Number of the place; `NO_PLACE` when it is the sum of a type."""
    born: int
    """In the window: what was there before has no place that made it, and counts here no more than in `freed` and
    `size_bytes`."""
    freed: int
    size_bytes: int
    accesses: int
    misses: tuple[int, ...]
    lifetimes: Lifetimes = field(default_factory=Lifetimes)


def by_function(profile: MemoryProfile, layer: CodeLayer) -> tuple[FunctionTotals, ...]:
    """Per function.

    Guarantee: every count of the layer is in exactly one of the sums.
    Cost: O(n log n) for n places.
    """
    groups: dict[int, list[LineAccesses]] = {}
    for each in lines_of(profile, layer):
        groups.setdefault(profile.places[each.place].frames[0][0], []).append(each)
    found = (FunctionTotals(function, *_summed(lines)) for function, lines in groups.items())
    return tuple(sorted(found, key=lambda each: (_weight(each), each.function)))


def by_line(profile: MemoryProfile, layer: CodeLayer) -> tuple[LineTotals, ...]:
    """Per line of a file; where file or line are unknown, per function.

    Guarantee: every count of the layer is in exactly one of the sums.
    Cost: O(n log n) for n places.
    """
    groups: dict[tuple[str, int, int], dict[int, list[LineAccesses]]] = {}
    for each in lines_of(profile, layer):
        function, line = profile.places[each.place].frames[0]
        file = profile.functions[function].file
        key = (file, line, NO_PLACE) if file and line else (file, 0, function)
        groups.setdefault(key, {}).setdefault(function, []).append(each)
    found = (
        LineTotals(file, line, _heaviest_first(functions), *_summed(list(chain(*functions.values()))))
        for (file, line, _), functions in groups.items()
    )
    return tuple(sorted(found, key=lambda each: (_weight(each), each.file, each.line, each.functions)))


def by_type(profile: MemoryProfile) -> tuple[MemoryTotals, ...]:
    """Per type of object and per region, whoever made it.

    Guarantee: every access and every birth is in exactly one of the sums.
    Cost: O(n log n) for n classes.
    """
    groups: dict[int, list[ObjectClass]] = {}
    for each in profile.classes:
        groups.setdefault(each.type, []).append(each)
    return _of_memory((NO_PLACE, classes) for classes in groups.values())


def by_site(profile: MemoryProfile) -> tuple[MemoryTotals, ...]:
    """Per place that made objects; what was there before, and regions, are of no place and not listed.

    Cost: O(n log n) for n classes.
    """
    groups: dict[int, list[ObjectClass]] = {}
    for each in profile.classes:
        if each.site != NO_PLACE:
            groups.setdefault(each.site, []).append(each)
    return _of_memory(groups.items())


def lifetimes_by_type(profile: MemoryProfile) -> dict[int, Lifetimes]:
    """How long objects were in use, by the number of their type; types without lifetimes are left out."""
    return {each.types[0]: each.lifetimes for each in by_type(profile) if each.lifetimes.objects}


def lifetimes_by_site(profile: MemoryProfile) -> dict[int, Lifetimes]:
    """How long objects were in use, by the place that made them; places without lifetimes are left out."""
    return {each.site: each.lifetimes for each in by_site(profile) if each.lifetimes.objects}


def lines_of(profile: MemoryProfile, layer: CodeLayer) -> tuple[LineAccesses, ...]:
    """One of the two layers of code."""
    return profile.python_lines if layer == "python" else profile.native_lines


def functions_that_ran(profile: MemoryProfile) -> list[Function]:
    """The innermost functions of all code that accessed memory, each once."""
    lines = (*profile.python_lines, *profile.native_lines)
    return [profile.functions[number] for number in sorted({profile.places[each.place].frames[0][0] for each in lines})]


def added(counts: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Sum of vectors, as long as the longest of them.

    >>> added([(1, 2), (), (10, 20, 30)])
    (11, 22, 30)
    """
    return tuple(map(sum, zip_longest(*counts, fillvalue=0)))


def added_lifetimes(parts: Iterable[Lifetimes]) -> Lifetimes:
    """The distribution over all objects of several; without empty bins at its end."""
    parts = tuple(parts)
    counts = added(part.counts for part in parts)
    while counts and not counts[-1]:
        counts = counts[:-1]
    return Lifetimes(counts, sum(part.total for part in parts))


def _heaviest_first(functions: Mapping[int, Sequence[LineAccesses]]) -> tuple[int, ...]:
    if len(functions) == 1:
        return tuple(functions)
    totals = (FunctionTotals(function, *_summed(lines)) for function, lines in functions.items())
    return tuple(each.function for each in sorted(totals, key=lambda each: (_weight(each), each.function)))


def _summed(lines: Sequence[LineAccesses]) -> tuple[int, int, tuple[int, ...], int, tuple[int, ...]]:
    if len(lines) == 1:
        (line,) = lines
        return line.loads, line.stores, line.misses, line.instructions, line.fetch_misses
    return (
        sum(line.loads for line in lines),
        sum(line.stores for line in lines),
        added(line.misses for line in lines),
        sum(line.instructions for line in lines),
        added(line.fetch_misses for line in lines),
    )


def _of_memory(groups: Iterable[tuple[int, Sequence[ObjectClass]]]) -> tuple[MemoryTotals, ...]:
    found = (
        MemoryTotals(
            types=tuple(sorted({each.type for each in classes})),
            site=site,
            born=sum(each.born for each in classes if each.site != NO_PLACE),
            freed=sum(each.freed for each in classes if each.site != NO_PLACE),
            size_bytes=sum(each.size_bytes for each in classes if each.site != NO_PLACE),
            accesses=sum(each.accesses for each in classes),
            misses=added(each.misses for each in classes),
            lifetimes=added_lifetimes(each.lifetimes for each in classes),
        )
        for site, classes in groups
    )
    return tuple(sorted(found, key=lambda each: (_weight(each), each.types, each.site)))


def _weight(each: FunctionTotals | LineTotals | MemoryTotals) -> tuple[tuple[int, ...], int]:
    """Less for what has more."""
    return tuple(-count for count in each.misses), -each.accesses
