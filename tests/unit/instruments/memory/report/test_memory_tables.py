"""Reports of memory profiles: what is told, in which order, and that it fits whatever the names are."""

import io
from dataclasses import replace

import pytest

from golden_text import GoldenText
from made_memory_profiles import (
    D1,
    HOSTILE,
    I1,
    L2,
    RECORDS_FILE,
    SORT,
    Accesses,
    Born,
    Tracked,
    counted_profile,
    empty_profile,
    hostile_profile,
    inventory_profile,
    large_profile,
    made_profile,
    native_function,
    native_profile,
    python_function,
)
from report_values import cells, fact, printed, table_of
from sonde.base.errors import UsageError
from sonde.base.fitted_text import display_width
from sonde.code import Function, Place, plain_function
from sonde.instruments.memory.options import ACCESSES_FIRST, COST_FIRST, level_of_order
from sonde.instruments.memory.profile.memory_profile import Lifetimes, MemoryProfile, MemoryType
from sonde.instruments.memory.report import MemoryOptions, memory_report
from sonde.instruments.memory.report.headline import heap_facts
from sonde.instruments.memory.report.life_bins import quantile_bin
from sonde.render.terminal.report_text import print_report, report_text
from sonde.report import Bins, Named, Note, Notices, Part, Report, Values

MADE = {
    "inventory": inventory_profile,
    "native": native_profile,
    "empty": empty_profile,
    "hostile": hostile_profile,
    "counted": counted_profile,
}

EVAL = native_function("eval", "ceval.c", 1)
WALK = python_function("walk", 10)
DEQUE = MemoryType("object", "deque")
BYTES = MemoryType("object", "bytes")


def shown(
    profile: MemoryProfile,
    options: MemoryOptions | None = None,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    colour: bool | None = None,
    is_verbose: bool = False,
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_report(memory_report(profile, options), stream, width=width, colour=colour, is_verbose=is_verbose)
    stream.flush()
    return raw.getvalue().decode(encoding)


def names(report: Report, table: str, key: str) -> list[str]:
    """The names of the functions in a column."""
    return [cell.name for cell in cells(table_of(report, table), key) if isinstance(cell, Function)]


@pytest.mark.parametrize("name", ["inventory", "native", "empty", "counted"])
@pytest.mark.parametrize("width", [80, 120])
def test_a_profile_looks_as_it_did(name: str, width: int, golden: GoldenText) -> None:
    golden(report_text(memory_report(MADE[name]()), columns=width, is_verbose=True), f"memory/views/{name}-{width}.txt")


@pytest.mark.parametrize("name", MADE)
def test_made_profiles_are_valid(name: str) -> None:
    MADE[name]().check_valid()


def test_large_made_profiles_are_valid() -> None:
    large_profile(lines=500, types=50, sites=100).check_valid()


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("width", [20, 60, 80, 132])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_no_line_is_wider_than_the_page(name: str, width: int, encoding: str) -> None:
    for line in shown(MADE[name](), MemoryOptions(rows=50), width=width, encoding=encoding).splitlines():
        assert display_width(line) <= width, line


def test_nothing_of_a_made_name_reaches_the_terminal_as_a_command() -> None:
    assert "\x1b" not in shown(hostile_profile())
    assert "\udcff" not in shown(hostile_profile())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_plain_encodings_get_stand_ins_instead_of_question_marks(encoding: str) -> None:
    assert "?" not in shown(inventory_profile(), encoding=encoding)


def test_nothing_is_coloured_when_nobody_wants_colours() -> None:
    assert "\x1b" not in shown(inventory_profile())
    assert "\x1b[31;1m" in shown(inventory_profile(), colour=True)


def two_lines() -> MemoryProfile:
    """One line with the most accesses and D1 misses, another with the most L2 misses."""
    busy, slow = python_function("busy", 1, "a.py"), python_function("slow", 9, "b.py")
    return made_profile(
        [
            Accesses((busy, 2), ((EVAL, 1),), DEQUE, None, 900, 100, (400, 10)),
            Accesses((slow, 10), ((EVAL, 2),), BYTES, None, 80, 20, (90, 60)),
        ]
    )


@pytest.mark.parametrize(
    ("sort", "first"), [("", "slow"), ("cost", "slow"), ("L2", "slow"), ("d1", "busy"), ("accesses", "busy")]
)
def test_tables_are_sorted_by_what_is_asked_for(sort: str, first: str) -> None:
    report = memory_report(two_lines(), MemoryOptions(sort=sort))
    assert names(report, "python_functions", "function") == sorted(["slow", "busy"], reverse=first == "slow")
    (hot,) = (column.key for column in table_of(report, "python_functions").columns if column.is_hot)
    assert hot == {"d1": "d1_misses", "accesses": "accesses", "L2": "l2_misses"}.get(sort, "cost")


def test_an_unknown_order_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"cannot sort by 'L4': the profile has cost, accesses, D1, L2") as caught:
        memory_report(two_lines(), MemoryOptions(sort="L4"))
    assert caught.value.slug == "unknown-order"


def test_orders_are_levels_by_name_or_accesses() -> None:
    words = ("", "cost", "d1", "L2", "Accesses")
    orders = [level_of_order(sort, (D1.name, L2.name)) for sort in words]
    assert orders == [COST_FIRST, COST_FIRST, 0, 1, ACCESSES_FIRST]
    assert level_of_order("", ()) == ACCESSES_FIRST


def test_rates_are_of_the_accesses_that_reach_a_level() -> None:
    table = table_of(memory_report(two_lines()), "python_functions")
    assert cells(table, "d1_misses") == [Part(90, 100), Part(400, 1_000)]
    assert cells(table, "l2_misses") == [Part(60, 90), Part(10, 400)]
    assert [(column.whole, column.shown) for column in table.columns[1:3]] == [(1_100, "share"), (490, "amount")]


def test_rows_left_out_are_counted() -> None:
    text = shown(inventory_profile(), MemoryOptions(rows=3), is_verbose=True)
    assert "\n… 8 more types\n" in text and "\n… 1 more function\n" in text


def test_rows_without_misses_are_for_programs_and_counted() -> None:
    sites = table_of(memory_report(inventory_profile()), "sites")
    assert (len(sites.rows), sites.most, sites.notes[1]) == (8, 7, "8 in all")
    assert cells(sites, "l2_misses")[-1] == Part(0, 0)
    assert "\n… 1 more site\n" in shown(inventory_profile())


def test_a_table_in_which_nothing_misses_is_for_programs_alone() -> None:
    made = (python_function("f", 1, "a.py"), 2)
    profile = made_profile([Accesses(made, ((EVAL, 1),), DEQUE, made, 50, 50, (1, 0))])
    report = memory_report(profile, MemoryOptions(sort="L2"))
    assert {"python_functions", "sites"} <= {table.key for table in report.tables()}
    assert not {"python_functions", "sites"} & printed(report)


def test_the_text_of_a_line_is_told_where_it_is_known() -> None:
    profile = inventory_profile()
    lines = table_of(memory_report(profile), "python_lines")
    assert (lines.rows[0].cells[-4], lines.columns[-4].key) == (Place(RECORDS_FILE, 32, SORT), "line")
    assert cells(lines, "source")[0] == "second = index[k + gap].items[i]"
    untold = table_of(memory_report(replace(profile, sources={})), "python_lines")
    assert cells(untold, "source")[0] == SORT


def test_lines_of_several_functions_tell_all_of_them() -> None:
    again = [Accesses(None, ((native_function(name, "a.c", 1), 2),), DEQUE, None, 9, 0, (4, 1)) for name in "fg"]
    lines = table_of(memory_report(made_profile(again)), "native_lines")
    (functions,) = cells(lines, "functions")
    assert isinstance(functions, Values) and list(functions.values) == ["f", "g"]
    assert cells(table_of(memory_report(made_profile(again[:1])), "native_lines"), "functions") == [None]


def test_code_of_no_known_line_is_for_programs_alone() -> None:
    bare = native_function("memcpy", library="/lib/libc.so.6")
    report = memory_report(made_profile([Accesses(None, ((bare, 0),), DEQUE, None, 9, 1, (5, 5))]))
    assert names(report, "native_without_lines", "function") == ["memcpy"]
    assert "native_without_lines" not in printed(report) and "native_functions" in printed(report)


def test_without_python_lines_the_native_ones_are_told() -> None:
    report = memory_report(native_profile())
    assert not {"python_functions", "python_lines"} & {table.key for table in report.tables()}
    assert "s += v[i];" in cells(table_of(report, "native_lines"), "source")
    assert "native_lines" in printed(report)
    assert "native_lines" not in printed(memory_report(inventory_profile()))


def test_of_three_levels_the_one_sorted_by_has_a_column_at_any_width() -> None:
    assert "L2 misses" in shown(native_profile(), MemoryOptions(sort="L2"), width=60)
    assert "L3 misses" in shown(native_profile(), width=60)
    assert "L2 misses" in shown(native_profile(), width=120, is_verbose=True).partition("native functions")[2]


def test_types_of_a_line_add_up_to_its_misses() -> None:
    first = table_of(memory_report(inventory_profile(), MemoryOptions(sort="L2")), "line_types").rows[0]
    assert first.cells == (Part(4_757_718, 9_531_425), SORT, Place(RECORDS_FILE, 32, SORT))
    assert [row.cells[:2] for row in first.below] == [
        (Part(2_811_904, 4_757_718), "Entry"),
        (Part(1_944_310, 4_757_718), "dict keys and other object memory"),
    ]


def test_the_headline_tells_the_line_with_most_misses_and_how_often_each_level_is_missed() -> None:
    # Line 32 misses L2 2,811,904 + 1,944,310 + 1,102 + 402 times of 9,531,425, line 31 2,843,532 times.
    rates = "5.5% of 946M accesses miss D1, 1.0% L2: some 2.4 cycles lost each."
    assert memory_report(inventory_profile(), MemoryOptions(sort="L2")).headline == (
        "records.py:32 in shell_sort has 49.9% of the L2 misses, 59.1% of them on Entry.",
        "79.7% of the L2 misses are in 2 lines.",
        rates,
    )
    # With 10 cycles for a miss of D1 and 186 more for one of L2: 1,072,453,488 of 2,292,884,660.
    assert memory_report(inventory_profile()).headline[::2] == (
        "records.py:32 in shell_sort has 46.8% of the lost cycles, 58.2% of them on Entry.",
        rates,
    )


def test_the_answer_comes_first_and_the_rest_with_more() -> None:
    short, long = (shown(inventory_profile(), is_verbose=is_verbose) for is_verbose in (False, True))
    assert short.splitlines()[1].startswith("records.py:32 in shell_sort has 46.8%")
    assert "attributed:" in long and "attributed:" not in short
    assert "\n-v: caches, Python functions, native functions, objects, lifetimes\n" in short
    assert "\n-v:" not in long and "\nobjects" in long and "\nobjects" not in short


def test_losses_and_cut_off_runs_are_said() -> None:
    report = memory_report(empty_profile())
    (notices,) = (block for block in report.blocks if isinstance(block, Notices))
    assert [(each.kind, each.detail, each.amount) for each in notices.notices] == [
        ("record-cut-off", "the record ends before its last line", 1),
        ("", "the run was cut off: what came last may be missing", 0),
    ]
    assert Note("no data access was counted") in report.blocks


def test_lifetimes_tell_unused_objects_and_quantiles() -> None:
    made = (python_function("f", 1, "a.py"), 2)
    row = Accesses(made, ((EVAL, 1),), DEQUE, made, 50, 50, (1, 0))
    lives = {0: 5, 4: 3, 10: 2}
    report = memory_report(made_profile([row], [Born(DEQUE, made, 10, 0, 640, lives)]))
    (told,) = table_of(report, "lifetimes").rows
    assert told.cells[:5] == (10, 0.5, "unused", "<2^10", "<2^10")
    bins = Bins((5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 2))
    assert told.cells[5:] == (bins, "deque")
    assert cells(table_of(report, "sites"), "lifetimes") == cells(table_of(report, "types"), "lifetimes") == [bins]


def test_quantiles_are_bins() -> None:
    lifetimes = Lifetimes((1, 0, 8, 0, 1), 40)
    assert [quantile_bin(lifetimes, share) for share in (0.1, 0.5, 0.9, 1.0)] == [0, 2, 2, 4]


def test_the_heap_finding_compares_with_all_accesses() -> None:
    stack = MemoryType("stack", "main thread")
    rows = [
        Accesses(None, ((EVAL, 1),), DEQUE, None, 100, 100, (40, 20)),
        Accesses(None, ((EVAL, 1),), stack, None, 500, 300, (10, 0)),
    ]
    texts = [fact.value for fact in heap_facts(made_profile(rows))]
    # On the heap 40 of 200 miss D1 and 20 miss L2; of all, 50 and 20 of 1,000.
    assert texts == [
        "20.0% of the data accesses go to allocated memory",
        "taken alone, they overestimate the miss rates:"
        " D1 20.0% instead of 5.0%, 4.0 times as much; L2 10.0% instead of 2.0%, 5.0 times as much",
    ]


def test_objects_tell_their_number_size_and_use() -> None:
    tracked = Tracked(DEQUE, None, 17, 100, 1_100, 640, 50, (9, 3))
    row = Accesses(None, ((EVAL, 1),), DEQUE, None, 50, 50, (9, 3))
    told = table_of(memory_report(made_profile([row], tracked=[tracked])), "objects")
    assert [cells(told, key)[0] for key in ("object", "size", "in_use", "birth", "last_use", "number")] == [
        "deque #17",
        *(640, 1_000, 100, 1_100, 17),
    ]


def test_where_the_accesses_went_is_told_in_counts_and_shares() -> None:
    report = memory_report(inventory_profile())
    assert fact(report, "with_line").value == Part(878_547_176, 945_775_974)
    assert fact(report, "collections_0").value == 31


def test_code_without_names_files_and_lines_is_told_all_the_same() -> None:
    bare = plain_function("native", "", "", 0, "")
    profile = made_profile([Accesses(None, ((bare, 0),), MemoryType("unknown", ""), None, 9, 1, (5, 5))])
    report = memory_report(profile)
    assert cells(table_of(report, "native_functions"), "function") == [Named("(no name)", bare)]
    assert cells(table_of(report, "types"), "type") == ["unknown"]
    assert "(no name)" in report_text(report)


@pytest.mark.parametrize("width", [60, 61, 64, 70])
def test_sites_in_code_without_a_file_are_cut_to_fit(width: int) -> None:
    site = (plain_function("native", "a_function_with_a_long_name", "", 0, ""), 0)
    profile = made_profile([Accesses(None, ((EVAL, 1),), MemoryType("object", "t" * 30), site, 900, 100, (1_000, 0))])
    for line in shown(profile, width=width).splitlines():
        assert display_width(line) <= width, line


def test_one_level_of_cache_is_enough() -> None:
    profile = made_profile([Accesses(None, ((EVAL, 1),), DEQUE, None, 9, 1, (5,))], caches=(I1, D1))
    assert table_of(memory_report(profile), "native_functions").notes[0] == "by lost cycles"


def test_without_caches_code_and_memory_are_told_by_accesses() -> None:
    row = Accesses((python_function("f", 1, "a.py"), 2), ((EVAL, 1),), DEQUE, None, 9, 1, ())
    report = memory_report(made_profile([row], caches=()))
    for key in ("python_functions", "types"):
        assert key in printed(report) and table_of(report, key).notes[0] == "by accesses"
    assert not [column.key for table in report.tables() for column in table.columns if "misses" in column.key]


def test_a_large_profile_is_as_short_as_a_small_one() -> None:
    text = shown(large_profile(lines=2_000, types=500, sites=400), MemoryOptions(rows=5))
    assert len(text.splitlines()) < 110


def test_a_hostile_name_is_cut_to_fit_and_still_there() -> None:
    assert HOSTILE[:20] in shown(hostile_profile())


def sampled_profile() -> MemoryProfile:
    """Two lines: of one, most accesses are to what never misses; of the other too few were drawn."""

    def row(line: int, kind: MemoryType, count: int, misses: tuple[int, int], drawn: tuple[int, int]) -> Accesses:
        return Accesses((WALK, line), ((EVAL, 3),), kind, None, count, count, misses, sampled=drawn)

    stack = MemoryType("stack", "")
    rows = [
        row(11, stack, 300_000, (0, 0), (290, 310)),
        row(11, BYTES, 60_000, (900, 800), (60, 60)),
        row(11, DEQUE, 40_000, (500, 400), (50, 30)),
        row(12, DEQUE, 30_000, (90, 80), (31, 29)),
    ]
    return made_profile(rows)


def accesses_by_type(report: Report) -> dict[str, list[tuple[str, float | None]]]:
    """Of each line its types, with their share of its accesses."""
    table = table_of(report, "line_types")
    at = [column.key for column in table.columns].index("accesses")
    assert table.columns[at].unit == "share"
    found = {}
    for row in table.rows:
        place = row.cells[-1]
        assert isinstance(place, Place)
        found[str(place.line)] = [(str(each.cells[at + 1]), each.cells[at]) for each in row.below]
    return found  # type: ignore[return-value]


def test_accesses_of_a_line_by_type_are_estimated_where_enough_were_looked_at() -> None:
    report = memory_report(sampled_profile())
    assert accesses_by_type(report) == {"11": [("bytes", 0.15), ("deque", 0.1)], "12": [("deque", None)]}
    by_accesses = memory_report(sampled_profile(), MemoryOptions(sort="accesses"))
    assert accesses_by_type(by_accesses)["11"] == [("stack", 0.75), ("bytes", 0.15), ("deque", 0.1)]
    assert table_of(by_accesses, "line_types").title == "lines and the types they access"
    assert "one in 1,000 was sampled" in table_of(report, "line_types").legend
    places = table_of(report, "places_types")
    drawn = zip(cells(places, "sampled_loads"), cells(places, "sampled_stores"), strict=True)
    assert sorted(drawn) == [(31, 29), (50, 30), (60, 60), (290, 310)]


def test_profiles_without_a_sample_say_nothing_of_it() -> None:
    for key in ("line_types", "places_types"):
        columns = [column.key for column in table_of(memory_report(inventory_profile()), key).columns]
        assert not any("sampled" in column or column == "accesses" for column in columns)
