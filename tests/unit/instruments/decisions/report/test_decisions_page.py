"""Reports for pages: whole trees, one or two, where differences are in them, what words mean, sources."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from made_decisions import (
    GET,
    WORK,
    called,
    decided,
    deep_trees,
    every_kind,
    graal_run,
    inlined,
    llvm_run,
    made_experiment,
    made_run,
    made_sides,
    made_unit,
    root,
    wide_trees,
)
from sonde.base.errors import InputError
from sonde.code import Place
from sonde.instruments.decisions.analysis import compare_runs
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.model import (
    Decision,
    DecisionRun,
    Phase,
    ReceiverProfile,
    ReceiverType,
    SourceRange,
    Trees,
    Unit,
)
from sonde.instruments.decisions.report import comparison_page, page_trees, run_page
from sonde.render.html import report_html
from sonde.report import Cell, MoreOf, Named, Notices, Report, Row, SideBySide, Table

ALL_HOT = HeatPolicy(percentile=1.0)


def page_of(run: DecisionRun) -> Report:
    return run_page(made_experiment(run, policy=ALL_HOT))


def page_of_two(first: DecisionRun, second: DecisionRun) -> Report:
    return comparison_page(compare_runs(*made_sides(first, second, ALL_HOT)))


def table(report: Report, key: str) -> Table:
    (found,) = (each for each in report.tables() if each.key == key)
    return found


def trees(report: Report) -> list[Table | SideBySide]:
    return [block for block in report.blocks if isinstance(block, Table | SideBySide) and block.more_of is not None]


def cells(of: Table, row: Row) -> dict[str, Cell]:
    keys = [column.key for column in of.columns]
    return {key: cell for key, cell in zip(keys, row.cells, strict=True) if cell is not None}


def named(row: Row, key: str, of: Table) -> bool:
    what = cells(of, row)["what"]
    return key in (what.text if isinstance(what, Named) else str(what))


def row_of(report: Report, tree: str, name: str) -> dict[str, Cell]:
    """The cells of the first row of a tree with such a name."""
    found = table(report, tree)
    return next(cells(found, row) for row in found.all_rows() if named(row, name, found))


def notices(report: Report) -> str:
    return "\n".join(each.detail for block in report.blocks if isinstance(block, Notices) for each in block.notices)


@pytest.mark.parametrize("run", every_kind(), ids=lambda run: run.kind)
def test_every_unit_has_three_trees(run: DecisionRun) -> None:
    report = page_of(run)
    units = sum(1 for _ in table(report, "units").all_rows())
    expected = [
        (row, name) for row in range(units) for name in ("inlining", "optimizations", "optimizations in context")
    ]
    assert [(each.more_of.row, each.more_of.name) for each in trees(report) if each.more_of] == expected
    assert "default-src 'none'" in report_html(report)


def test_each_decision_has_a_row_with_its_inline_stack_and_what_it_means() -> None:
    report = page_of(graal_run())
    found = row_of(report, "optimizations-0", "AllocationVirtualization")
    assert found["through"] == "java.util.HashMap.hash(Object) bci 1\njava.util.HashMap.get(Object) bci 2\n" + (
        "app.Hot.work(int) bci 5"
    )
    assert "An object is not allocated" in str(found["meaning"])
    again = [decided("Loop", "Peeling", (WORK, at)) for at in (1, 2)]
    twice = page_of(made_run([made_unit(0, Trees(root(WORK), Phase("R", [*again])), period=9)]))
    assert sum(1 for _ in table(twice, "optimizations-0").all_rows()) == 3


def test_phases_without_decisions_are_named_in_the_details() -> None:
    phases = Phase(
        "R", [Phase("Canonical"), Phase("Lowering", [Phase("Inner")]), decided("Loop", "Peeling", (WORK, 1))]
    )
    report = page_of(made_run([made_unit(0, Trees(root(WORK), phases), period=9)]))
    assert row_of(report, "optimizations-0", "3 phases without")["said"] == "Canonical, Lowering, Inner"


def test_all_that_was_said_of_a_call_is_in_its_details() -> None:
    reason = " ".join(f"word{number}" for number in range(300))
    types = (ReceiverType("a.Y", 0.75, "a.Y.run()"), ReceiverType("a.Z", 0.25))
    site = called("a.X.run()", 3, reasons=["cold", reason], receivers=ReceiverProfile(False, types), indirect=True)
    report = page_of(made_run([made_unit(0, Trees(root("m()", site), Phase("R")), period=9)]))
    found = row_of(report, "inlining-0", "X.run")
    assert found["said"] == f"cold\n{reason}"
    assert found["receivers"] == "immature\n75.0% a.Y \N{RIGHTWARDS ARROW} a.Y.run()\n25.0% a.Z"
    assert reason in report_html(report)


def test_words_are_explained_once_and_unknown_ones_named() -> None:
    decisions: list[Phase | Decision] = [decided("licm", "Hoisted", ("m()", at)) for at in (1, 2)]
    odd = decided("licm", "NoSuchRemark", ("m()", 3))
    report = page_of(made_run([made_unit(0, Trees(root("m()"), Phase("R", [*decisions, odd])), period=9)], kind="llvm"))
    words = table(report, "words")
    assert [row.cells[0] for row in words.rows] == ["Hoisted"]
    assert words.legend == "Not in the glossary: licm NoSuchRemark"
    assert row_of(report, "optimizations-0", "NoSuchRemark")["meaning"] == "not in the glossary"


def test_both_sides_of_a_call_that_differs_stand_in_one_line() -> None:
    report = page_of_two(graal_run(), graal_run(is_fast=False))
    (block, *_) = (each for each in trees(report) if isinstance(each, SideBySide))
    lines = list(block.lines())
    assert [change for change, _, _ in lines] == ["", "notable", "first", "first", "", ""]
    _, left, right = lines[1]
    assert left is not None and right is not None
    assert (left.mark, right.mark) == ("inlined", "direct")
    assert "too big: 612 nodes" in str(cells(block.right, right)["said"])


def found_line(report: Report, name: str, where: str) -> tuple[SideBySide, Row]:
    """Where a difference leads to: the one of this name in this place."""
    of = table(report, "findings")
    for row in of.rows:
        told = cells(of, row)
        subject = told["subject"]
        if name in (subject if isinstance(subject, str) else getattr(subject, "label", "")) and where == told["where"]:
            assert row.leads_to is not None
            (block,) = (each for each in trees(report) if each.key == row.leads_to[0])
            assert isinstance(block, SideBySide)
            _, left, right = list(block.lines())[row.leads_to[1]]
            line = left or right
            assert line is not None
            return block, line
    raise AssertionError(f"no difference of {name} {where}")


def test_a_call_is_found_in_the_code_of_its_caller() -> None:
    def run(*, is_first: bool) -> DecisionRun:
        """`get` is inlined into the first caller or into the second."""
        gets = [inlined(GET, 5), called(GET, 5, reasons=["too big"])]
        first, second = gets if is_first else gets[::-1]
        calls = root(WORK, inlined("a.First.f()", 1, first), inlined("a.Second.f()", 2, second))
        return made_run([made_unit(0, Trees(calls, Phase("R")), period=900)])

    report = page_of_two(run(is_first=True), run(is_first=False))
    lines = [found_line(report, "get", f"bci 5 in {caller}.f()") for caller in ("First", "Second")]
    assert [row.mark for _, row in lines] == ["inlined", "direct"]


def test_a_call_that_differs_because_of_another_is_not_taken_for_it() -> None:
    def run(*, is_fast: bool) -> DecisionRun:
        """A caller of `get` is inlined twice in the fast run: once the slow one does not, and once not its `get`."""
        get = called(GET, 5, reasons=["too big"])
        first = inlined("a.C.f()", 1, inlined(GET, 5)) if is_fast else called("a.C.f()", 1, reasons=["cold"])
        second = inlined("a.C.f()", 2, inlined(GET, 5) if is_fast else get)
        return made_run([made_unit(0, Trees(root(WORK, first, second), Phase("R")), period=900)])

    report = page_of_two(run(is_fast=True), run(is_fast=False))
    block, row = found_line(report, "get", "bci 5 in C.f()")
    order = list(block.left.all_rows())
    above = next(each for each in order if row in each.below)
    assert cells(block.left, above)["place"] == "bci 2"


def test_calls_in_one_line_are_told_apart_by_the_column() -> None:
    def run(*, is_first: bool) -> DecisionRun:
        sites = [replace(inlined("g", 4), column=3), replace(called("g", 4, reasons=["too big"]), column=9)]
        if not is_first:
            sites = [replace(called("g", 4, reasons=["too big"]), column=3), replace(inlined("g", 4), column=9)]
        return made_run([made_unit(0, Trees(root("f", *sites), Phase("R")), period=900)], kind="llvm")

    report = page_of_two(run(is_first=True), run(is_first=False))
    for place in ("line 4:3", "line 4:9"):
        block, row = found_line(report, "g", f"{place} in f")
        assert cells(block.left, row)["place"] == place


@pytest.mark.parametrize("order", [1, -1])
def test_a_decision_is_found_where_it_is_and_not_where_another_of_its_name_is(order: int) -> None:
    def run(*, is_fast: bool) -> DecisionRun:
        decisions: list[Phase | Decision] = [decided("licm", "Hoisted", ("m()", 7)), decided("licm", "Hoisted")]
        phases = Phase("R", decisions[::order] if is_fast else [])
        return made_run([made_unit(0, Trees(root("m()"), phases), period=900)], kind="llvm")

    report = page_of_two(run(is_fast=True), run(is_fast=False))
    assert [cells(*found_line_cells(report, where)).get("place") for where in ("line 7 in m()", "in m()")] == [
        "line 7",
        None,
    ]


def found_line_cells(report: Report, where: str) -> tuple[Table, Row]:
    block, row = found_line(report, "licm", where)
    return block.left, row


@pytest.mark.parametrize("kind", range(len(every_kind())), ids=[run.kind for run in every_kind()])
def test_every_difference_leads_to_a_line(kind: int) -> None:
    report = page_of_two(every_kind()[kind], every_kind(is_fast=False)[kind])
    rows = table(report, "findings").rows
    assert rows and all(row.leads_to is not None for row in rows)


def test_trees_without_room_are_pruned_and_then_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    first = made_run([made_unit(0, wide_trees(100), period=9)])
    second = made_run([made_unit(0, wide_trees(100, skip=50), period=9)])
    monkeypatch.setattr(page_trees, "MAX_NODES", 60)
    report = page_of_two(first, second)
    (block,) = trees(report)
    assert isinstance(block, SideBySide)
    assert [change for change, _, _ in block.lines()] == ["", "first"]
    assert "only with what differs" in notices(report)
    monkeypatch.setattr(page_trees, "MAX_NODES", 1)
    report = page_of_two(first, second)
    assert "1 tree left out of this page" in notices(report)
    assert trees(report) == []


def test_trees_of_one_run_without_room_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_trees, "MAX_NODES", 120)
    report = page_of(made_run([made_unit(0, wide_trees(100), period=9)]))
    assert [each.key for each in trees(report)] == ["inlining-0"]
    assert "2 trees left out of this page" in notices(report)


def test_a_tree_deeper_than_the_stack_is_written() -> None:
    run = made_run([made_unit(0, deep_trees(3000), period=9)])
    assert sum(1 for _ in table(page_of(run), "inlining-0").all_rows()) == 3001
    assert report_html(page_of(run))
    slow = made_run([made_unit(0, deep_trees(2990), period=9)])
    assert report_html(page_of_two(run, slow))


def test_a_damaged_unit_is_said(tmp_path: Path) -> None:
    def load() -> Trees:
        raise InputError("cannot read unit 'a': it is cut off", slug="bad-decision-record", hint="record again")

    report = page_of(made_run([Unit(0, "app.Damaged.run()", "a", load, period=500)]))
    assert "app.Damaged.run(): cannot read unit 'a': it is cut off" in notices(report)


def test_methods_without_a_partner_say_so() -> None:
    first = made_run([made_unit(0, Trees(root("only.First.run()"), Phase("R")), period=900)])
    second = made_run([made_unit(0, Trees(root("only.Second.run()"), Phase("R")), period=900)])
    report = page_of_two(first, second)
    told = [cells(table(report, "compared"), row) for row in table(report, "compared").rows]
    assert all("nothing to compare it with" in str(each["remark"]) for each in told)
    assert told[0]["where_b"] == "not compiled, and not inlined into a hot unit"


@pytest.mark.parametrize("make", [lambda: page_of(made_run([])), lambda: page_of_two(made_run([]), made_run([]))])
def test_runs_without_units_have_a_page(make: Callable[[], Report]) -> None:
    assert report_html(make())


def test_lines_of_sources_are_places_and_their_files_are_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "sum.c").write_text("line\n" * 20)
    run = llvm_run()
    run.sources["sum"] = SourceRange(str(tmp_path / "sum.c"), 10)
    report = page_of(run)
    line = row_of(report, "optimizations-0", "Vectorized")["line"]
    assert isinstance(line, Place) and (line.file, line.line) == (str(tmp_path / "sum.c"), 13)
    assert list(report.sources) == [str(tmp_path / "sum.c")]
    assert "sources that could not be read" in notices(page_of(llvm_run()))


def test_more_of_names_the_row_of_the_unit() -> None:
    report = page_of(graal_run())
    assert trees(report)[3].more_of == MoreOf("units", 1, "inlining")
