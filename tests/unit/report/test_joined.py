"""Reports of different kinds about one program, as one."""

from dataclasses import replace
from pathlib import Path

import pytest

from made_phases import Made, phase_profile
from report_json import all_rows
from sonde.cli.main import main
from sonde.code import Function, FunctionIndex, Place
from sonde.evidence import Loss
from sonde.instruments.contexts.profile import write_profile
from sonde.instruments.phases.profile import write_phase_profile
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from sonde.report import Column, Listing, Notices, Part, Report, Row, Table, joined_report
from tree_builder import profile_of

TEXT = "import this\n\ndef hot(n):\n    return n * n\n\ndef cold():\n    pass\n"
HOT, COLD = (Function(name, "app", "/src/app.py", line) for name, line in (("hot", 3), ("cold", 6)))
HOT_AGAIN = Function("hot", "", "/elsewhere/app.py", 3)
ONLY_MISSES = Function("memmove", "", "", 0, "function", "native", "libc.so.6")


def times() -> Report:
    columns = (
        Column("self", "self", "duration", whole=100, shown="both", is_hot=True),
        Column("f", "function", "name"),
    )
    table = Table("functions", "hottest functions", columns, (Row((80, HOT)), Row((20, COLD))))
    return Report("contexts", "app.py", (Notices((Loss("lost", 0, "one call"),)), table), {"/src/app.py": TEXT})


def misses() -> Report:
    amount = Column("l3", "L3 misses", "count", whole=10, is_hot=True)
    functions = Table(
        "functions",
        "functions",
        (amount, Column("f", "function", "name")),
        (Row((Part(1, 2), ONLY_MISSES)), Row((Part(9, 9), HOT_AGAIN))),
    )
    lines = Table(
        "lines", "lines", (amount, Column("p", "line", "place")), (Row((Part(9, 9), Place("/src/app.py", 4))),)
    )
    return Report("memory", "app.py", (functions, lines))


def test_functions_of_all_reports_stand_in_one_table() -> None:
    report = joined_report([times(), misses()], ["t.sonde", "m.sonde"])
    rows = all_rows(report_data(report), "functions")
    assert [(row["function"]["name"], row.get("contexts_self"), row.get("memory_l3")) for row in rows] == [
        ("hot", 80, {"value": 9, "of": 9}),
        ("cold", 20, None),
        ("memmove", None, {"value": 1, "of": 2}),
    ]
    assert report.title == "t.sonde + m.sonde"


@pytest.mark.parametrize(("file", "title"), [("/src/app.py", "app.py"), ("/src/app/__init__.py", "app/__init__.py")])
def test_the_source_of_a_package_is_named_with_its_folder(file: str, title: str) -> None:
    of_package = replace(HOT, file=file)
    table = Table("functions", "f", next(iter(times().tables())).columns, (Row((80, of_package)),))
    report = joined_report([replace(times(), blocks=(table,), sources={file: TEXT}), misses()], ["t", "m"])
    assert [block.title for block in report.blocks if isinstance(block, Listing)] == [title]


def test_lines_have_what_each_report_counts_there() -> None:
    report = joined_report([times(), misses()], ["t", "m"])
    (listing,) = (block for block in report.blocks if isinstance(block, Listing))
    assert listing.text == TEXT
    assert listing.lines == {3: (80, None), 4: (None, Part(9, 9)), 6: (20, None)}
    text = report_text(report, columns=80)
    told = [line.split() for line in text.splitlines()]
    assert ["80", "ns", "80.0%", "3", "def", "hot(n):"] in told
    assert ["9", "100.0%", "4", "return", "n", "*", "n"] in told


def test_the_headline_joins_what_is_hottest_with_what_it_misses() -> None:
    report = joined_report([times(), misses()], ["t", "m"])
    assert report.headline == ("hot is hottest: 80.0% of the time, 90.0% of the L3 misses.",)


def test_what_misses_most_elsewhere_is_told_too() -> None:
    amount = Column("cost", "cycles lost", "count", whole=200, is_hot=True)
    rows = (Row((150, ONLY_MISSES)), Row((10, HOT_AGAIN)))
    other = Report("memory", "app.py", (Table("functions", "", (amount, Column("f", "", "name")), rows),))
    assert joined_report([times(), other], ["t", "m"]).headline == (
        "hot is hottest: 80.0% of the time, 5.0% of the cycles lost.",
        "memmove has most cycles lost: 75.0%.",
    )


def test_where_it_is_narrow_each_report_keeps_its_first_column() -> None:
    more = [Column(key, f"{key} much", "count", shown="both", priority=2) for key in ("a", "b")]
    functions = next(iter(misses().tables()))
    wide = replace(
        functions,
        columns=(*more, *functions.columns),
        rows=tuple(replace(row, cells=(Part(1, 5), Part(2, 5), *row.cells)) for row in functions.rows),
    )

    text = report_text(joined_report([replace(misses(), blocks=(wide,)), times()], ["m", "t"]), columns=44)

    header = text.split("\nfunctions\n")[1].splitlines()[2]
    assert "a much" in header
    assert "self" in header


def test_doubts_of_each_are_told() -> None:
    assert "! contexts: one call (lost)" in report_text(joined_report([times(), misses()], ["t", "m"]))


def test_a_report_without_functions_joins_nothing_and_says_so() -> None:
    report = joined_report([times(), Report("other", "x", ())], ["t", "x"])
    assert "fewer than two of them tell of functions" in report_text(report)


def test_functions_that_could_be_several_are_none() -> None:
    index = FunctionIndex([Function("run", "a", "a.py", 1), Function("run", "b", "b.py", 1)])
    assert index.find(Function("run", "", "", 0)) is None
    assert index.find(Function("run", "", "b.py", 0)) == 1
    assert index.find(Function("run(int)", "", "a.py", 1)) == 0


@pytest.mark.parametrize("width", [20, 60, 100, 200])
def test_it_fits_any_page(width: int) -> None:
    text = report_text(joined_report([times(), misses()], ["t", "m"]), columns=width)
    assert max(map(len, text.splitlines())) <= width


def test_two_profiles_of_one_kind_are_not_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, other = (str(tmp_path / f"{name}.sonde") for name in "abc")
    for name in (first, second):
        write_profile(Path(name), profile_of("main 1 10"))
    write_phase_profile(Path(other), phase_profile(["main"], [], [Made(0, 0, 10)], 10))
    for named in ([first, second], [first, other, second]):
        assert main(["view", *named]) == 2
        said = capsys.readouterr().err
        assert f"cannot view '{first}' and '{second}' together: each holds a profile of calling contexts" in said
        assert f"hint: sonde diff {first} {second}" in said
