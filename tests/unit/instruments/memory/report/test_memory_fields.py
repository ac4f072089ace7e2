"""The tables of fields: which are told on paper, what they are called, and what programs have of the rest."""

from dataclasses import replace

import pytest

from made_memory_profiles import fields_profile, native_profile
from report_values import cells, printed, table_of
from sonde.instruments.memory.profile import NO_PLACE, TO_THE_END, FieldMisses, MemoryProfile, MemoryType
from sonde.instruments.memory.report import MemoryOptions, memory_report
from sonde.instruments.memory.report.field_table import field_name
from sonde.report import Table


def _fields(options: MemoryOptions | None = None, profile: MemoryProfile | None = None) -> Table:
    return table_of(memory_report(profile or fields_profile(), options), "fields")


def test_fields_of_the_programs_own_types_are_told_by_what_they_lose() -> None:
    table = _fields()

    assert [(row.cells[-3], row.cells[-4]) for row in table.rows] == [
        ("inventory.Entry.value", "24-31"),
        ("malloc", "40-47"),
        ("inventory.Entry: reference count", "0-7"),
        ("inventory.Plain.beta, gamma", "8-15"),
        ("inventory.Plain: type", "8-15"),
        ("inventory.Plain", "16-23"),
        ("inventory.Entry: gc links", "-16 to -9"),
        ("malloc", "0-7"),
        ("inventory.Plain.alpha", "0-7"),
        ("inventory.Entry.never", "32-39"),
    ]
    assert [_fields(MemoryOptions(rows=rows)).most for rows in (2, 10, 20)] == [2, 6, 9]  # one misses nothing
    assert len(_fields(MemoryOptions(min_share=0.1)).rows) == 2
    assert not table.is_detail


def test_arrays_and_the_interpreters_types_are_told_to_programs_only() -> None:
    """Most of what the second place allocated is behind the last field; `int` is nobody's to change."""
    told = {(row.cells[-3], row.cells[-4]) for row in _fields().rows}
    table = table_of(memory_report(fields_profile()), "all_fields")

    assert not told & {("int: items", "from 24"), ("malloc", "from 512")}
    assert len(table.rows) == len(fields_profile().fields)
    assert {(row.cells[4], row.cells[6], row.cells[7]) for row in table.rows} >= {
        ("int: items", 24, None),
        ("malloc", 512, None),
    }
    assert table.is_secondary


def test_accesses_are_estimated_from_the_sample() -> None:
    table = _fields()
    profile = fields_profile()
    entry = next(each for each in profile.fields if each.name == "value")

    assert cells(table, "accesses")[0] == profile.accesses * entry.sampled // profile.totals["sampled"]
    by_accesses = cells(_fields(MemoryOptions(sort="accesses")), "accesses")
    assert by_accesses == sorted(by_accesses, key=lambda count: isinstance(count, int) and -count)
    unsampled = replace(
        profile,
        totals={key: value for key, value in profile.totals.items() if key != "sampled"},
        fields=tuple(replace(each, sampled_loads=0, sampled_stores=0) for each in profile.fields),
        line_types=tuple(replace(each, sampled_loads=0, sampled_stores=0) for each in profile.line_types),
    )
    unsampled.check_valid()
    assert "accesses" not in [column.key for column in _fields(profile=unsampled).columns]


def test_where_nothing_is_to_be_told_all_fields_are_a_detail() -> None:
    profile = fields_profile()
    kinds = tuple(MemoryType(each.kind, each.name.rpartition(".")[2]) for each in profile.types)
    table = _fields(profile=replace(profile, types=kinds, fields=tuple(f for f in profile.fields if f.site < 0)))

    assert table.is_detail
    assert "int: items" in [row.cells[-3] for row in table.rows]


def test_with_code_selected_or_no_fields_known_paper_has_no_such_table() -> None:
    selected = MemoryOptions(include=("shell_sort",))

    assert _fields(selected).is_detail
    assert "fields" not in printed(memory_report(native_profile()))


@pytest.mark.parametrize(
    ("kind", "field", "said"),
    [
        ("app.Entry", (24, 8, "value"), "app.Entry.value"),
        ("app.Entry", (24, 8, ""), "app.Entry"),
        ("app.Entry", (8, 8, "type"), "app.Entry: type"),
        ("app.Entry", (24, 8, "type"), "app.Entry.type"),
        ("app.Entry", (-8, 8, "dict"), "app.Entry: dict"),
        ("app.Row", (24, TO_THE_END, "items"), "app.Row: items"),
        ("values of app.Entry", (0, 8, "value"), "app.Entry.value"),
        ("values of app.Entry", (-8, 8, ""), "values of app.Entry"),
        ("list", (24, 8, "pointer to items"), "list: pointer to items"),
    ],
)
def test_attributes_are_told_from_what_the_interpreter_has_there(
    kind: str, field: tuple[int, int, str], said: str
) -> None:
    of_kind = replace(native_profile(), types=(MemoryType("object", kind),))

    assert field_name(of_kind, FieldMisses(0, NO_PLACE, *field, (0, 0))) == said
