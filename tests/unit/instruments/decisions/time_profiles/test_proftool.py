"""Profiles of proftool: what is read, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from graal_logs import entry, write_profile
from sonde.base.errors import InputError
from sonde.instruments.decisions.model import ProfileEntry
from sonde.instruments.decisions.time_profiles import is_proftool, read_proftool


def test_entries_lose_the_id_in_their_name_and_the_mark_of_loops(tmp_path: Path) -> None:
    path = write_profile(
        tmp_path / "p.json",
        100,
        entry(30, "a.B.c(java.util.Iterator)", "2263"),
        entry(20, "a.B.d: e()", "2485%"),
        entry(10, "Interpreter"),
        entry(5, "x.y()", "7", 3),
        executionId="4711",
    )

    read = read_proftool(path)

    assert read.times.entries == (
        ProfileEntry("a.B.c(java.util.Iterator)", 30, "2263", 4),
        ProfileEntry("a.B.d: e()", 20, "2485", 4),
        ProfileEntry("Interpreter", 10, None, None),
        ProfileEntry("x.y()", 5, "7", 3),
    )
    assert (read.times.total, read.times.unit, read.times.source) == (100, "cycles", "proftool")
    assert (read.compilation, read.execution_id) == ("JIT", "4711")
    assert read.loop_ids == {"2485"}


@pytest.mark.parametrize("kind", [{}, {"compilationKind": None}])
def test_a_profile_that_does_not_say_is_of_a_jit(tmp_path: Path, kind: dict[str, None]) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps({**kind, "totalPeriod": 1, "code": []}))

    read = read_proftool(path)

    assert (read.compilation, read.execution_id) == ("JIT", None)


def test_a_profile_of_code_compiled_ahead_has_names_only(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    code = [{"name": "a.B.c(int)", "period": 3}]
    path.write_text(json.dumps({"compilationKind": "AOT", "totalPeriod": 4, "code": code}))

    read = read_proftool(path)

    assert (read.compilation, read.times.entries) == ("AOT", (ProfileEntry("a.B.c(int)", 3),))


@pytest.mark.parametrize(
    ("facts", "wrong"),
    [
        ({"compilationKind": "PGO"}, "'compilationKind' is \"PGO\""),
        ({"compilationKind": 3}, "'compilationKind' is 3"),
        ({"executionId": ["x"]}, "'executionId' is a list"),
        ({"totalPeriod": None}, "'totalPeriod' is null, not a whole number"),
        ({"totalPeriod": "3"}, "'totalPeriod' is \"3\""),
        ({"totalPeriod": True}, "'totalPeriod' is true"),
        ({"code": None}, "'code' is null, not a list"),
        ({"code": [3]}, "'code[0]' is 3, not an object"),
        ({"code": [{"period": 3}]}, "'code[0].name' is null"),
        ({"code": [{"name": "x", "period": "3"}]}, "'code[0].period' is \"3\""),
        ({"code": [{"name": "x", "period": 3, "level": "4"}]}, "'code[0].level' is \"4\""),
        ({"code": [{"name": "x", "period": 3, "compileId": 4}]}, "'code[0].compileId' is 4"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, facts: dict[str, Any], wrong: str) -> None:
    path = write_profile(tmp_path / "p.json", None, **facts)

    with pytest.raises(InputError) as caught:
        read_proftool(path)

    assert caught.value.slug == "bad-proftool-profile"
    assert wrong in caught.value.message


@pytest.mark.parametrize("text", ["", "[]", '{"totalPeriod": 1', "[" * 5000])
def test_what_is_no_profile_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_proftool(path)
    assert caught.value.slug == "bad-proftool-profile"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json") as caught:
        read_proftool(tmp_path / "nowhere.json")
    assert caught.value.slug == "unreadable-time-profile"


def test_profiles_are_told_from_logs_by_their_first_bytes(tmp_path: Path) -> None:
    path = write_profile(tmp_path / "p.json", None)
    assert is_proftool(path.read_bytes())
    assert not is_proftool(b'{"methodName":"a()","compilationId":"1"')
    assert not is_proftool(b"")
