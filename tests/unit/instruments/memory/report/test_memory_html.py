"""The page of a memory profile: one file, what is in it, and what is left out when there is no room."""

import json
import re
from pathlib import Path
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
from sonde.base.errors import SondeError
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, MemoryType
from sonde.instruments.memory.report.html import memory_html, memory_page, write_memory_page

MADE = {
    "inventory": inventory_profile(),
    "native": native_profile(),
    "empty": empty_profile(),
    "hostile": hostile_profile(),
    "counted": counted_profile(),
}


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="profile">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("profile", MADE.values(), ids=MADE)
def test_a_page_is_one_file_of_ascii_that_fetches_nothing(profile: MemoryProfile, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_memory_page(profile, path)
    page = path.read_text(encoding="ascii")
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert page.count("</script>") == 2
    assert re.findall(r"\{\{[A-Z_]+\}\}", page.replace("{{DATA}}", "")) == []


def test_the_same_profile_gives_the_same_page() -> None:
    assert memory_html(inventory_profile()) == memory_html(inventory_profile())


def test_columns_tell_the_line_with_its_counts() -> None:
    data = data_of(memory_html(inventory_profile()))
    lines = data["code"]["python"]["lines"]
    row = lines["line"].index(32)
    assert data["files"][data["functions"][lines["function"][row]][1]] == RECORDS_FILE
    assert data["functions"][lines["function"][row]][0] == "shell_sort"
    assert (lines["loads"][row], lines["stores"][row]) == (237_932_854, 63_182_420)
    assert [column[row] for column in lines["misses"]] == [18_751_794, 4_757_718]
    assert row == 0, "the line with the most misses of the last level comes first"


def test_types_that_a_line_missed_on_refer_to_its_row() -> None:
    data = data_of(memory_html(inventory_profile()))
    table, lines = data["line_types"], data["code"]["python"]["lines"]
    of_line_32 = {
        data["type_names"][kind][0]: last
        for layer, row, kind, last in zip(table["layer"], table["row"], table["type"], table["misses"][1], strict=True)
        if layer == 0 and lines["line"][row] == 32
    }
    assert of_line_32["Entry"] == 2_811_904
    assert sum(of_line_32.values()) == 4_757_718


def test_native_lines_have_types_where_no_python_line_ran() -> None:
    table = data_of(memory_html(native_profile()))["line_types"]
    assert set(table["layer"]) == {1}
    assert len(table["row"]) == 3


def test_a_line_inlined_in_two_places_tells_of_a_type_once() -> None:
    inner, outer = native_function("inner", "a.c", 1), native_function("outer", "a.c", 20)
    kind = MemoryType("block", "malloc")
    rows = [Accesses(None, ((inner, 2), (outer, line)), kind, None, 10, 0, (4, 1)) for line in (21, 25)]
    table = data_of(memory_html(made_profile(rows)))["line_types"]
    assert table == {"layer": [1], "row": [0], "type": [0], "misses": [[8], [2]]}


def test_sources_are_there_by_the_number_of_their_file() -> None:
    data = data_of(memory_html(inventory_profile()))
    assert {data["files"][int(number)]: text for number, text in data["sources"].items()} == {RECORDS_FILE: RECORDS_PY}
    assert data["left_out"]["sources"] == 0


def test_lifetimes_are_pairs_of_bin_and_count() -> None:
    data = data_of(memory_html(inventory_profile()))
    names = [data["type_names"][number][0] for number in data["types"]["type"]]
    assert data["types"]["lives"][names.index("Entry")] == [26, 400, 27, 1_200, 28, 3_900, 29, 14_500]


def test_hostile_names_survive_the_way_into_the_page() -> None:
    data = data_of(memory_html(hostile_profile()))
    assert data["functions"][0][0] == HOSTILE
    assert HOSTILE in next(iter(data["sources"].values()))


def test_what_is_too_large_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = large_profile(lines=1_000, types=100, files=40, sites=200)
    whole = memory_html(profile)
    monkeypatch.setattr(memory_page, "MAX_PAGE_BYTES", 500_000)
    page = memory_html(profile)
    assert len(page) <= 500_000 < len(whole)
    data = data_of(page)
    left, rows = data["left_out"], data["code"]["python"]["lines"]["line"]
    assert left["lines"] > 0 and left["sources"] > 0
    kept = len(rows) + len(data["code"]["native"]["lines"]["line"])
    everything = data_of(whole)["code"]
    assert kept + left["lines"] == sum(len(everything[layer]["lines"]["line"]) for layer in ("python", "native"))


def test_functions_and_types_that_no_row_names_are_not_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_page, "_MOST_ROWS", 3)
    data = data_of(memory_html(inventory_profile()))
    names = {name for name, *_ in data["functions"]}
    assert "shell_sort" in names and "_dl_relocate_object" not in names
    assert len(data["type_names"]) <= 9
    assert data["left_out"]["types"] == 8


def test_a_path_too_long_to_tell_from_others_has_no_text() -> None:
    path = f"/app/{'x' * 400}.py"
    function = python_function("f", 1, path)
    row = Accesses((function, 1), ((native_function("eval"), 1),), MemoryType("object", "int"), None, 5, 5, (1, 1))
    data = data_of(memory_html(made_profile([row], sources={path: "pass\n"})))
    assert data["sources"] == {}
    assert data["code"]["python"]["lines"]["line"] == [1]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SondeError) as caught:
        write_memory_page(empty_profile(), tmp_path / "nowhere" / "page.html")
    assert caught.value.slug == "cannot-write"
