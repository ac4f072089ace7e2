"""Memory profiles built by hand: one of a program that sorts records, of native code, odd ones, and large ones.

A profile is put together from rows that each tell of some accesses from all sides: the lines that made them, and the
memory they went to. All tables are sums over the same rows, so that they agree with one another.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sonde.code import Function, plain_function
from sonde.evidence import Loss
from sonde.instruments.memory.profile.fields import FieldMisses
from sonde.instruments.memory.profile.memory_profile import (
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

I1 = CacheLevel("I1", 32_768, 8, 64)
D1 = CacheLevel("D1", 32_768, 8, 64)
L2 = CacheLevel("L2", 1_048_576, 16, 64)
L3 = CacheLevel("L3", 16_777_216, 16, 64)

_TOLD_BY_SITE = ("malloc", "operator new")

Line = tuple[Function, int]
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Accesses:
    """Some accesses, told from all sides."""

    python: Line | None
    native: tuple[Line, ...]
    """Inline stack, innermost first."""
    type: MemoryType
    site: Line | None
    loads: int
    stores: int
    misses: tuple[int, ...]
    callers: tuple[Function, ...] = ()
    """Of the Python function that ran, outermost first."""
    sampled: tuple[int, int] = (0, 0)
    """Loads and stores that were drawn for the sample by line and type."""
    field: tuple[int, int, str] | None = None
    """Offset, bytes and name of the part of the object; None: not known."""


@dataclass(frozen=True, slots=True)
class Born:
    """Objects of a type that a line made."""

    type: MemoryType
    site: Line | None
    born: int
    freed: int
    size_bytes: int
    lives: Mapping[int, int] = field(default_factory=dict)
    """Objects by bin of their lifetime."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """One object that is told of by itself."""

    type: MemoryType
    site: Line | None
    number: int
    birth: int
    last_use: int
    size_bytes: int
    accesses: int
    misses: tuple[int, ...]
    alive: bool = False


def made_run(command: Sequence[str] = ("python3", "inventory.py", "--records", "20000")) -> MemoryRun:
    """How it was measured."""
    return MemoryRun(
        command=tuple(command),
        started_at="2026-03-01T09:30:00Z",
        duration_ns=48_213_000_000,
        ended="exited 0",
        machine="Linux x86-64, 2 processors",
        sonde_version="0.1.0",
        tool="valgrind 3.19.0, sonde's tool",
    )


def made_profile(
    rows: Iterable[Accesses],
    born: Iterable[Born] = (),
    tracked: Iterable[Tracked] = (),
    *,
    caches: Sequence[CacheLevel] = (I1, D1, L2),
    run: MemoryRun | None = None,
    losses: Sequence[Loss] = (),
    sources: Mapping[str, str] | None = None,
) -> MemoryProfile:
    """Sum the rows up."""
    rows, born, tracked = list(rows), list(born), list(tracked)
    levels = sum(level.name != "I1" for level in caches)
    functions: dict[Function, int] = {}
    places: dict[CodePlace, int] = {}
    types: dict[MemoryType, int] = {}

    def place_of(frames: Sequence[Line]) -> int:
        return _number(places, CodePlace(tuple((_number(functions, function), line) for function, line in frames)))

    def site_of(site: Line | None) -> int:
        return NO_PLACE if site is None else place_of([site])

    python: dict[int, list[int]] = defaultdict(lambda: [0] * (2 + levels))
    native: dict[int, list[int]] = defaultdict(lambda: [0] * (2 + levels))
    classes: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * (1 + levels))
    line_types: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * (levels + 2))
    fields: dict[tuple[int, int, int, int, str], list[int]] = defaultdict(lambda: [0] * (levels + 2))
    contexts: dict[tuple[int, int], int] = {}
    in_contexts: list[list[int]] = []

    def context_of(stack: Sequence[Function]) -> int:
        context = NO_CALLER
        for number in [_number(functions, each) for each in stack] or [NO_FUNCTION]:
            if (context, number) not in contexts:
                in_contexts.append([0] * (1 + levels))
            context = _number(contexts, (context, number))
        return context

    for row in rows:
        assert len(row.misses) == levels, row
        native_place, type_number = place_of(row.native), _number(types, row.type)
        _add(native[native_place], (row.loads, row.stores, *row.misses))
        line = native_place
        if row.python is not None:
            line = place_of([row.python])
            _add(python[line], (row.loads, row.stores, *row.misses))
        _add(classes[type_number, site_of(row.site)], (row.loads + row.stores, *row.misses))
        _add(line_types[line, type_number], (*row.misses, *row.sampled))
        if row.field is not None:
            site = site_of(row.site) if row.type.name in _TOLD_BY_SITE else NO_PLACE
            _add(fields[type_number, site, *row.field], (*row.misses, *row.sampled))
        stack = () if row.python is None else (*row.callers, row.python[0])
        context = context_of(stack)
        _add(in_contexts[context], (row.loads + row.stores, *row.misses))
    births = {(_number(types, one.type), site_of(one.site)): one for one in born}
    for key in births:
        _add(classes[key], (0,))
    objects = tuple(
        TrackedObject(
            _number(types, one.type),
            site_of(one.site),
            one.number,
            one.birth,
            one.last_use,
            one.size_bytes,
            one.accesses,
            one.misses,
            one.alive,
        )
        for one in tracked
    )
    totals = {
        "instructions": sum(map(sum, ((row.loads, row.stores) for row in rows))) * 2,
        "loads": sum(row.loads for row in rows),
        "modifies": sum(row.loads for row in rows) // 20,
        "stores": sum(row.stores for row in rows),
        **{f"misses{level + 1}": sum(row.misses[level] for row in rows) for level in range(levels)},
        **{f"fetch_misses{level + 1}": 0 for level in range(levels)},
        **{f"writebacks{level + 1}": sum(row.misses[level] for row in rows) // 3 for level in range(levels)},
        "accesses_with_python_place": sum(row.loads + row.stores for row in rows if row.python is not None),
        "accesses_on_objects": sum(row.loads + row.stores for row in rows if row.type.kind in ("object", "block")),
        "clock": sum(row.loads + row.stores for row in rows),
        "window_accesses": sum(row.loads + row.stores for row in rows),
        "requests": 0,
        **({"sampled": sampled} if (sampled := sum(sum(row.sampled) for row in rows)) else {}),
        "threads": 1,
        "objects_born": sum(one.born for one in born),
        "objects_alive": sum(one.born - one.freed for one in born),
    }
    native_lines = []
    for place, (loads, stores, *misses) in native.items():
        fetches = tuple((loads + stores) // 5_000 // 10**level for level in range(levels))
        native_lines.append(LineAccesses(place, loads, stores, tuple(misses), 2 * (loads + stores), fetches))
        for level in range(levels):
            totals[f"fetch_misses{level + 1}"] += fetches[level]
    return MemoryProfile(
        run=run or made_run(),
        caches=tuple(caches),
        policy="lru, write-back, write-allocate",
        totals=totals,
        functions=tuple(functions),
        places=tuple(places),
        python_lines=tuple(
            LineAccesses(place, loads, stores, tuple(misses)) for place, (loads, stores, *misses) in python.items()
        ),
        native_lines=tuple(native_lines),
        types=tuple(types),
        classes=tuple(
            _class(key, accesses, tuple(misses), births.get(key)) for key, (accesses, *misses) in classes.items()
        ),
        line_types=tuple(
            TypeMisses(place, kind, tuple(misses), loads, stores)
            for (place, kind), (*misses, loads, stores) in line_types.items()
            if any((*misses, loads, stores))
        ),
        objects=objects,
        fields=tuple(
            FieldMisses(*key, tuple(misses), loads, stores) for key, (*misses, loads, stores) in fields.items()
        ),
        losses=tuple(losses),
        sources=dict(sources or {}),
        contexts=tuple(
            MemoryContext(*key, accesses, tuple(misses))
            for key, (accesses, *misses) in zip(contexts, in_contexts, strict=True)
            if any(row.callers for row in rows)  # of others they are not known
        ),
    )


def _number(table: dict[_Item, int], item: _Item) -> int:
    return table.setdefault(item, len(table))


def _add(sums: list[int], values: Sequence[int]) -> None:
    for i, value in enumerate(values):
        sums[i] += value


def _class(key: tuple[int, int], accesses: int, misses: tuple[int, ...], born: Born | None) -> ObjectClass:
    if born is None:
        return ObjectClass(*key, 0, 0, 0, accesses, misses)
    counts = tuple(born.lives.get(b, 0) for b in range(max(born.lives, default=-1) + 1))
    # Lives of a bin are taken to be as long as three quarters of its upper end.
    total = sum(count * (3 * 2**b // 4) for b, count in born.lives.items() if b)
    return ObjectClass(*key, born.born, born.freed, born.size_bytes, accesses, misses, Lifetimes(counts, total))


RECORDS_PY = '''\
"""Records of an inventory, kept in memory and sorted by any field."""

import random


class Entry:
    def __init__(self, number, items):
        self.number = number
        self.items = items

    def field(self, i):
        return self.items[i]


def read(count):
    random.seed(7)
    entries = []
    for number in range(count):
        items = [str(random.randrange(10**9)) for _ in range(4)]
        entries.append(Entry(number, items))
    return entries


def shell_sort(index, i):
    n = len(index)
    gap = n // 2
    while gap > 0:
        for j in range(gap, n):
            k = j - gap
            while k >= 0:
                first = index[k].items[i]
                second = index[k + gap].items[i]
                if first <= second:
                    break
                index[k], index[k + gap] = index[k + gap], index[k]
                k -= gap
        gap //= 2
'''
RECORDS_FILE = "/home/ada/inventory/records.py"

ENTRY = MemoryType("object", "Entry")
LIST = MemoryType("object", "list")
STR = MemoryType("object", "str")
INT = MemoryType("object", "int")
KEYS = MemoryType("block", "dict keys and other object memory")
STACK = MemoryType("stack", "main thread")
FRAMES = MemoryType("frames", "frames of Python functions")
GLOBALS = MemoryType("global", "libpython3.11.so.1.0")
HEAP = MemoryType("heap", "heap without a block")
CODE = MemoryType("code", "libpython3.11.so.1.0")
UNKNOWN = MemoryType("unknown", "unknown")

LIBPYTHON = "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0"
LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"


def python_function(name: str, line: int, file: str = RECORDS_FILE) -> Function:
    """A function of the program."""
    return plain_function("python", name, file, line)


def native_function(name: str, file: str = "", line: int = 0, library: str = LIBPYTHON) -> Function:
    """A function of machine code."""
    return plain_function("native", name, file, line, library)


INIT, READ, SORT = python_function("Entry.__init__", 7), python_function("read", 15), python_function("shell_sort", 24)
MODULE = python_function("<module>", 1, "/home/ada/inventory/inventory.py")
EVAL = native_function("_PyEval_EvalFrameDefault", "./Python/ceval.c", 1640)
ATTRIBUTE = native_function("_PyObject_GenericGetAttrWithDict", "./Objects/object.c", 1236)
LOOKUP = native_function("unicodekeys_lookup_unicode", "./Objects/dictobject.c", 887)
INCREF = native_function("Py_INCREF", "./Include/object.h", 493)
ITEM = native_function("list_subscript", "./Objects/listobject.c", 2830)
COMPARE = native_function("unicode_compare", "./Objects/unicodeobject.c", 10586)
MALLOC = native_function("_PyObject_Malloc", "./Objects/obmalloc.c", 1986)
MEMCPY = native_function("__memmove_avx_unaligned_erms", library=LIBC)


def counted_profile() -> MemoryProfile:
    """Accesses were counted, and nothing else is known of them: no caches, no code, no memory."""
    profile = inventory_profile()
    totals = {key: profile.totals[key] for key in ("instructions", "loads", "stores", "modifies", "threads")}
    nothing = made_profile([], caches=())
    return replace(nothing, totals=totals, run=profile.run)


def faster_inventory_profile() -> MemoryProfile:
    """The same program with a better sort, which stands two lines further down."""
    moved = replace(SORT, first_line=SORT.first_line + 2)
    rows = []
    for row in _inventory_rows():
        if row.python is not None and row.type == KEYS:
            continue
        if row.python is not None and row.python[0] == SORT:
            row = replace(
                row,
                python=(moved, row.python[1] + 2),
                loads=row.loads // 3,
                stores=row.stores // 3,
                misses=(row.misses[0] // 4, row.misses[1] // 8),
            )
        rows.append(row)
    return made_profile(rows, run=made_run(("python3", "faster/inventory.py")))


def inventory_profile() -> MemoryProfile:
    """A program that sorts 20,000 records: most of its misses are on fields of records, in two lines."""
    profile = made_profile(
        _inventory_rows(),
        [
            Born(ENTRY, (READ, 20), 20_000, 0, 1_120_000, {26: 400, 27: 1_200, 28: 3_900, 29: 14_500}),
            Born(LIST, (READ, 19), 20_000, 0, 1_760_000, {27: 1_000, 28: 4_000, 29: 15_000}),
            Born(LIST, (READ, 17), 1, 0, 160_056, {29: 1}),
            Born(STR, (READ, 19), 80_000, 0, 4_640_000, {0: 60_000, 12: 20, 27: 2_000, 28: 5_000, 29: 12_980}),
            Born(INT, (READ, 19), 80_000, 80_000, 2_560_000, {7: 60, 8: 79_000, 9: 900, 12: 40}),
            Born(INT, (SORT, 29), 1_310_000, 1_309_999, 41_920_000, {4: 10_000, 5: 900_000, 6: 399_000, 9: 1_000}),
            Born(INT, (SORT, 37), 240_000, 240_000, 7_680_000, {5: 200_000, 6: 40_000}),
            Born(KEYS, (INIT, 8), 20_000, 0, 2_080_000, {27: 1_200, 28: 3_800, 29: 15_000}),
            Born(KEYS, None, 18_230, 312, 3_910_000, {0: 9_100, 10: 3_000, 18: 4_130, 24: 2_000}),
        ],
        _inventory_objects(),
        losses=[Loss("objects-not-tracked", 312, "312 blocks were allocated before the window and never named")],
        sources={RECORDS_FILE: RECORDS_PY},
    )
    return replace(profile, collections=(Collections(0, 31, 4_210_330), Collections(1, 2, 1_870_220)))


def contexts_profile(*, rounds: int = 2) -> MemoryProfile:
    """Who called whom is known: a function that two others call, one of them more often, and one that calls itself."""
    main, check = python_function("main", 40), python_function("check", 50)
    walk, deep = python_function("walk", 60), python_function("Tree.deep", 70)
    eval_, kind = ((EVAL, 2214),), ENTRY
    find = python_function("_find_and_load", 1165, "<frozen importlib._bootstrap>")
    other = python_function("<module>", 1, "/srv/app/other.py")

    def row(callers: tuple[Function, ...], runs: Line, count: int, misses: tuple[int, ...]) -> Accesses:
        return Accesses(runs, eval_, kind, None, count, count // 4, misses, callers, (count // 1024, count // 4096))

    return made_profile(
        [
            Accesses(None, eval_, STACK, None, 40_000, 10_000, (500, 90)),
            row((), (MODULE, 3), 20_000, (300, 30)),
            row((MODULE, find), (other, 2), 90_000, (2_000, 700)),
            row((MODULE,), (main, 41), 10_000, (100, 10)),
            row((MODULE, main), (walk, 61), 400_000 * rounds, (50_000 * rounds, 20_000 * rounds)),
            row((MODULE, main), (check, 51), 100_000, (900, 80)),
            row((MODULE, main, check), (walk, 61), 200_000, (25_000, 10_000)),
            row((MODULE, main), (deep, 71), 60_000, (5_000, 900)),
            row((MODULE, main, deep), (deep, 71), 60_000, (6_000, 1_000)),
            row((MODULE, main, deep, deep), (walk, 61), 30_000, (3_000, 500)),
        ],
        run=made_run(("python3", "inventory.py", "--contexts")),
    )


def fields_profile() -> MemoryProfile:
    """Parts of objects are told apart: of classes, of a struct, of an array, and of a type of the interpreter."""
    entry, plain = MemoryType("object", "inventory.Entry"), MemoryType("object", "inventory.Plain")
    values, malloc = MemoryType("block", "values of inventory.Plain"), MemoryType("block", "malloc")
    struct, array = (
        native_function(name, "/src/tree.c", line, "/src/tree") for name, line in (("node", 3), ("grow", 9))
    )
    eval_ = ((EVAL, 2214),)

    def row(kind: MemoryType, site: Line | None, misses: int, field: tuple[int, int, str]) -> Accesses:
        return Accesses(
            (SORT, 31), eval_, kind, site, 4 * misses, misses, (misses, misses // 3), (), (misses, 7), field
        )

    return made_profile(
        [
            row(entry, (READ, 20), 90_000, (24, 8, "value")),
            row(entry, (READ, 20), 40_000, (0, 8, "reference count")),
            row(entry, (READ, 20), 6_000, (-16, 8, "gc links")),
            row(entry, (READ, 20), 0, (32, 8, "never")),
            row(plain, (READ, 21), 30_000, (8, 8, "type")),
            row(plain, (READ, 21), 20_000, (16, 8, "")),
            row(values, (READ, 21), 35_000, (8, 8, "beta, gamma")),
            row(values, (READ, 21), 300, (0, 8, "alpha")),
            row(INT, (READ, 19), 60_000, (24, 0, "items")),
            row(INT, (READ, 19), 50_000, (0, 8, "reference count")),
            row(malloc, (struct, 5), 70_000, (40, 8, "")),
            row(malloc, (struct, 5), 800, (0, 8, "")),
            row(malloc, (array, 12), 80_000, (512, 0, "")),
            row(malloc, (array, 12), 900, (0, 8, "")),
            Accesses((SORT, 31), eval_, STACK, None, 9_000, 900, (30, 3)),
        ],
        run=made_run(("python3", "inventory.py", "--fields")),
    )


def _inventory_rows() -> list[Accesses]:
    first, second, swap = (SORT, 31), (SORT, 32), (SORT, 35)
    by_attribute = ((INCREF, 502), (ATTRIBUTE, 1290))
    return [
        Accesses(first, ((ITEM, 2838),), LIST, (READ, 17), 61_240_118, 0, (212_403, 1_820)),
        Accesses(first, by_attribute, ENTRY, (READ, 20), 48_120_442, 9_200_100, (9_811_400, 1_204_113)),
        Accesses(first, ((LOOKUP, 899),), KEYS, (INIT, 8), 39_420_870, 0, (8_102_300, 904_200)),
        Accesses(first, ((ITEM, 2841),), LIST, (READ, 19), 22_130_110, 0, (6_402_118, 733_090)),
        Accesses(first, ((EVAL, 2214),), FRAMES, None, 88_400_112, 52_310_010, (40_219, 310)),
        Accesses(second, ((ITEM, 2838),), LIST, (READ, 17), 60_810_220, 0, (198_034, 1_102)),
        Accesses(second, by_attribute, ENTRY, (READ, 20), 47_902_113, 9_180_020, (10_120_772, 2_811_904)),
        Accesses(second, ((LOOKUP, 899),), KEYS, (INIT, 8), 39_100_403, 0, (8_391_115, 1_944_310)),
        Accesses(second, ((EVAL, 2214),), FRAMES, None, 90_120_118, 54_002_400, (41_873, 402)),
        Accesses((SORT, 33), ((COMPARE, 10601),), STR, (READ, 19), 41_320_980, 0, (7_330_401, 1_512_008)),
        Accesses((SORT, 33), ((EVAL, 2731),), FRAMES, None, 30_110_201, 14_220_115, (9_206, 44)),
        Accesses(swap, ((ITEM, 2838),), LIST, (READ, 17), 8_120_330, 4_210_010, (40_772, 2_209)),
        Accesses(swap, ((EVAL, 1990),), FRAMES, None, 12_420_112, 9_002_118, (3_002, 12)),
        Accesses((SORT, 29), ((MALLOC, 2010),), INT, (SORT, 29), 10_480_000, 5_240_000, (118_203, 240)),
        Accesses((SORT, 29), ((EVAL, 2402),), FRAMES, None, 14_220_870, 9_110_044, (4_118, 20)),
        Accesses((SORT, 37), ((MALLOC, 2010),), INT, (SORT, 37), 1_920_000, 960_000, (2_110, 4)),
        Accesses((SORT, 30), ((EVAL, 2402),), FRAMES, None, 9_840_002, 3_220_118, (1_207, 3)),
        Accesses((SORT, 36), ((EVAL, 2402),), FRAMES, None, 120, 40, (1, 1)),
        Accesses((READ, 19), ((MALLOC, 2033),), STR, (READ, 19), 3_820_110, 2_410_880, (204_118, 72_113)),
        Accesses((READ, 19), ((MEMCPY, 0),), STR, (READ, 19), 1_020_044, 1_870_330, (88_204, 40_118)),
        Accesses((READ, 19), ((EVAL, 2214),), STACK, None, 24_110_870, 16_204_112, (30_118, 202)),
        Accesses((READ, 20), ((MALLOC, 2033),), ENTRY, (READ, 20), 410_220, 280_114, (40_118, 18_220)),
        Accesses((INIT, 8), ((LOOKUP, 902),), KEYS, (INIT, 8), 820_110, 610_220, (51_118, 20_118)),
        Accesses((MODULE, 3), ((EVAL, 2214),), GLOBALS, None, 18_220_118, 4_110_080, (310_221, 61_200)),
        Accesses(None, ((MEMCPY, 0),), KEYS, None, 2_210_870, 2_040_112, (120_118, 80_220)),
        Accesses(None, ((native_function("_dl_relocate_object", library="/lib64/ld-linux-x86-64.so.2"), 0),), GLOBALS,
                 None, 4_820_114, 1_120_870, (180_220, 90_114)),
        Accesses(None, ((EVAL, 0),), STACK, None, 32_118_220, 21_004_118, (60_118, 804)),
        Accesses(None, ((MALLOC, 1999),), HEAP, None, 2_810_118, 1_204_010, (40_118, 12_004)),
        Accesses(None, ((EVAL, 2000),), CODE, None, 7_204_118, 0, (20_118, 402)),
        Accesses(None, ((MEMCPY, 0),), UNKNOWN, None, 820_118, 204_002, (30_118, 20_118)),
    ]  # fmt: skip


def _inventory_objects() -> list[Tracked]:
    clock = 940_000_000
    table = Tracked(LIST, (READ, 17), 1, 40_118_220, clock, 160_056, 134_380_678, (451_209, 5_131), alive=True)
    entries = [
        Tracked(ENTRY, (READ, 20), 7 * n, 41_000_000 + 900 * n, clock - 71 * n, 56, 5_200 - n, (812 - n, 240 - 2 * n))
        for n in range(1, 60)
    ]
    return [table, *entries]


SUM_C = """\
#include <stddef.h>

long sum(const long *v, size_t n)
{
\tlong s = 0;
\tfor (size_t i = 0; i < n; i++)
\t\ts += v[i];
\treturn s;
}
"""


def native_profile() -> MemoryProfile:
    """A program in C: no Python anywhere, three levels, a function that was inlined."""
    total, main = (native_function(name, "/src/sum.c", line, "/src/sum") for name, line in (("sum", 3), ("main", 11)))
    malloc = MemoryType("block", "malloc")
    inlined = ((total, 7), (main, 20))
    return made_profile(
        [
            Accesses(None, inlined, malloc, (main, 14), 1_000_000, 0, (125_000, 125_000, 60_000)),
            Accesses(None, ((main, 14),), malloc, (main, 14), 0, 1_000_000, (125_000, 125_000, 125_000)),
            Accesses(None, ((main, 20),), MemoryType("stack", "main thread"), None, 4_000, 2_000, (2, 2, 2)),
        ],
        [Born(malloc, (main, 14), 1, 1, 8_000_000, {21: 1})],
        [Tracked(malloc, (main, 14), 1, 6_000, 2_000_000, 8_000_000, 2_000_000, (250_000, 250_000, 185_000))],
        caches=(I1, D1, L2, L3),
        run=made_run(("./sum", "1000000")),
        sources={"/src/sum.c": SUM_C},
    )


def empty_profile() -> MemoryProfile:
    """A run that was cut off before anything was counted."""
    run = replace(made_run(), ended="cut off", complete=False)
    return made_profile([], run=run, losses=[Loss("record-cut-off", 1, "the record ends before its last line")])


HOSTILE = "</script><img src=x onerror=\"window.broken='name'\"> \x1b[2J \u2028 caf\u00e9 \u8a18\u61b6 \udcff {{DATA}}"


def hostile_profile() -> MemoryProfile:
    """Names that could end a script, steer a terminal or break an encoder, wherever names are."""
    function = plain_function("python", HOSTILE, f"/tmp/{HOSTILE}.py", 1)
    native = plain_function("native", HOSTILE, f"/tmp/{HOSTILE}.c", 1, f"/tmp/{HOSTILE}.so")
    kind = MemoryType("object", HOSTILE)
    return made_profile(
        [Accesses((function, 2), ((native, 3),), kind, (function, 2), 100, 50, (30, 10))],
        [Born(kind, (function, 2), 3, 1, 96, {0: 1, 5: 2})],
        [Tracked(kind, (function, 2), 1, 10, 60, 32, 50, (9, 3))],
        run=made_run(("python3", HOSTILE)),
        losses=[Loss("odd", 3, HOSTILE)],
        sources={f"/tmp/{HOSTILE}.py": f"# {HOSTILE}\nx = '{HOSTILE}'\n"},
    )


def large_profile(*, lines: int = 20_000, types: int = 2_000, files: int = 200, sites: int = 4_000) -> MemoryProfile:
    """As large as profiles of real programs get; numbers repeat a pattern."""
    roll = _pattern()
    functions = [
        python_function(f"Module{n % files}.method_{n}", n // files * 30 + 1, f"/srv/app/package/module_{n % files}.py")
        for n in range(max(lines // 10, 1))
    ]
    natives = [native_function(f"builtin_function_{n}", f"./Objects/part_{n % 90}.c", n + 1) for n in range(900)]
    kinds = [MemoryType("object", f"app.package_{n % 40}.Class{n}") for n in range(types)]
    made_at = [(functions[n % len(functions)], n % 300 + 1) for n in range(sites)]
    rows = [
        Accesses(
            (functions[n % len(functions)], n // files % 300 + 1),
            ((natives[roll(900)], roll(2_000)),),
            kinds[roll(types)],
            made_at[roll(sites)],
            roll(900_000),
            roll(200_000),
            (first := roll(30_000), roll(first // 10 + 1)),
        )
        for n in range(lines)
    ]
    born = {
        (row.type, row.site): Born(row.type, row.site, 100, 90, 6_400, {0: 10, 5 + roll(20): 60, 8: 30}) for row in rows
    }
    text = "".join(f"    value_{n} = compute(self.table[{n}], other)  # line {n}\n" for n in range(1, 301))
    return made_profile(rows, born.values(), sources={function.file: text for function in functions})


def _pattern() -> Callable[[int], int]:
    """Numbers below a bound, the same in every run."""
    state = 12_345

    def roll(below: int) -> int:
        nonlocal state
        state = (state * 1_103_515_245 + 12_345) % 2**31
        return (state >> 8) % below

    return roll
