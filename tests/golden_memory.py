"""Answers about memory accesses that golden files hold: of `view`, `diff` and `merge`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from golden_answers import Case
from made_memory_profiles import (
    D1,
    I1,
    READ,
    RECORDS_FILE,
    SORT,
    Accesses,
    Born,
    contexts_profile,
    counted_profile,
    empty_profile,
    faster_inventory_profile,
    fields_profile,
    hostile_profile,
    inventory_profile,
    made_profile,
    made_run,
    native_function,
    native_profile,
    python_function,
)
from sonde.code import plain_function
from sonde.instruments.contexts.profile import write_profile
from sonde.instruments.memory.profile import write_memory_profile
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, MemoryType
from tree_builder import profile_of

_NEW = MemoryType("block", "operator new")

_ALL = "text json markdown page"


def inventory() -> MemoryProfile:
    """As it is, but for most of its objects."""
    profile = inventory_profile()
    return replace(profile, objects=profile.objects[:6])


def lines_only() -> MemoryProfile:
    """What memory it was, was not asked for; nor is the text of lines known."""
    profile = inventory_profile()
    return replace(profile, classes=(), line_types=(), objects=(), sources={}, collections=())


def one_level() -> MemoryProfile:
    """One cache, whose misses have causes; names that say nothing, and lines of no file."""
    unnamed, nowhere = native_function("", library="/lib/libm.so.6"), native_function("???", library="")
    frozen = python_function("_find_and_load", 1165, "<frozen importlib._bootstrap>")
    mapping, unknown = MemoryType("mapping", ""), MemoryType("object", "")
    rows = [
        Accesses((frozen, 1170), ((unnamed, 0),), mapping, None, 900, 100, (300,)),
        Accesses((python_function("<lambda>", 3), 900), ((nowhere, 0),), unknown, (frozen, 1171), 500, 0, (0,)),
    ]
    born = [Born(unknown, (frozen, 1171), 1, 0, 64, {1: 1})]
    profile = made_profile(rows, born, caches=(I1, replace(D1, size_bytes=48_100)), run=made_run(("a\tb", "größe")))
    return replace(profile, totals=profile.totals | {"cold": 200, "capacity": 60, "conflict": 40})


def inlined_sites() -> MemoryProfile:
    """Lines of a library that allocate for many callers: told by what they were inlined into, or by names alone."""
    insert, main = (plain_function("native", name, "/src/app.cpp", 1, "/src/app") for name in ("insert", "main"))
    one, two = (
        plain_function("native", f"allocate<{kind}>", "/usr/include/new_allocator.h", 100, "/src/app")
        for kind in ("int", "long")
    )
    base = made_profile(
        [
            Accesses(None, ((one, 137), (insert, 40), (main, 7)), _NEW, (main, 7), 100, 20, (30, 8)),
            Accesses(None, ((one, 137), (insert, 40), (main, 9)), _NEW, (main, 9), 90, 10, (20, 7)),
            Accesses(None, ((one, 137),), _NEW, (one, 137), 80, 10, (10, 6)),
            Accesses(None, ((two, 137),), _NEW, (two, 137), 70, 10, (9, 5)),
        ],
        run=made_run(("./app",)),
    )
    place_of = {profile_place.frames: number for number, profile_place in enumerate(base.places)}
    whole = {frames[-1]: number for frames, number in place_of.items() if len(frames) > 1}
    sites = tuple(
        replace(each, site=whole.get(base.places[each.site].frames[0], each.site), born=3, size_bytes=96)
        for each in base.classes
    )
    return replace(base, classes=sites)


def growing(*, is_large: bool) -> MemoryProfile:
    """From none to very many accesses."""
    line = (native_function("grow", "/src/grow.c", 3, "/src/grow"), 7)
    many = 4 * 10**12 if is_large else 3
    rows = [Accesses(None, (line,), _NEW, None, many, 0, (many if is_large else 0, 0))]
    return made_profile(rows, run=made_run(("./grow",)))


def another_program() -> MemoryProfile:
    """The inventory without its functions, one of which came instead."""
    profile = inventory_profile()
    functions = tuple(
        replace(each, name=f"new_{each.name}", file=f"/srv/{each.name}.py") if each.file == RECORDS_FILE else each
        for each in profile.functions
    )
    return replace(profile, functions=functions, sources={})


def _file(made: Callable[[], MemoryProfile]) -> Callable[[Path], object]:
    return lambda path: write_memory_profile(path, made())


def _times(path: Path) -> None:
    """Where the time of `inventory` went."""
    functions = {"sort": SORT, "read": READ}
    write_profile(path, profile_of("read 380 x2\nsort @9 620 x1", functions=functions))


def _view(made: Callable[[], MemoryProfile], *options: str, forms: str = "text json page") -> Case:
    return Case(("view", "run.sonde", *options), {"run.sonde": _file(made)}, forms=frozenset(forms.split(" ")))


def _diff(one: Callable[[], MemoryProfile], two: Callable[[], MemoryProfile], *options: str) -> Case:
    files = {"before.sonde": _file(one), "after.sonde": _file(two)}
    forms = {"text"} if options else {"text", "json", "markdown"}
    return Case(("diff", *files, *options), files, forms=frozenset(forms))


CASES = {
    "view/memory-inventory": _view(inventory, forms=_ALL),
    "view/memory-contexts": _view(contexts_profile),
    "view/memory-from": _view(contexts_profile, "--from", "check", forms="text json"),
    "view/memory-fields": _view(fields_profile),
    "view/memory-few-rows": _view(inventory_profile, "--rows", "3", "--sort", "D1", forms="text"),
    "view/memory-by-accesses": _view(native_profile, "--sort", "accesses", forms="text"),
    "view/memory-native": _view(native_profile, forms=_ALL),
    "view/memory-lines": _view(lines_only, forms="text page"),
    "view/memory-one-level": _view(one_level),
    "view/memory-inlined-sites": _view(inlined_sites, forms="text page"),
    "view/memory-counted": _view(counted_profile),
    "view/memory-empty": _view(empty_profile, forms=_ALL),
    "view/memory-hostile": _view(hostile_profile, forms=_ALL),
    "view/joined": Case(("view", "run.sonde", "memory.sonde"), {"run.sonde": _times, "memory.sonde": _file(inventory)}),
    "diff/memory-mine": _diff(inventory_profile, faster_inventory_profile, "--mine", "--min-share", "1%"),
    "diff/memory": _diff(inventory_profile, faster_inventory_profile),
    "diff/memory-contexts": _diff(contexts_profile, lambda: contexts_profile(rounds=3), "-v"),
    "diff/memory-from": _diff(contexts_profile, lambda: contexts_profile(rounds=3), "--from", "main"),
    "diff/memory-few-rows": _diff(inventory_profile, another_program, "--rows", "3"),
    "diff/memory-by-accesses": _diff(faster_inventory_profile, inventory_profile, "--sort", "accesses"),
    "diff/memory-native": _diff(native_profile, lambda: replace(native_profile(), native_lines=())),
    "diff/memory-growing": _diff(lambda: growing(is_large=False), lambda: growing(is_large=True), "--sort", "D1"),
    "diff/memory-same": _diff(native_profile, native_profile),
    "diff/memory-counted": _diff(counted_profile, counted_profile),
    "merge/memory": Case(
        ("merge", "one.sonde", "two.sonde", "-o", "all.sonde", "--force"),
        {"one.sonde": _file(inventory_profile), "two.sonde": _file(faster_inventory_profile)},
        forms=frozenset({"text"}),
    ),
}
