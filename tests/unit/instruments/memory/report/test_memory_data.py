"""A memory profile as data: its schema, and that its parts add up."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from made_memory_profiles import counted_profile, empty_profile, hostile_profile, inventory_profile, native_profile
from report_json import facts, has_table, notices, table
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.report import memory_report
from sonde.render.report_json import report_data

SCHEMA = json.loads((Path(__file__).parents[4] / "data" / "report.schema.json").read_text(encoding="utf-8"))
MADE = {
    "inventory": inventory_profile(),
    "native": native_profile(),
    "empty": empty_profile(),
    "hostile": hostile_profile(),
    "counted": counted_profile(),
}


def plain(profile: MemoryProfile) -> Any:
    """As a program reads it."""
    return json.loads(json.dumps(report_data(memory_report(profile)), allow_nan=False))


@pytest.mark.parametrize("profile", MADE.values(), ids=MADE)
def test_data_follow_their_schema(profile: MemoryProfile) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(plain(profile))


@pytest.mark.parametrize("name", ["inventory", "native", "hostile"])
def test_functions_lines_and_types_have_all_accesses(name: str) -> None:
    data = plain(MADE[name])
    accesses = facts(data)["accesses"]
    functions = table(data, "native_functions")
    assert sum(each["loads"] + each["stores"] for each in functions) == accesses
    assert sum(each["accesses"] for each in functions) == accesses
    untold = table(data, "native_without_lines") if has_table(data, "native_without_lines") else []
    lines = [*table(data, "native_lines"), *untold]
    assert sum(each["loads"] + each["stores"] for each in lines) == accesses
    assert sum(each["accesses"] for each in table(data, "types")) == accesses


def test_misses_are_told_by_the_name_of_the_level() -> None:
    line = next(each for each in table(plain(inventory_profile()), "python_lines") if each["line"]["line"] == 32)
    assert line["d1_misses"] == {"value": 18_751_794, "of": 301_115_274}
    assert line["l2_misses"] == {"value": 4_757_718, "of": 18_751_794}
    assert line["function"]["name"] == "shell_sort" and line["line"]["file"].endswith("records.py")


def test_what_was_inlined_tells_into_what() -> None:
    row = table(plain(native_profile()), "places_types")[0]
    assert (row["place"]["function"], row["place"]["line"], row["type_name"]) == ("sum", 7, "malloc")
    assert row["place"]["inlined_into"] == [{"function": "main", "file": "/src/sum.c", "line": 20}]


def test_objects_tell_where_they_were_made_and_how_long_they_lived() -> None:
    data = plain(inventory_profile())
    objects = table(data, "objects")
    assert {each["place"]["function"] for each in objects} == {"read"}
    assert {type(each["alive"]) for each in objects} == {bool}
    assert all(each["last_use"] - each["birth"] == each["in_use"] for each in objects)
    assert not has_table(plain(empty_profile()), "objects")


def test_what_was_there_before_has_no_place() -> None:
    untold = [each for each in table(plain(inventory_profile()), "types") if each["kind"] == "global"]
    assert untold and not any("born" in each or each["freed"] for each in untold)


def test_how_it_was_measured_is_told() -> None:
    told = facts(plain(inventory_profile()))
    assert told["command"] == ["python3", "inventory.py", "--records", "20000"]
    assert (told["complete"], told["policy"]) == (True, "lru, write-back, write-allocate")
    assert told["loads"] + told["stores"] == told["accesses"]
    assert told["with_line"]["of"] == told["heap_accesses"]["of"] == told["accesses"]


def test_caches_collections_and_losses_are_whole() -> None:
    data = plain(inventory_profile())
    caches = [[row[key] for key in ("cache", "size", "ways", "line")] for row in table(data, "caches")]
    assert caches == [["D1", 32_768, 8, 64], ["L2", 1_048_576, 16, 64], ["I1", 32_768, 8, 64]]
    assert [[row["generation"], row["collections"]] for row in table(data, "collections")] == [[0, 31], [1, 2]]
    assert [(each["kind"], each["amount"]) for each in notices(data)] == [("objects-not-tracked", 312)]
