"""Only code that is asked for is told; shares remain of the whole, and what finds nothing is refused."""

import pytest

from made_memory_profiles import RECORDS_FILE, inventory_profile, native_profile
from report_values import cells, fact, printed, table_of
from sonde.base.errors import UsageError
from sonde.code import Function
from sonde.instruments.memory.report import MemoryOptions, memory_report
from sonde.report import Report


def names(report: Report, table: str) -> set[str]:
    return {cell.name for cell in cells(table_of(report, table), "function") if isinstance(cell, Function)}


def lost(report: Report, table: str) -> int:
    return sum(cell for cell in cells(table_of(report, table), "cost") if isinstance(cell, int))


def test_only_what_is_included_has_rows() -> None:
    everything, some = (
        memory_report(inventory_profile()),
        memory_report(inventory_profile(), MemoryOptions(include=("read",))),
    )
    assert names(some, "python_functions") == {"read"} < names(everything, "python_functions")
    assert names(some, "python_lines") == {"read"}
    assert {line.cells[1] for line in table_of(some, "line_types").rows} == {
        cell
        for cell in cells(table_of(everything, "python_functions"), "function")
        if getattr(cell, "name", "") == "read"
    }
    assert "native_functions" not in {table.key for table in some.tables()}
    for key in ("python_functions", "python_lines"):
        costs = [column.whole for column in table_of(some, key).columns if column.key == "cost"]
        assert costs == [column.whole for column in table_of(everything, key).columns if column.key == "cost"]
    assert some.headline[0].startswith("records.py:19 in read has ")


def test_it_is_said_how_much_is_not_shown() -> None:
    report = memory_report(inventory_profile(), MemoryOptions(exclude=("shell_sort",)))
    whole = lost(memory_report(inventory_profile()), "types")
    share = lost(report, "python_functions") / whole
    words = f"without 'shell_sort': {100 * share:.1f}% of the lost cycles; {100 - 100 * share:.1f}% are not shown"
    assert fact(report, "selection").value == words


def test_objects_are_told_by_who_made_them() -> None:
    report = memory_report(inventory_profile(), MemoryOptions(include=("Entry.__init__",)))
    assert {str(place) for place in cells(table_of(report, "sites"), "type")} == {"dict keys and other object memory"}
    assert "types" not in printed(report) or table_of(report, "types").is_detail


def test_machine_code_can_be_asked_for_in_a_program_of_python() -> None:
    report = memory_report(inventory_profile(), MemoryOptions(include=("listobject.c",)))
    assert names(report, "native_functions") == {"list_subscript"}
    assert "native_lines" in printed(report) or "native_functions" in printed(report)
    assert not {"python_functions", "python_lines"} & {table.key for table in report.tables()}


def test_mine_leaves_out_the_interpreter() -> None:
    report = memory_report(inventory_profile(), MemoryOptions(mine=True))
    assert names(report, "python_functions") == {"shell_sort", "read", "Entry.__init__", "<module>"}
    assert "memmove" not in str(names(report, "native_functions") if "native_functions" in printed(report) else "")


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"include": ("shel_sort",)}, "cannot show only 'shel_sort': no function that accessed memory", "'shell_sort'"),
        ({"exclude": ("*",)}, "cannot show without '*'", "leave out one of the filters"),
        (
            {"min_share": 0.9},
            r"cannot show lines with at least 90% of the lost cycles: the one with most has 46.8%",
            "smaller",
        ),
    ],
)
def test_what_leaves_nothing_is_refused(options: dict[str, object], message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        memory_report(inventory_profile(), MemoryOptions(**options))  # type: ignore[arg-type]
    assert caught.value.slug == "no-code-left" and message in caught.value.message
    assert caught.value.hint is not None and hint in caught.value.hint


def test_what_ran_in_a_function_cannot_be_told_without_contexts() -> None:
    with pytest.raises(UsageError, match="has no calling contexts") as caught:
        memory_report(inventory_profile(), MemoryOptions(from_="shell_sort"))
    assert caught.value.slug == "no-calling-contexts"
    assert caught.value.hint is not None and "--include shell_sort" in caught.value.hint


@pytest.mark.parametrize("least", [0.02, 0.3])
def test_rows_have_the_smallest_share_that_is_asked_for(least: float) -> None:
    everything = memory_report(native_profile() if least > 0.1 else inventory_profile())
    some = memory_report(native_profile() if least > 0.1 else inventory_profile(), MemoryOptions(min_share=least))
    whole = lost(everything, "types")
    for table in some.tables():
        if table.key in ("types", "sites", "native_functions", "native_lines", "python_lines"):
            told = [cell for cell in cells(table, "cost") if isinstance(cell, int)]
            known = [cell for cell in cells(table_of(everything, table.key), "cost") if isinstance(cell, int)]
            assert told == [cost for cost in known if cost >= least * whole]
            assert table.key != "native_lines" or len(told) < len(known)


def test_a_file_is_a_filter_too() -> None:
    report = memory_report(inventory_profile(), MemoryOptions(include=(RECORDS_FILE,)))
    assert names(report, "python_functions") == {"shell_sort", "read", "Entry.__init__"}
