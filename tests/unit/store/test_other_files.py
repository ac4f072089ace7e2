"""What is no file of the store is called what it is; what cannot be begun leaves nothing."""

from pathlib import Path

import pytest

from sonde.base.errors import InputError, SondeError
from sonde.store.reading import kind_of_file
from sonde.store.writing import DatabaseWriter
from sonde.trace import TraceWriter
from toy_kind import toy_kind


def test_a_file_that_cannot_be_begun_leaves_nothing(tmp_path: Path) -> None:
    kind = toy_kind(tmp_path, schema="CREATE TABLE meta (a table of all kinds)")
    with pytest.raises(SondeError) as caught:
        DatabaseWriter(tmp_path / "run.sonde", kind)
    assert caught.value.slug == "cannot-write"
    assert list(tmp_path.iterdir()) == [kind.schema]


def test_a_trace_is_called_one_with_what_reads_it(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    with TraceWriter(trace):
        pass

    with pytest.raises(InputError, match="it is a trace of calls") as caught:
        kind_of_file(trace)
    assert (caught.value.slug, caught.value.hint) == ("not-a-profile", f"sonde replay {trace}")


@pytest.mark.parametrize(
    ("content", "said", "slug"),
    [
        (b"SONDEADR and so on", "it is a trace of addresses", "not-a-profile"),
        (b"#!/bin/sh\n", "it is not a SQLite database", "not-a-profile"),
        (b"", "it is empty", "corrupt-profile"),
        (b"SQLite f", "cannot read '", "corrupt-profile"),
    ],
)
def test_other_files_are_called_what_they_are(content: bytes, said: str, slug: str, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    path.write_bytes(content)

    with pytest.raises(InputError, match=said) as caught:
        kind_of_file(path)
    assert caught.value.slug == slug


@pytest.mark.parametrize(
    ("name", "content", "hint"),
    [
        ("app.py", b"print(1)\n", "sonde contexts "),
        ("tool", b"#!/usr/bin/env python3\nprint(1)\n", "sonde contexts "),
        ("tool", b"\x7fELF\x02\x01\x01", "sonde memory -- "),
        ("app.cpp", b"int main() {}\n", "sonde contexts "),
    ],
)
def test_who_views_a_program_is_told_how_to_record_it(name: str, content: bytes, hint: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(InputError) as caught:
        kind_of_file(path)
    assert caught.value.hint == f"{hint}{path}"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("notes", "sonde contexts -o run.sonde app.py records a profile"),
        ("times.json", "measurements of another tool: sonde bench compare {} OTHER"),
    ],
)
def test_what_is_nothing_of_a_program_has_a_hint_too(name: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"{}")

    with pytest.raises(InputError) as caught:
        kind_of_file(path)
    assert caught.value.hint == hint.format(path)


def test_files_that_are_called_much_the_same_are_offered_for_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "before.sonde").touch()

    for name, hint in (("befor.sonde", f"did you mean '{tmp_path / 'before.sonde'}'?"), ("x", None), ("no/x", None)):
        with pytest.raises(InputError, match="no such file") as caught:
            kind_of_file(tmp_path / name)
        assert caught.value.hint == hint


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero"])
def test_a_device_is_no_profile(device: str) -> None:
    with pytest.raises(InputError, match="it is a device or a pipe") as caught:
        kind_of_file(Path(device))
    assert caught.value.slug == "not-a-profile"
