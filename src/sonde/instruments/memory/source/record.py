"""The record that the tool leaves, read into a memory profile."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sonde.code import LANGUAGES, Function, plain_function
from sonde.events import CodeRange
from sonde.evidence import Loss
from sonde.instruments.memory.profile.fields import FieldMisses
from sonde.instruments.memory.profile.memory_profile import (
    CACHE_NAMES,
    MEMORY_KINDS,
    MOST_BINS,
    NO_CALLER,
    NO_FUNCTION,
    NO_PLACE,
    CacheLevel,
    CodePlace,
    Collections,
    Lifetimes,
    LineAccesses,
    MemoryContext,
    MemoryProfile,
    MemoryRun,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
)
from sonde.instruments.memory.profile.sharing import LineUse, SharedLine
from sonde.instruments.memory.source.jit_places import name_jit_places
from sonde.instruments.memory.source.record_lines import RecordLines, pairs

_COLUMNS = 3
"""Of misses: one for each data level that there can be."""

_Site = tuple[int, int]
"""Type and place, by their numbers in the profile."""


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """What the tool recorded."""

    counted: MemoryProfile
    """Of its run only `complete` is known: whether the record has its end."""
    advice: tuple[tuple[str, ...], ...] = ()
    """Results of a tool in the tool language: the fields of each `A` line."""

    def profile(self, run: MemoryRun) -> MemoryProfile:
        """The profile, with how it was measured; it is complete if both the run and the record are."""
        return replace(self.counted, run=replace(run, complete=run.complete and self.counted.run.complete))


def read_record(path: Path, code: Mapping[int, CodeRange] | None = None) -> MemoryRecord:
    """Read a record: of a whole run, or what there was of it when it was cut off.

    Args:
        code: jitted code by the number that its loader gave it (see `jit_places`); lines of such code are unknown
            without it.
    Raises:
        InputError: `no-memory-record`; `damaged-memory-record`, with the line where there is one.
    Guarantee: values are read back as they were written; a beginning of a record is refused, unless it lacks nothing
        that the sums in it need.
    Cost: O(n), about 5 us a line.
    """
    lines = RecordLines(path)
    reader = _Reader(lines)
    counted = reader.profile()
    for fact in counted.broken_invariants():
        raise lines.damaged(fact)
    advice = tuple(tuple(lines.text(line, each) for each in fields) for line, fields in lines.fields("A"))
    return MemoryRecord(name_jit_places(counted, reader.jit_numbers, code or {}), advice)


class _Reader:
    """A record on its way to a profile: numbers of the record become positions in the profile's tables."""

    def __init__(self, lines: RecordLines) -> None:
        self._lines = lines
        self._levels = 0
        self._functions: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._types: dict[int, int] = {}
        self.jit_numbers: dict[int, int] = {}
        """What the loader calls jitted functions, by their position."""

    def profile(self) -> MemoryProfile:
        """All tables; whether sums agree is not looked at."""
        caches = tuple(self._read_caches())
        self._levels = sum(cache.name != "I1" for cache in caches)
        functions, places, types = self._read_functions(), self._read_places(), self._read_types()
        is_whole = any(self._lines.fields("end"))
        return MemoryProfile(
            run=MemoryRun((), "", 0, "", "", "", "", complete=is_whole),
            caches=caches,
            policy=self._read_policy(),
            totals=self._read_totals(),
            functions=functions,
            places=places,
            python_lines=tuple(self._read_python_lines()),
            native_lines=tuple(self._read_native_lines()),
            types=types,
            classes=self._read_classes(),
            line_types=tuple(self._read_line_types()),
            fields=tuple(self._read_fields()),
            objects=tuple(self._read_objects()),
            shared_lines=self._read_shared_lines(),
            losses=tuple(self._read_losses(is_whole=is_whole)),
            collections=self._read_collections(),
            contexts=self._read_contexts(),
        )

    def _read_caches(self) -> Iterator[CacheLevel]:
        allowed: tuple[str, ...] = CACHE_NAMES
        for line, (name, *geometry) in self._lines.fields("cache"):
            if name not in allowed:
                raise self._lines.wrong(line, f"cache '{name}' is not one of {', '.join(CACHE_NAMES)}, in this order")
            allowed = allowed[allowed.index(name) + 1 :]
            size_bytes, ways, line_bytes = map(int, geometry)
            yield CacheLevel(name, size_bytes, ways, line_bytes)

    def _read_policy(self) -> str:
        for _, (replacement, inclusion, _, allocate, *_) in self._lines.fields("policy"):
            words = [replacement, "write-back", "write-allocate" if allocate == "1" else "no write-allocate"]
            return ", ".join(words + [inclusion] * (inclusion != "neither"))
        raise self._lines.damaged("it lacks a 'policy' line")

    def _read_totals(self) -> dict[str, int]:
        totals: dict[str, int] = {}
        for line, (key, value) in self._lines.fields("total"):
            if key in totals:
                raise self._lines.wrong(line, f"total '{key}' was told before")
            totals[key] = int(value)
        return totals

    def _read_functions(self) -> tuple[Function, ...]:
        found: list[Function] = []
        for line, (number, language, *texts) in self._lines.fields("F"):
            self._define(self._functions, int(number), line)
            if language not in LANGUAGES:
                raise self._lines.wrong(line, f"language '{language}' is not one of {', '.join(LANGUAGES)}")
            name, file, first_line, library = (self._lines.text(line, each) for each in texts)
            if language == "jit":
                if not (library.isascii() and library.isdigit()):
                    raise self._lines.wrong(line, f"'{library}' is not the number of jitted code")
                self.jit_numbers[len(found)] = int(library)
                library = ""
            found.append(plain_function(language, name, file, int(first_line), library))
        return tuple(found)

    def _read_places(self) -> tuple[CodePlace, ...]:
        found: list[CodePlace] = []
        for line, (number, frames) in self._lines.fields("P"):
            self._define(self._places, int(number), line)
            found.append(CodePlace(tuple((self._known(self._functions, f, line, "F"), at) for f, at in pairs(frames))))
        return tuple(found)

    def _read_types(self) -> tuple[MemoryType, ...]:
        found: list[MemoryType] = []
        for line, (number, kind, name) in self._lines.fields("T"):
            self._define(self._types, int(number), line)
            if kind not in MEMORY_KINDS:
                raise self._lines.wrong(line, f"kind '{kind}' is not one of {', '.join(MEMORY_KINDS)}")
            found.append(MemoryType(kind, self._lines.text(line, name)))
        return tuple(found)

    def _read_python_lines(self) -> Iterator[LineAccesses]:
        lines, (places, loads, stores, *misses) = self._lines.columns("Y", 3 + _COLUMNS)
        return map(
            LineAccesses, self._all_known(self._places, places, lines, "P"), loads, stores, self._misses(lines, misses)
        )

    def _read_native_lines(self) -> Iterator[LineAccesses]:
        lines, (places, loads, stores, *rest) = self._lines.columns("N", 4 + 2 * _COLUMNS)
        return map(
            LineAccesses,
            self._all_known(self._places, places, lines, "P"),
            loads,
            stores,
            self._misses(lines, rest[:_COLUMNS]),
            rest[_COLUMNS],
            self._misses(lines, rest[_COLUMNS + 1 :]),
        )

    def _read_contexts(self) -> tuple[MemoryContext, ...]:
        numbers: dict[int, int] = {}
        found: list[MemoryContext] = []
        for line, (number, parent, function, accesses, *misses) in sorted(
            self._lines.numbers("K"), key=lambda found: found[1][0]
        ):  # callers have smaller numbers
            above = NO_CALLER if parent == NO_CALLER else self._known(numbers, parent, line, "K")
            runs = NO_FUNCTION if function == NO_FUNCTION else self._known(self._functions, function, line, "F")
            self._define(numbers, number, line)
            found.append(MemoryContext(above, runs, accesses, self._few_misses(line, misses)))
        return tuple(found)

    def _read_classes(self) -> tuple[ObjectClass, ...]:
        sums: dict[_Site, int] = {}
        for line, (type_number, site, total) in self._lines.numbers("S"):
            key = self._site(type_number, site, line)
            if key in sums:
                raise self._lines.wrong(line, "the sum of these lifetimes was told before")
            sums[key] = total
        found: list[ObjectClass] = []
        for line, (*numbers, lives) in self._lines.fields("C"):
            type_number, site, born, freed, size_bytes, accesses, *misses = map(int, numbers)
            key = self._site(type_number, site, line)
            lifetimes = Lifetimes(self._bins(line, lives), sums.pop(key, 0))
            found.append(
                ObjectClass(*key, born, freed, size_bytes, accesses, self._few_misses(line, misses), lifetimes)
            )
        for key in sums:
            raise self._lines.damaged(f"it has a sum of lifetimes of type and place {key}, but no 'C' line of these")
        return tuple(found)

    def _bins(self, line: int, lives: str) -> tuple[int, ...]:
        if lives == "-":
            return ()
        bins = {number: count for number, count in pairs(lives) if count}
        if any(number >= MOST_BINS for number in bins) or len(bins) != len(pairs(lives)):
            raise self._lines.wrong(line, f"lifetimes '{lives}' have a bin that is empty, twice there or unknown")
        return tuple(bins.get(number, 0) for number in range(max(bins) + 1))

    def _read_line_types(self) -> Iterator[TypeMisses]:
        lines, (places, types, *misses, loads, stores) = self._lines.columns("X", 4 + _COLUMNS)
        return map(
            TypeMisses,
            self._all_known(self._places, places, lines, "P"),
            self._all_known(self._types, types, lines, "T"),
            self._misses(lines, misses),
            loads,
            stores,
        )

    def _read_fields(self) -> Iterator[FieldMisses]:
        for line, (type_number, site, offset, size_bytes, name, *counts) in self._lines.fields("W"):
            key = self._site(int(type_number), int(site), line)
            *misses, loads, stores = map(int, counts)
            text, missed = self._lines.text(line, name), self._few_misses(line, misses)
            yield FieldMisses(*key, int(offset), int(size_bytes), text, missed, loads, stores)

    def _read_objects(self) -> Iterator[TrackedObject]:
        for line, (type_number, site, number, birth, last, size, accesses, *rest) in self._lines.numbers("O"):
            *misses, alive = rest
            key = self._site(type_number, site, line)
            yield TrackedObject(
                *key, number, birth, last, size, accesses, self._few_misses(line, misses), alive=bool(alive)
            )

    def _read_shared_lines(self) -> tuple[SharedLine, ...]:
        numbers: dict[int, int] = {}
        counts: list[tuple[int, int, int]] = []
        uses: list[list[LineUse]] = []
        for line, (number, transfers, most, most_same) in self._lines.numbers("L"):
            self._define(numbers, number, line)
            counts.append((transfers, most, most_same))
            uses.append([])
        for line, (of, thread, place, type_number, site, offset, loads, stores, *masks) in self._lines.fields("M"):
            at = self._known(self._places, int(place), line, "P")
            key = self._site(int(type_number), int(site), line)
            loaded, stored = (int(mask, 16) for mask in masks)
            where = None if offset == "-" else int(offset)
            use = LineUse(int(thread), at, *key, where, int(loads), int(stores), loaded, stored)
            uses[self._known(numbers, int(of), line, "L")].append(use)
        return tuple(SharedLine(*each, tuple(of)) for each, of in zip(counts, uses, strict=True))

    def _read_collections(self) -> tuple[Collections, ...]:
        found = (Collections(*numbers) for _, numbers in self._lines.numbers("G"))
        return tuple(sorted(found, key=lambda each: each.generation))

    def _read_losses(self, *, is_whole: bool) -> Iterator[Loss]:
        for line, (kind, amount, detail) in self._lines.fields("lost"):
            yield Loss(kind, int(amount), self._lines.text(line, detail))
        if not is_whole:
            detail = "the run was cut off: what it accessed after the last snapshot of the record is not counted"
            yield Loss("record-cut-off", 1, detail)

    def _define(self, table: dict[int, int], number: int, line: int) -> None:
        if number in table:
            raise self._lines.wrong(line, f"number {number} was given before")
        table[number] = len(table)

    def _known(self, table: dict[int, int], number: int, line: int, kind: str) -> int:
        position = table.get(number)
        if position is None:
            raise self._lines.wrong(line, f"it names number {number}, but there is no '{kind}' line of that number")
        return position

    def _site(self, type_number: int, site: int, line: int) -> _Site:
        place = NO_PLACE if site == NO_PLACE else self._known(self._places, site, line, "P")
        return self._known(self._types, type_number, line, "T"), place

    def _all_known(self, table: dict[int, int], numbers: list[int], lines: list[int], kind: str) -> list[int]:
        if not table.keys() >= set(numbers):
            for number, line in zip(numbers, lines, strict=True):
                self._known(table, number, line, kind)
        return list(map(table.__getitem__, numbers))

    def _misses(self, lines: list[int], columns: list[list[int]]) -> Iterable[tuple[int, ...]]:
        """Of each line one number for each data level that there is; the others are 0."""
        for column in columns[self._levels :]:
            for line, count in zip(lines, column, strict=True):
                if count:
                    raise self._lines.wrong(line, f"it has misses of {_COLUMNS} levels, but there are {self._levels}")
        return zip(*columns[: self._levels], strict=True) if self._levels else [()] * len(lines)

    def _few_misses(self, line: int, columns: list[int]) -> tuple[int, ...]:
        (found,) = self._misses([line], [[count] for count in columns])
        return found
