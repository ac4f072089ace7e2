"""Where memory was accessed from, what was accessed, and what missed the caches: one vertical profile as a value.

Every access is told of twice: by the code that made it and by the memory that it went to. Code has two layers, the
machine code (`native_lines`, every access) and the Python line that was running (`python_lines`, where one was).
Memory is objects, blocks and regions by type (`classes`, every access); objects also by the line that made them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import ge

from sonde.base.errors import InternalError
from sonde.code import LANGUAGES, Function
from sonde.evidence import Loss
from sonde.instruments.memory.profile.contexts import broken_contexts
from sonde.instruments.memory.profile.fields import FieldMisses, broken_fields
from sonde.instruments.memory.profile.latencies import Latencies, typical_latencies
from sonde.instruments.memory.profile.rows import (
    CACHE_NAMES,
    MEMORY_KINDS,
    MOST_BINS,
    MOST_OBJECTS,
    NO_CALLER,
    NO_FUNCTION,
    NO_PLACE,
    CacheLevel,
    CodePlace,
    Collections,
    Lifetimes,
    LineAccesses,
    MemoryContext,
    MemoryKind,
    MemoryRun,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
    are_misses,
)
from sonde.instruments.memory.profile.sharing import SharedLine, broken_sharing

__all__ = [
    "CACHE_NAMES",
    "MEMORY_KINDS",
    "MOST_BINS",
    "MOST_OBJECTS",
    "NO_CALLER",
    "NO_FUNCTION",
    "NO_PLACE",
    "CacheLevel",
    "CodePlace",
    "Collections",
    "Lifetimes",
    "LineAccesses",
    "MemoryContext",
    "MemoryKind",
    "MemoryProfile",
    "MemoryRun",
    "MemoryType",
    "ObjectClass",
    "TrackedObject",
    "TypeMisses",
]


@dataclass(frozen=True, slots=True)
class MemoryProfile:
    """A vertical profile.

    >>> from sonde.code.function import plain_function
    >>> work = plain_function("native", "sum", "sum.c", 3)
    >>> profile = MemoryProfile(
    ...     run=MemoryRun(("./sum",), "", 0, "exited 0", "", "", ""),
    ...     caches=(CacheLevel("D1", 32768, 8, 64),), policy="lru, write-back, write-allocate",
    ...     totals={"loads": 90, "stores": 10, "misses1": 7}, functions=(work,), places=(CodePlace(((0, 5),)),),
    ...     python_lines=(), native_lines=(LineAccesses(0, 90, 10, (7,)),), types=(MemoryType("stack", "main"),),
    ...     classes=(ObjectClass(0, NO_PLACE, 0, 0, 0, 100, (7,)),), line_types=(TypeMisses(0, 0, (7,)),), objects=())
    >>> profile.check_valid()
    >>> profile.accesses
    100
    """

    run: MemoryRun
    caches: tuple[CacheLevel, ...]
    """I1 first, then the data levels."""
    policy: str
    """In words: `lru, write-back, write-allocate`."""
    totals: dict[str, int]
    """Keys of the record file's `total` lines."""
    functions: tuple[Function, ...]
    places: tuple[CodePlace, ...]
    python_lines: tuple[LineAccesses, ...]
    native_lines: tuple[LineAccesses, ...]
    """Empty, as are `classes`, when only totals were counted."""
    types: tuple[MemoryType, ...]
    classes: tuple[ObjectClass, ...]
    line_types: tuple[TypeMisses, ...]
    objects: tuple[TrackedObject, ...]
    losses: tuple[Loss, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    """Text of files, by path, as they were when the run ended."""
    collections: tuple[Collections, ...] = ()
    """Per generation, ascending."""
    fields: tuple[FieldMisses, ...] = ()
    """Of objects and blocks; empty, too, where it is not known, as in files of earlier versions."""
    shared_lines: tuple[SharedLine, ...] = ()
    """Those that may be passed on most often first; empty, too, when nobody looked."""
    measured_latencies: Latencies | None = None
    """Of loads, where it ran, or as they were given; None: not known, as in files of earlier versions."""
    contexts: tuple[MemoryContext, ...] = ()
    """Which Python functions called which: all accesses, callers first. Empty for programs without Python, and where it
    is not known, as in files of earlier versions."""

    @property
    def latencies(self) -> Latencies:
        """What misses are weighed by."""
        return self.measured_latencies or typical_latencies(len(self.data_levels))

    @property
    def data_levels(self) -> tuple[CacheLevel, ...]:
        """The caches that `misses` are of."""
        return tuple(level for level in self.caches if level.name != "I1")

    @property
    def accesses(self) -> int:
        """All data accesses of the window."""
        return self.totals["loads"] + self.totals["stores"]

    @property
    def total_misses(self) -> tuple[int, ...]:
        """Of all data accesses, per data level; 0 where they were not counted."""
        return tuple(self.totals.get(f"misses{number}", 0) for number, _ in enumerate(self.data_levels, 1))

    @property
    def sampled(self) -> int:
        """How many accesses were drawn, by line and type; 0: it is not known which these were."""
        return self.totals.get("sampled", 0)

    def check_valid(self) -> None:
        """Check every invariant of the value.

        Raises:
            InternalError: the first invariant found broken.
        Cost: O(n), about 1.5 us a row.
        """
        for fact in self.broken_invariants():
            raise InternalError(f"cannot trust this memory profile: {fact}", slug="invalid-profile")

    def broken_invariants(self) -> Iterator[str]:
        """What is wrong with the value, in sentences; nothing when it is valid."""
        yield from _broken_head(self)
        levels = len(self.data_levels)
        yield from _broken_names(self)
        for layer, lines in (("python", self.python_lines), ("native", self.native_lines)):
            yield from _broken_lines(self, layer, lines, levels)
        yield from _broken_classes(self, levels)
        yield from _broken_line_types(self, levels)
        yield from _broken_objects(self, levels)
        yield from broken_contexts(self.contexts, self.functions, levels)
        yield from _broken_sums(self)
        known = {"places": len(self.places), "types": len(self.types)}
        yield from broken_fields(self.fields, self.line_types, levels=levels, **known)
        yield from broken_sharing(self.shared_lines, **known)


def _broken_head(profile: MemoryProfile) -> Iterator[str]:
    names = [cache.name for cache in profile.caches]
    if names != [name for name in CACHE_NAMES if name in names]:
        yield f"its caches are {names}, not some of {list(CACHE_NAMES)} in this order"
    if profile.measured_latencies is not None:
        yield from profile.measured_latencies.broken(len(profile.data_levels))
    for cache in profile.caches:
        if min(cache.size_bytes, cache.ways, cache.line_bytes) < 1:
            yield f"cache {cache.name} has {cache.size_bytes} bytes, {cache.ways} ways, lines of {cache.line_bytes}"
    for key in ("loads", "stores"):
        if key not in profile.totals:
            yield f"its totals lack '{key}'"
            return
    for key, value in profile.totals.items():
        if value < 0:
            yield f"total '{key}' is {value}"
    if profile.totals.get("modifies", 0) > profile.totals["loads"]:
        yield f"{profile.totals['modifies']} modifies are among {profile.totals['loads']} loads"
    if profile.run.duration_ns < 0:
        yield f"it took {profile.run.duration_ns} ns"
    for each in profile.collections:
        if min(each.generation, each.count, each.accesses) < 0:
            yield f"collections of generation {each.generation} have a negative value"
    generations = [each.generation for each in profile.collections]
    if generations != sorted(set(generations)):
        yield f"collections are of generations {generations}, not ascending"


def _broken_names(profile: MemoryProfile) -> Iterator[str]:
    """Functions, places and types."""
    for number, function in enumerate(profile.functions):
        if function.language not in LANGUAGES or function.first_line < 0:
            yield f"function {number} is in language {function.language!r} and begins at line {function.first_line}"
    count = len(profile.functions)
    for number, place in enumerate(profile.places):
        if not place.frames or any(not 0 <= function < count or line < 0 for function, line in place.frames):
            yield f"place {number} has frames {place.frames} of {count} functions"
    for number, memory in enumerate(profile.types):
        if memory.kind not in MEMORY_KINDS:
            yield f"type {number} has kind {memory.kind!r}"


def _broken_lines(profile: MemoryProfile, layer: str, lines: Sequence[LineAccesses], levels: int) -> Iterator[str]:
    """Each place once, in the layer of its innermost function; one frame in the Python layer."""
    seen: set[int] = set()
    for line in lines:
        if not 0 <= line.place < len(profile.places) or line.place in seen:
            yield f"{layer} lines name place {line.place}, which is not there or was named before"
            continue
        seen.add(line.place)
        frames = profile.places[line.place].frames
        is_python = bool(frames) and _language(profile, frames[0][0]) == "python"
        if is_python != (layer == "python") or (is_python and len(frames) != 1):
            yield f"{layer} lines name place {line.place}, which has frames {frames}"
        if min(line.loads, line.stores, line.instructions) < 0 or not are_misses(
            line.misses, levels, line.loads + line.stores
        ):
            yield (
                f"place {line.place} has {line.loads} loads, {line.stores} stores, {line.instructions} instructions,"
                f" misses {line.misses} of {levels} levels"
            )
        if line.fetch_misses and not are_misses(line.fetch_misses, levels):
            yield f"place {line.place} has fetch misses {line.fetch_misses} of {levels} levels"
        if is_python and (line.instructions or line.fetch_misses):
            yield f"place {line.place} of the Python layer has instructions"


def _broken_classes(profile: MemoryProfile, levels: int) -> Iterator[str]:
    """Each pair of type and site once; no more freed, and no more lifetimes, than born."""
    seen: set[tuple[int, int]] = set()
    for each in profile.classes:
        key = (each.type, each.site)
        if not _are_known(profile, *key) or key in seen:
            yield f"classes name type {each.type} and site {each.site}, which are not there or were named before"
            continue
        seen.add(key)
        if profile.types[each.type].kind not in ("object", "block") and each.site != NO_PLACE:
            yield f"class {key} is a region, but has an allocation site"
        if min(each.born, each.freed, each.size_bytes, each.accesses) < 0 or each.freed > each.born:
            yield (
                f"class {key} has {each.born} born, {each.freed} freed, {each.size_bytes} bytes,"
                f" {each.accesses} accesses"
            )
        if not are_misses(each.misses, levels, each.accesses):
            yield f"class {key} has misses {each.misses} of {levels} levels and {each.accesses} accesses"
        yield from _broken_lifetimes(key, each)


def _broken_lifetimes(key: tuple[int, int], each: ObjectClass) -> Iterator[str]:
    """No more objects than born; the sum is one that such bins can have."""
    lives = each.lifetimes
    if not lives.counts:
        if lives.total:
            yield f"class {key} has lifetimes that sum up to {lives.total}, but of no objects"
        return
    if not lives.counts[-1] or len(lives.counts) > MOST_BINS:
        yield f"class {key} has {len(lives.counts)} bins of lifetimes, the last one with {lives.counts[-1]} objects"
    if min(lives.counts) < 0 or lives.objects > each.born:
        yield f"class {key} has {lives.objects} lifetimes of {each.born} objects, in bins {lives.counts}"
    least = sum(count << (number - 1) for number, count in enumerate(lives.counts) if number)
    most = sum(count * ((1 << number) - 1) for number, count in enumerate(lives.counts))
    if not least <= lives.total <= most:
        yield f"class {key} has lifetimes that sum up to {lives.total}, its bins to {least} up to {most}"


def _broken_line_types(profile: MemoryProfile, levels: int) -> Iterator[str]:
    rows = profile.line_types
    keys = {(each.place, each.type) for each in rows}
    places, types = {place for place, _ in keys}, {memory for _, memory in keys}
    if (
        len(keys) == len(rows)
        and places <= set(range(len(profile.places)))
        and types <= set(range(len(profile.types)))
        and _are_all_misses([each.misses for each in rows], levels)
        and all(each.sampled_loads >= 0 and each.sampled_stores >= 0 for each in rows)
    ):
        return
    seen: set[tuple[int, int]] = set()
    for each in rows:  # only to say which
        key = (each.place, each.type)
        if each.place == NO_PLACE or not _are_known(profile, each.type, each.place) or key in seen:
            yield f"misses name place {each.place} and type {each.type}, which are not there or were named before"
        seen.add(key)
        if not are_misses(each.misses, levels):
            yield f"place {each.place} has misses {each.misses} of {levels} levels on type {each.type}"
        if min(each.sampled_loads, each.sampled_stores) < 0:
            yield f"place {each.place} has a negative number of sampled accesses of type {each.type}"


def _broken_objects(profile: MemoryProfile, levels: int) -> Iterator[str]:
    if len(profile.objects) > MOST_OBJECTS:
        yield f"it has {len(profile.objects)} objects, more than {MOST_OBJECTS}"
    for each in profile.objects:
        if not _are_known(profile, each.type, each.site):
            yield f"object {each.number} names type {each.type} and site {each.site}"
        if min(each.number, each.birth, each.size_bytes, each.accesses) < 0 or each.last_use < each.birth:
            yield (
                f"object {each.number} has {each.size_bytes} bytes, {each.accesses} accesses, birth {each.birth},"
                f" last use {each.last_use}"
            )
        if not are_misses(each.misses, levels, each.accesses):
            yield f"object {each.number} has misses {each.misses} of {levels} levels and {each.accesses} accesses"


def _broken_sums(profile: MemoryProfile) -> Iterator[str]:
    """Native lines, classes and contexts each tell of all accesses; Python lines and single objects of some."""
    totals, all_misses = profile.totals, profile.total_misses
    if any(key not in totals for key in ("loads", "stores")):
        return
    exact: list[tuple[str, int, int]] = []
    if native := profile.native_lines:
        exact += [(f"native lines have {{}} {key}", sum(getattr(line, key) for line in native), totals.get(key, 0))
                  for key in ("loads", "stores", "instructions")]  # fmt: skip
        exact += _by_level("native lines have {} misses", (line.misses for line in native), all_misses)
        fetches = tuple(totals.get(f"fetch_misses{number}", 0) for number, _ in enumerate(all_misses, 1))
        exact += _by_level("native lines have {} fetch misses", (line.fetch_misses for line in native), fetches)
    if classes := profile.classes:
        exact.append(("classes have {} accesses", sum(each.accesses for each in classes), profile.accesses))
        exact += _by_level("classes have {} misses", (each.misses for each in classes), all_misses)
    if contexts := profile.contexts:
        exact.append(("contexts have {} accesses", sum(each.accesses for each in contexts), profile.accesses))
        exact += _by_level("contexts have {} misses", (each.misses for each in contexts), all_misses)
    for text, found, total in exact:
        if found != total:
            yield f"{text.format(found)}, the total is {total}"
    python = profile.python_lines
    most = [(f"Python lines have {{}} {key}", sum(getattr(line, key) for line in python), totals[key])
            for key in ("loads", "stores")]  # fmt: skip
    most += _by_level("Python lines have {} misses", (line.misses for line in python), all_misses)
    most += _by_level("lines have {} misses on types", (each.misses for each in profile.line_types), all_misses)
    most.append(("lines have {} sampled accesses", sum(each.sampled for each in profile.line_types), profile.sampled))
    most.append(("single objects have {} accesses", sum(each.accesses for each in profile.objects), profile.accesses))
    for text, found, total in most:
        if found > total:
            yield f"{text.format(found)}, more than the total {total}"


def _by_level(text: str, rows: Iterable[tuple[int, ...]], totals: tuple[int, ...]) -> list[tuple[str, int, int]]:
    sums = [sum(column) for column in zip(*(row for row in rows if row), strict=False)] or [0] * len(totals)
    return [(f"{text} of level {level}", *pair) for level, pair in enumerate(zip(sums, totals, strict=False), 1)]


def _are_all_misses(rows: Sequence[tuple[int, ...]], levels: int) -> bool:
    """`are_misses` of all rows at once."""
    if not rows or not levels:
        return not any(rows)
    if set(map(len, rows)) != {levels}:
        return False
    columns = list(zip(*rows, strict=True))
    return min(columns[-1]) >= 0 and all(all(map(ge, near, far)) for near, far in pairwise(columns))


def _are_known(profile: MemoryProfile, memory: int, place: int) -> bool:
    return 0 <= memory < len(profile.types) and (place == NO_PLACE or 0 <= place < len(profile.places))


def _language(profile: MemoryProfile, function: int) -> str:
    return profile.functions[function].language if 0 <= function < len(profile.functions) else ""
