"""Allocation sites that print alike by their innermost line are told by what that line was inlined into."""

from dataclasses import replace

from made_memory_profiles import D1, I1, Accesses, made_profile
from sonde.code import Place, plain_function
from sonde.instruments.memory.profile.memory_profile import (
    CodePlace,
    MemoryProfile,
    MemoryType,
    ObjectClass,
)
from sonde.instruments.memory.report import MemoryOptions, memory_report, site_frames
from sonde.render.terminal.report_text import report_text

NEW = MemoryType("block", "operator new")
NAMES = ("allocate<int>", "allocate<long>", "insert", "one", "two", "main")
FILES = ("new_allocator.h", "new_allocator.h", "tree.h", "app.cpp", "app.cpp", "app.cpp")
FUNCTIONS = tuple(
    plain_function("native", name, f"/src/{file}", 1, "") for name, file in zip(NAMES, FILES, strict=True)
)
INT, LONG, INSERT, ONE, TWO, MAIN = range(6)


def profile_of(*chains: tuple[tuple[int, int], ...]) -> MemoryProfile:
    """Each chain, innermost first, is the site of objects that were accessed once."""
    base = made_profile([Accesses(None, ((FUNCTIONS[MAIN], 1),), NEW, None, len(chains), 0, (0,))], caches=(I1, D1))
    places = tuple(CodePlace(chain) for chain in chains)
    sites = tuple(ObjectClass(0, 1 + at, 1, 0, 8, 1, (0,)) for at in range(len(chains)))
    made = replace(base, functions=FUNCTIONS, places=(CodePlace(((MAIN, 1),)), *places), classes=sites)
    made.check_valid()
    return made


def telling(*chains: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    found = site_frames(profile_of(*chains))
    return [found[1 + at].telling for at in range(len(chains))]


def test_a_site_of_its_own_is_told_by_its_innermost_frame() -> None:
    assert telling(((INT, 137), (INSERT, 40), (ONE, 7)), ((ONE, 8), (MAIN, 20))) == [(INT, 137), (ONE, 8)]


def test_sites_of_one_line_are_told_by_the_outermost_frames_that_differ() -> None:
    chains = ((INT, 137), (INSERT, 40), (ONE, 7)), ((LONG, 137), (INSERT, 40), (ONE, 9)), ((INT, 137), (TWO, 12))
    assert telling(*chains) == [(ONE, 7), (ONE, 9), (TWO, 12)]


def test_what_differs_further_in_is_found() -> None:
    chains = (
        ((INT, 137), (INSERT, 40), (ONE, 7), (MAIN, 20)),
        ((INT, 137), (INSERT, 40), (TWO, 12), (MAIN, 20)),
        ((INT, 137), (INSERT, 41), (TWO, 12), (MAIN, 20)),
    )
    assert telling(*chains) == [(ONE, 7), (INSERT, 40), (INSERT, 41)]


def test_instances_of_a_template_are_told_by_their_names() -> None:
    chains = ((INT, 137),), ((LONG, 137),), ((INT, 137), (ONE, 7))
    told = site_frames(profile_of(*chains))
    assert [told[site].telling for site in (1, 2, 3)] == [(INT, 137), (LONG, 137), (ONE, 7)]
    assert [told[site].by_name for site in (1, 2, 3)] == [True, True, False]


def test_a_table_has_no_two_rows_alike() -> None:
    chains = ((INT, 137), (ONE, 7)), ((LONG, 137), (ONE, 9)), ((ONE, 7), (MAIN, 20)), ((INT, 137),), ((LONG, 137),)
    text = report_text(memory_report(profile_of(*chains), MemoryOptions(sort="accesses")), columns=120)
    rows = [line.split("  ")[-1].strip() for line in text.splitlines() if "operator new" in line]
    inner = "src/new_allocator.h:137"
    places = ("src/app.cpp:7", "src/app.cpp:9", "allocate<int>", "allocate<long>")
    assert sorted(rows) == sorted([*(f"{place} → {inner}" for place in places), "src/app.cpp:7", "operator new"])


def test_both_frames_are_told() -> None:
    report = memory_report(profile_of(((INT, 137), (ONE, 7)), ((LONG, 137), (ONE, 9))), MemoryOptions(sort="accesses"))
    sites = next(table for table in report.tables() if table.key == "sites")
    shown = [at for at, column in enumerate(sites.columns) if column.shown != "data"]
    places = [cell for row in sites.rows for at in shown if isinstance(cell := row.cells[at], Place)]
    assert sorted((place.function.name, place.line) for place in places if place.function) == [
        ("allocate<int>", 137),
        ("allocate<long>", 137),
    ]
    assert sorted(outer.line for place in places for outer in place.inlined_into) == [7, 9]
