"""Tables on a terminal: what is aligned, what goes where there is no room, and what never goes."""

import io

import pytest

from fake_terminal import TerminalText
from sonde.code import Function, Place
from sonde.render.terminal.report_text import print_report, report_text
from sonde.report import DISPENSABLE, Bins, Change, Column, LazyRows, Part, Report, Row, Table

PARSE = Place("/home/ada/app/src/parser.py", 120)
SORT = Place("/home/ada/app/src/shell_sort.py", 7)


def lines(table: Table, columns: int = 80) -> list[str]:
    """The table's lines without its title."""
    text = report_text(Report("toy", "app", (table,)), columns=columns)
    return text.splitlines()[3 if table.title else 1 :]


def painted(table: Table, *, encoding: str = "utf-8", colour: bool = True) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_report(Report("toy", "app", (table,)), stream, width=80, colour=colour)
    stream.flush()
    return raw.getvalue().decode(encoding)


def table(*rows: Row, columns: tuple[Column, ...], **more: object) -> Table:
    return Table("toys", "", columns, rows, **more)  # type: ignore[arg-type]  # a test's own


COUNTED = (Column("calls", "calls", "count"), Column("name", "function", "name"), Column("place", "", "place"))


def test_amounts_are_aligned_to_the_right_and_places_stand_below_one_another() -> None:
    counted = table(Row((5, "parse", PARSE)), Row((1234, "sort", SORT)), columns=COUNTED)
    assert lines(counted) == [
        "calls  function",
        "    5  parse  src/parser.py:120",
        "1,234  sort   src/shell_sort.py:7",
    ]


def test_a_title_without_cells_is_not_shown() -> None:
    assert lines(table(Row((None, "parse", None)), columns=COUNTED)) == ["function", "parse"]


def test_shares_stand_below_one_another() -> None:
    columns = (Column("misses", "misses", "count"), Column("name", "line", "name"))
    parted = table(Row((Part(1, 8), "a")), Row((Part(40, 40), "b")), Row((Part(0, 0), "c")), columns=columns)
    assert lines(parted) == ["   misses  line", " 1  12.5%  a", "40 100.0%  b", " 0      -  c"]


def test_counts_are_rounded_where_it_is_narrow_and_names_follow() -> None:
    counted = table(Row((12_345_678, "parse", None)), columns=COUNTED)
    assert lines(counted, 99)[1] == "12.3M  parse"
    assert lines(counted, 100)[1] == "12,345,678  parse"


def test_counts_without_names_behind_them_keep_their_digits_as_long_as_they_fit() -> None:
    columns = (Column("name", "", "name"), Column("before", "before", "count"), Column("after", "after", "count"))
    totals = table(Row(("accesses", 12_345_678, 1)), columns=columns)
    assert lines(totals, 60)[1] == "accesses  12,345,678      1"
    assert lines(totals, 27)[1] == "accesses  12,345,678      1"
    assert lines(totals, 26)[1] == "accesses   12.3M      1"


LISTED = (Column("calls", "calls", "count"), Column("line", "line", "place"), Column("source", "", "code"))

LADDER = (
    Column("a", "stays", "count"),
    Column("b", "second", "count", priority=1),
    Column("c", "first", "count", priority=2),
    Column("name", "function", "name"),
)


@pytest.mark.parametrize(
    ("width", "header"),
    [(60, "stays  second  first  function"), (40, "stays  second  function"), (33, "stays  function")],
)
def test_the_columns_with_the_highest_priorities_go_first(width: int, header: str) -> None:
    assert lines(table(Row((1, 2, 3, "a_function_with_a_long_name")), columns=LADDER), width)[0] == header


def test_a_dispensable_column_goes_before_names_are_cut() -> None:
    columns = (Column("a", "stays", "count"), Column("b", "goes", "count", priority=DISPENSABLE), *LISTED[1:])
    listed = table(Row((1, 2, PARSE, "return f(of, them)")), columns=columns)
    assert lines(listed, 46)[1] == "    1     2  parser.py:120  return f(of, them)"
    assert lines(listed, 45)[1] == "    1  src/parser.py:120  return f(of, them)"


def test_columns_stay_as_long_as_short_names_fit() -> None:
    assert lines(table(Row((1, 2, 3, "main")), columns=LADDER), 30)[0] == "stays  second  first  function"


def test_places_lose_their_folders_before_columns_go() -> None:
    columns = (LADDER[0], LADDER[1], *COUNTED[1:])
    placed = table(Row((1, 2, "parse", PARSE)), columns=columns)
    assert lines(placed, 41)[1] == "    1       2  parse  src/parser.py:120"
    assert lines(placed, 37)[1] == "    1       2  parse  parser.py:120"


def test_a_place_that_does_not_fit_keeps_its_end() -> None:
    far = table(Row((1, "a_function_with_a_long_name", SORT)), columns=COUNTED)
    assert lines(far, 46)[1] == "    1  a_function_with_a_long_…  …ll_sort.py:7"


def test_a_name_alone_has_the_room_that_nothing_could_be_told_in() -> None:
    far = table(Row((1, "a_function_with_a_long_name", SORT)), columns=COUNTED)
    assert lines(far, 28)[1] == "    1  a_function_with_a_lo…"
    assert lines(far, 29)[1] == "    1  a_functio…  …sort.py:7"


def test_a_row_whose_place_is_short_lends_the_room_to_its_name() -> None:
    library = Place("/lib/m.so", 0, Function("", "", "", 0, "function", "native", "/lib/m.so"))
    names = table(
        Row((1, "a_function_with_a_long_name", SORT)), Row((1, "another_long_function", library)), columns=COUNTED
    )
    assert lines(names, 40)[1:] == ["    1  a_function_with_a…  …ll_sort.py:7", "    1  another_long_function  m.so"]


def test_a_place_before_a_text_is_as_wide_as_the_widest_of_them() -> None:
    listed = table(Row((1, PARSE, "return 1")), Row((2, SORT, "x" * 90)), columns=LISTED)
    assert lines(listed, 60)[1:] == [
        "    1  src/parser.py:120    return 1",
        f"    2  src/shell_sort.py:7  {'x' * 31}…",
    ]


def test_a_place_loses_its_folders_so_that_the_text_is_told_whole() -> None:
    listed = table(Row((1, PARSE, "return")), columns=LISTED)
    assert lines(listed, 32)[1] == "    1  src/parser.py:120  return"
    assert lines(listed, 31)[1] == "    1  parser.py:120  return"


def test_a_place_before_a_text_keeps_its_line_number() -> None:
    header = Place("/usr/include/c++/12/bits/a_header_with_a_very_long_name.h", 1137)
    assert (
        lines(table(Row((1, header, "return *this;")), columns=LISTED), 40)[1]
        == "    1  …_long_name.h:1137  return *this;"
    )
    assert lines(table(Row((1, header, "return *this;")), columns=LISTED), 28)[1] == "    1  …ame.h:1137  return …"


def test_what_was_inlined_is_told_by_where_it_was_inlined_into() -> None:
    inlined = Place("/usr/include/alloc.h", 137, inlined_into=(Place("/src/app.cpp", 7),))
    columns = (COUNTED[0], Column("place", "site", "place"))
    shown = [lines(table(Row((1, inlined)), columns=columns), width)[1][7:] for width in (60, 33, 24)]
    assert shown == ["src/app.cpp:7 → include/alloc.h:137", "app.cpp:7 → alloc.h:137", "app.cpp:7 → allo…"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (Place("/a/b/f.c", 3), Place("/a/b/f.c", 5), "b/f.c:3→5"),
        (Place("/a/b/f.c", 3), Place("/a/b/f.c", 3), "b/f.c:3"),
        (Place("/a/b/f.c", 3), None, "b/f.c:3"),
        (None, Place("/a/b/f.c", 5), "b/f.c:5"),
        (None, None, ""),
    ],
)
def test_places_that_moved_tell_both_lines(before: Place | None, after: Place | None, told: str) -> None:
    moved = table(Row((1, "f", Change(before, after))), columns=COUNTED)
    assert lines(moved)[1] == f"    1  f  {told}".rstrip()


def test_in_signed_columns_changes_are_differences() -> None:
    columns = (Column("misses", "misses", "count", is_signed=True), Column("of", "of", "share", is_signed=True))
    changed = table(Row((Change(5, 1205), 12.0)), Row((Change(7, 7), 0.0)), Row((Change(9, 2), -0.5)), columns=columns)
    assert lines(changed) == ["misses      of", "+1,200   >999%", "     0    0.0%", "    −7  −50.0%"]


def test_elsewhere_both_sides_are_told() -> None:
    columns = (Column("rate", "rate", "count"), Column("calls", "calls", "count"))
    changed = table(Row((Change(Part(1, 4), Part(0, 0)), Change(1, None))), columns=columns)
    assert lines(changed)[1] == "25.0%→-    1→-"


def test_names_that_come_first_stand_first() -> None:
    columns = (Column("cache", "", "name"), Column("size", "size", "bytes"))
    assert lines(table(Row(("D1", 32768)), Row(("a longer one", 100)), columns=columns)) == [
        "                size",
        "D1            32 KiB",
        "a longer one   100 B",
    ]


def test_members_of_groups_have_guides_and_groups_have_none() -> None:
    members = (Row((3, "Entry", None)), Row((1, "list", None)))
    grouped = table(
        Row((4, "sort", SORT), members), Row((1, "parse", None), members[:1]), columns=COUNTED, is_grouped=True
    )
    assert lines(grouped)[1:] == [
        "    4  sort     src/shell_sort.py:7",
        "    3  ├ Entry",
        "    1  └ list",
        "    1  parse",
        "    3  └ Entry",
    ]
    assert "    3  ├─ Entry" in lines(grouped, 100)


def test_the_only_row_below_another_stands_right_below_it() -> None:
    leaf = Row((1, "leaf", None))
    chain = table(Row((3, "main", None), (Row((2, "walk", None), (leaf, leaf)),)), columns=COUNTED)
    assert lines(chain)[1:] == ["    3  main", "    2  walk", "    1  ├ leaf", "    1  └ leaf"]


def test_deep_guides_are_cut_on_their_left_so_that_names_stay() -> None:
    row = Row((1, "leaf", None))
    for _ in range(40):
        row = Row((1, "node", None), (row, Row((1, "side", None))))
    last = lines(table(row, columns=COUNTED), 40)
    assert max(map(len, last)) <= 40
    assert any(line.startswith("    1  …") and line.endswith("leaf") for line in last)


def test_a_strip_has_a_column_for_each_bin_or_for_several() -> None:
    columns = (Column("bins", "", "bins", scale=("1", "2^29")), Column("type", "type", "name"))
    spread = table(Row((Bins([0] * 29 + [4]), "list")), Row((Bins([1] + [0] * 29), "str")), columns=columns)
    assert lines(spread, 60) == [f"1{'2^29':>29}  type", f"{'':29}█  list", f"█{'':29}  str"]
    narrow = lines(spread, 20)
    assert len(narrow[0].partition("type")[0]) < 16
    assert narrow[1].endswith("█  list") and narrow[2].startswith("█")


def test_marks_stand_before_names() -> None:
    marked = table(Row((1, "new", None), mark="+"), Row((2, "both", None)), columns=COUNTED)
    assert lines(marked)[1:] == ["    1  + new", "    2  both"]


def test_a_number_behind_a_name_is_kept() -> None:
    columns = (COUNTED[0], Column("object", "object", "name"))
    assert lines(table(Row((1, "collections.OrderedDict #1234")), columns=columns), 24)[1] == "    1  collection… #1234"


def test_twenty_columns_have_an_amount_and_a_name() -> None:
    columns = (*LADDER[:3], *COUNTED[1:])
    short = lines(table(Row((12_345_678, 2, 3, "shell_sort", SORT)), columns=columns), 20)
    assert short == ["stays  function", "12.3M  shell_sort"]


def test_rows_that_are_not_printed_are_counted_in_their_noun() -> None:
    rows = [Row((number, "f", None)) for number in range(1, 6)]
    assert lines(table(*rows, columns=COUNTED, most=4, noun="site"))[-1] == "… 1 more site"
    assert lines(table(*rows, columns=COUNTED, most=2, noun="site", left_out=1_000))[-1] == "… 1,003 more sites"
    assert not lines(table(*rows, columns=COUNTED, most=5))[-1].startswith("…")


def test_a_table_for_programs_is_not_printed() -> None:
    assert lines(table(Row((1, "f", None)), columns=COUNTED, is_secondary=True)) == []


def test_hot_cells_are_red_and_warm_ones_yellow() -> None:
    columns = (Column("calls", "calls", "count", 100, is_hot=True), Column("name", "", "name"))
    text = painted(table(Row((10, "hot")), Row((2, "warm")), Row((1, "cool")), columns=columns))
    assert "\x1b[31;1m   10\x1b[0m  hot" in text and "\x1b[33m    2\x1b[0m  warm" in text and "\n    1  cool" in text


def test_of_changes_the_hot_column_has_the_colour_of_the_row() -> None:
    columns = tuple(Column(key, key, "count", is_signed=True, is_hot=key == "b") for key in "ab")
    assert "\n+1  \x1b[32m−2\x1b[0m\n" in painted(table(Row((1, -2), tone="good"), columns=columns))
    cold = tuple(Column(key, key, "count", is_signed=True) for key in "ab")
    assert "\n\x1b[31m+1\x1b[0m  \x1b[31m+2\x1b[0m\n" in painted(table(Row((1, 2), tone="bad"), columns=cold))


def test_without_colours_nothing_is_painted() -> None:
    columns = (Column("calls", "calls", "count", 100, is_hot=True), Column("name", "", "name"))
    assert "\x1b" not in painted(table(Row((10, "hot"), tone="bad"), columns=columns), colour=False)


def test_plain_encodings_get_stand_ins_as_wide() -> None:
    columns = (Column("bins", "", "bins"), Column("change", "change", "count", is_signed=True), *COUNTED[1:])
    rows = Row((Bins([1, 0, 8]), -5, "f", Change(PARSE, SORT)), (Row((None, None, "g", None)),))
    grouped = table(rows, columns=columns, is_grouped=True)
    fancy, plain = (painted(grouped, encoding=encoding, colour=False) for encoding in ("utf-8", "ascii"))
    assert plain.isascii() and "?" not in plain
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in fancy.splitlines()]


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    report = Report("toy", "app", (table(Row((10, "hot", None), tone="strong"), columns=COUNTED),))
    coloured, plain = TerminalText(), TerminalText()
    print_report(report, coloured, width=80)
    monkeypatch.setenv("NO_COLOR", "1")
    print_report(report, plain, width=80)
    assert "\x1b" in coloured.getvalue()
    assert "\x1b" not in plain.getvalue()


def test_rows_that_are_not_printed_are_not_made() -> None:
    made: list[int] = []

    def row(count: int) -> Row:
        made.append(count)
        return Row((count, "f", None))

    lazy = Table("toys", "", COUNTED, LazyRows(range(1, 1_000), row), noun="row", most=2)
    assert lines(lazy)[1:] == ["    1  f", "    2  f", "… 997 more rows"]
    assert set(made) == {1, 2}


def test_titles_of_sentences_below_rows_do_not_steer_the_terminal() -> None:
    columns = (Column("what", "what"), Column("size", "\x1b[2J", "bytes", shown="below"))
    text = report_text(Report("toy", "", (Table("t", "", columns, (Row(("x", 10)),)),)))
    assert "\x1b" not in text and "[2J: 10 B" in text


def test_titles_that_are_wider_than_short_names_stay_within_the_page() -> None:
    columns = (Column("n", "accesses", "count"), Column("name", "type and place", "name"), Column("at", "", "place"))
    text = report_text(Report("toy", "t", (Table("t", "", columns, (Row((1, "", "x")),)),)), columns=20)
    assert max(map(len, text.splitlines())) <= 20
