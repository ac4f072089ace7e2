"""Two memory profiles compared: what changed most comes first, with both sides and its rates."""

import io
import json
from dataclasses import replace

import pytest

from golden_text import GoldenText
from made_memory_profiles import (
    D1,
    I1,
    RECORDS_FILE,
    Accesses,
    faster_inventory_profile,
    hostile_profile,
    inventory_profile,
    made_profile,
    native_function,
    native_profile,
    python_function,
)
from report_json import has_table, table
from report_values import cells, table_of
from sonde.base.errors import UsageError
from sonde.base.fitted_text import display_width
from sonde.code import Place
from sonde.instruments.memory.options import MemoryDiffOptions
from sonde.instruments.memory.profile.difference import compare_memory
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, MemoryType
from sonde.instruments.memory.report import difference_report
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import print_report, report_text
from sonde.report import Change, Note, Part, Report, Table

EVAL = native_function("eval", "ceval.c", 1)
DEQUE = MemoryType("object", "deque")


def page(
    before: MemoryProfile, after: MemoryProfile, options: MemoryDiffOptions | None = None, *, columns: int = 80
) -> str:
    return report_text(compared(before, after, options), columns=columns)


def compared(before: MemoryProfile, after: MemoryProfile, options: MemoryDiffOptions | None = None) -> Report:
    return difference_report(compare_memory(before, after), options)


def column(table: Table, key: str) -> list[tuple[object, object]]:
    """Both sides of the changes in a column."""
    return [(cell.before, cell.after) for cell in cells(table, key) if isinstance(cell, Change)]


def one_line(name: str, loads: int, misses: tuple[int, ...], line: int = 2) -> Accesses:
    return Accesses((python_function(name, 1, "/app/a.py"), line), ((EVAL, 1),), DEQUE, None, loads, 0, misses)


@pytest.mark.parametrize("width", [80, 120])
def test_a_difference_looks_as_it_did(width: int, golden: GoldenText) -> None:
    text = page(inventory_profile(), faster_inventory_profile(), columns=width)
    golden(text, f"memory/views/difference-{width}.txt")


@pytest.mark.parametrize("width", [20, 60, 80, 132])
def test_no_line_is_wider_than_the_page(width: int) -> None:
    for before, after in (
        (inventory_profile(), faster_inventory_profile()),
        (inventory_profile(), hostile_profile()),
        (native_profile(), native_profile()),
    ):
        for line in page(before, after, columns=width).splitlines():
            assert display_width(line) <= width, line


def test_a_profile_does_not_differ_from_itself() -> None:
    report = compared(inventory_profile(), inventory_profile())
    assert [table.key for table in report.tables()] == ["total"]
    assert report.blocks[-1] == Note("nothing else changed") and report.changed is False
    assert cells(table_of(report, "total"), "change") == [0.0, 0.0, 0.0, 0.0]


def test_changes_have_signs_and_what_is_new_or_gone_a_mark() -> None:
    before = made_profile([one_line("old", 100, (50, 10)), one_line("both", 100, (40, 4))])
    after = made_profile([one_line("new", 300, (80, 40)), one_line("both", 100, (60, 2))])
    table = table_of(compared(before, after), "python_functions")
    assert [(cell, row.mark, row.tone) for cell, row in zip(cells(table, "name"), table.rows, strict=True)] == [
        ("new", "+", "bad"),
        ("old", "−", "good"),
        ("both", "", "good"),
    ]
    assert column(table, "accesses") == [(0, 300), (100, 0), (100, 100)]
    assert column(table, "d1_misses") == [(0, 80), (50, 0), (40, 60)]
    assert column(table, "rate") == [
        (Part(0, 0), Part(40, 80)),
        (Part(10, 50), Part(0, 0)),
        (Part(4, 40), Part(2, 60)),
    ]
    rows = page(before, after).partition("Python functions")[2].splitlines()[2:5]
    # Cycles lost: 10 for a miss of D1, 186 more for one of L2.
    assert [row.split()[:4] for row in rows] == [
        ["+8,240", "+300", "+80", "+40"],
        ["−2,360", "−100", "−50", "−10"],
        ["−172", "0", "+20", "−2"],
    ]
    assert "-→50.0%  + new" in rows[0] and "20.0%→-  − old" in rows[1]


def test_the_order_is_that_asked_for() -> None:
    before = made_profile([one_line("f", 100, (50, 10)), one_line("g", 100, (50, 10))])
    after = made_profile([one_line("f", 900, (51, 10)), one_line("g", 100, (50, 20))])
    sorts = ("accesses", "d1", "L2")
    tables = [table_of(compared(before, after, MemoryDiffOptions(sort=sort)), "python_functions") for sort in sorts]
    assert [cells(table, "name")[0] for table in tables] == ["f", "f", "g"]
    assert [[each.key for each in table.columns if each.is_hot] for table in tables] == [
        ["accesses"],
        ["d1_misses"],
        ["l2_misses"],
    ]
    with pytest.raises(UsageError, match="cannot sort by 'L3'"):
        page(before, after, MemoryDiffOptions(sort="L3"))


def test_lines_that_moved_tell_both_numbers() -> None:
    text = page(inventory_profile(), faster_inventory_profile())
    assert "records.py:32→34" in text
    places = cells(table_of(compared(inventory_profile(), faster_inventory_profile()), "python_lines"), "place")
    assert Change(Place(RECORDS_FILE, 32), Place(RECORDS_FILE, 34)) in places


def test_what_is_on_one_side_has_one_place() -> None:
    before, after = (made_profile([one_line(name, 100, (50, 10))]) for name in ("old", "new"))
    there = Place("/app/a.py", 2)
    assert column(table_of(compared(before, after), "python_lines"), "place") == [(None, there), (there, None)]


def test_totals_fit_however_far_they_are_apart() -> None:
    few, many = (made_profile([one_line("f", loads, (loads, loads))]) for loads in (3, 4 * 10**12))
    for before, after in ((few, many), (many, few)):
        assert max(map(display_width, page(before, after, columns=60).splitlines())) <= 60
    assert ">999%" in page(few, many, columns=60) and "4.0T" in page(few, many, columns=60)


def test_one_level_is_enough() -> None:
    before = made_profile([one_line("f", 100, (50,))], caches=(I1, D1))
    report = compared(before, made_profile([one_line("f", 10, (5,))], caches=(I1, D1)))
    assert table_of(report, "python_functions").notes[0] == "by change of lost cycles"


def test_colours_go_with_signs() -> None:
    stream = io.StringIO()
    print_report(compared(inventory_profile(), faster_inventory_profile()), stream, width=80, colour=True)
    assert "\x1b[32m      −2.0G\x1b[0m     −557M" in stream.getvalue()


def test_data_are_json_with_both_sides() -> None:
    before = inventory_profile()
    after = replace(before, run=before.run)
    data = json.loads(json.dumps(report_data(compared(before, after))))
    assert [(row["what"], row["before"], row["after"]) for row in table(data, "total")] == [
        ("accesses", 945_775_974, 945_775_974),
        ("D1 misses", 52_003_961, 52_003_961),
        ("L2 misses", 9_531_425, 9_531_425),
        ("lost cycles", 2_292_884_660, 2_292_884_660),
    ]
    assert data["changed"] is False and not has_table(data, "python_functions")
    changed = json.loads(json.dumps(report_data(compared(before, faster_inventory_profile()))))
    line = next(row for row in table(changed, "python_lines") if row["place"]["after"]["line"] == 34)
    assert line["l2_misses"] == {"before": 4_757_718, "after": 351_675}
    assert line["place"]["before"] == {"file": RECORDS_FILE, "line": 32}
    assert has_table(changed, "native_lines")


def cost(accesses: int, d1: int, l2: int) -> Accesses:
    """A library's line; `one_line` is the program's."""
    library = "/v/lib/python3.12/site-packages/lib/a.py"
    return Accesses((python_function("vendored", 1, library), 2), ((EVAL, 1),), DEQUE, None, accesses, 0, (d1, l2))


def both_sides() -> tuple[MemoryProfile, MemoryProfile]:
    """`f` loses 100 cycles more (D1 misses), the library's function 9,000 less; `g` as much."""
    before, after = (
        made_profile([one_line("f", 100, (d1, 0)), one_line("g", 100, (20, 0)), cost(2000, library, 0)])
        for d1, library in ((10, 1000), (20, 100))
    )
    return before, after


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ({}, ["vendored", "f"]),
        ({"mine": True}, ["f"]),
        ({"include": ("f",)}, ["f"]),
        ({"exclude": ("f",)}, ["vendored"]),
        ({"min_share": 0.5}, ["vendored"]),
        ({"min_share": 0.01}, ["vendored", "f"]),
    ],
)
def test_only_what_is_asked_for_is_told(words: dict[str, object], left: list[str]) -> None:
    options = MemoryDiffOptions(**words)  # type: ignore[arg-type]
    before, after = both_sides()
    report = difference_report(compare_memory(before, after, selection=options.selection), options)
    for key in ("python_functions", "python_lines"):
        assert cells(table_of(report, key), "name") == left
    assert cells(table_of(report, "total"), "before") == [2200, 1030, 0, 10_300]  # of the whole runs, whatever is shown


def test_what_is_left_decides_whether_anything_changed() -> None:
    before, after = both_sides()
    only = MemoryDiffOptions(include=("g",))
    report = difference_report(compare_memory(before, after, selection=only.selection), only)
    assert report.changed is False
    assert report.headline[0].startswith("no function's lost cycles changed (only 'g'); total ")


def test_what_leaves_nothing_of_a_difference_is_refused() -> None:
    before, after = both_sides()
    with pytest.raises(UsageError, match="cannot show only 'vendord': no function that accessed memory") as caught:
        compare_memory(before, after, selection=MemoryDiffOptions(include=("vendord",)).selection)
    assert (caught.value.slug, caught.value.hint) == ("no-code-left", "did you mean 'vendored'?")
    with pytest.raises(UsageError, match="at least 99% of the lost cycles") as caught:
        difference_report(compare_memory(before, after), MemoryDiffOptions(min_share=0.99))
    assert caught.value.slug == "no-code-left"
