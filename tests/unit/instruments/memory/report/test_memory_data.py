"""A memory profile as data: its schema, and that its parts add up."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from made_memory_profiles import counted_profile, empty_profile, hostile_profile, inventory_profile, native_profile
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.report.terminal import memory_data

SCHEMA = json.loads((Path(__file__).parents[4] / "data" / "memory" / "memory.schema.json").read_text(encoding="utf-8"))
MADE = {
    "inventory": inventory_profile(),
    "native": native_profile(),
    "empty": empty_profile(),
    "hostile": hostile_profile(),
    "counted": counted_profile(),
}


def plain(profile: MemoryProfile) -> Any:
    """As a program reads it."""
    return json.loads(json.dumps(memory_data(profile)))


@pytest.mark.parametrize("profile", MADE.values(), ids=MADE)
def test_data_follow_their_schema(profile: MemoryProfile) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(plain(profile))


@pytest.mark.parametrize("profile", [made for name, made in MADE.items() if name != "counted"])
def test_functions_lines_and_types_have_all_accesses(profile: MemoryProfile) -> None:
    data = plain(profile)
    native = [each for each in data["functions"] if each["layer"] == "native"]
    assert sum(each["loads"] + each["stores"] for each in native) == data["accesses"]
    lines = [each for each in data["lines"] if each["layer"] == "native"]
    assert sum(each["loads"] + each["stores"] for each in lines) == data["accesses"]
    assert sum(each["accesses"] for each in data["types"]) == data["accesses"]


def test_misses_are_told_by_the_name_of_the_level() -> None:
    line = next(each for each in plain(inventory_profile())["lines"] if each["line"] == 32)
    assert line["misses"] == {"D1": 18_751_794, "L2": 4_757_718}
    assert line["functions"] == ["shell_sort"] and line["file"].endswith("records.py")


def test_what_was_inlined_tells_into_what() -> None:
    row = plain(native_profile())["line_types"][0]
    assert (row["function"], row["line"]) == ("sum", 7)
    assert row["inlined_into"] == [{"function": "main", "file": "/src/sum.c", "line": 20}]


def test_objects_of_no_known_place_have_no_site() -> None:
    assert {each["site"] is None for each in plain(inventory_profile())["objects"]} == {False}
    assert plain(empty_profile())["objects"] == []
