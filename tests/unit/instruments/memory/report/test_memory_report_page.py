"""A memory profile as a page: what is in its data, what names may hold, and what is left out when there is no room."""

import json
import re
from typing import Any

import pytest

from made_memory_profiles import (
    HOSTILE,
    RECORDS_FILE,
    RECORDS_PY,
    Accesses,
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
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, MemoryType
from sonde.instruments.memory.report import memory_report
from sonde.render.html import MAX_PAGE_BYTES, report_html, report_page

MADE = {
    "inventory": inventory_profile(),
    "native": native_profile(),
    "empty": empty_profile(),
    "hostile": hostile_profile(),
    "counted": counted_profile(),
}


def page_of(profile: MemoryProfile) -> str:
    return report_html(memory_report(profile))


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="report">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def table_of(data: dict[str, Any], key: str) -> dict[str, Any]:
    return next(block for block in data["blocks"] if block["key"] == key)


def column_of(table: dict[str, Any], key: str) -> dict[str, Any]:
    return next(column for column in table["columns"] if column["key"] == key)


@pytest.mark.parametrize("profile", MADE.values(), ids=MADE)
def test_a_page_is_one_file_of_ascii_that_fetches_nothing(profile: MemoryProfile) -> None:
    page = page_of(profile)
    assert page.isascii() and "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert page.count("</script>") == 2
    assert page == page_of(profile)


def test_a_line_is_told_with_its_counts_the_worst_one_first() -> None:
    data = data_of(page_of(inventory_profile()))
    lines = table_of(data, "python_lines")
    file, line, function, _ = data["places"][column_of(lines, "line")["values"][0]]
    assert (data["files"][file], line) == (RECORDS_FILE, 32)
    assert data["strings"][data["functions"][function][0]] == "shell_sort"
    assert [column_of(lines, key)["values"][0] for key in ("loads", "stores")] == [237_932_854, 63_182_420]
    misses = column_of(lines, "l2_misses")
    assert (misses["values"][0], misses["wholes"][0]) == (4_757_718, 18_751_794)


def test_sources_are_there_by_the_number_of_their_file() -> None:
    data = data_of(page_of(inventory_profile()))
    assert {data["files"][int(number)]: text for number, text in data["sources"].items()} == {RECORDS_FILE: RECORDS_PY}
    assert data["sources_left_out"] == 0


def test_hostile_names_survive_the_way_into_the_page() -> None:
    data = data_of(page_of(hostile_profile()))
    assert HOSTILE in data["strings"]
    assert HOSTILE in next(iter(data["sources"].values()))
    assert f"/tmp/{HOSTILE}.py" in data["files"]


def test_a_path_too_long_to_tell_from_others_has_no_text() -> None:
    path = f"/app/{'x' * 400}.py"
    function = python_function("f", 1, path)
    row = Accesses((function, 1), ((native_function("eval"), 1),), MemoryType("object", "int"), None, 5, 5, (1, 1))
    data = data_of(page_of(made_profile([row], sources={path: "pass\n"})))
    assert data["sources"] == {}
    assert table_of(data, "python_lines")["rows"] == 1


def test_a_large_profile_has_its_bounds_and_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = large_profile(lines=3_000, types=300, files=60, sites=600)
    whole = page_of(profile)
    assert len(whole) <= MAX_PAGE_BYTES
    monkeypatch.setattr(report_page, "MAX_PAGE_BYTES", 700_000)
    page = page_of(profile)
    assert len(page) <= 700_000 < len(whole)
    data, everything = data_of(page), data_of(whole)
    lines, all_lines = (table_of(each, "python_lines") for each in (data, everything))
    assert lines["cut"] > 0 and lines["rows"] + lines["cut"] == all_lines["rows"]
    first = [column_of(each, "l2_misses")["values"][0] for each in (lines, all_lines)]
    assert first[0] == first[1], "the heaviest rows are kept"
    assert data["sources_left_out"] > 0
