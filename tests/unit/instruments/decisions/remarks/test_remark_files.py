"""Files of remarks: formats told apart, tables of strings, files that name others, columns as values."""

import os
import struct
from pathlib import Path

import pytest

from remark_containers import BitWriter, container
from remark_documents import MISSED, Plain, remark_text
from sonde.base.errors import InputError
from sonde.instruments.decisions.remarks import Argument, Remark, SourcePlace, are_remarks, read_remarks

ONE: Plain = ("Missed", "inline", "NoDefinition", "f", ("a b.c", 6, 30), None, [
    ("Callee", "ext", None), ("String", " will not be inlined into ", None), ("Caller", "f", ("a b.c", 5, 0)),
])  # fmt: skip


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def header(table: bytes, version: int = 0) -> bytes:
    return b"REMARKS\0" + struct.pack("<QQ", version, len(table)) + table


def test_both_formats_say_the_same(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.yaml", MISSED), write(tmp_path / "b", container([ONE]))]
    remarks = read_remarks(paths)

    first, second = remarks
    assert (
        first
        == second
        == Remark(
            *("Missed", "inline", "NoDefinition", "f", SourcePlace("a b.c", 6, 30), None),
            (
                Argument("Callee", "ext"),
                Argument("String", " will not be inlined into "),
                Argument("Caller", "f", SourcePlace("a b.c", 5, 0)),
            ),
        )
    )
    assert first.text == "ext will not be inlined into f"
    assert [(file.path, file.format, file.version, file.first, file.stop) for file in remarks.files] == [
        (paths[0], "yaml", 0, 0, 1),
        (paths[1], "bitstream", 1, 1, 2),
    ]


def test_strings_are_shared_between_files(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, MISSED) for name in ("a", "b", "c")]
    remarks = read_remarks(paths)

    assert len(set(remarks.function_ids)) == 1
    assert len(remarks.columns.string_bounds) == len(read_remarks(paths[:1]).columns.string_bounds)


def test_functions_have_their_remarks(tmp_path: Path) -> None:
    text = b"".join(remark_text(f"Function: {name}\n") for name in "gfgfh")
    remarks = read_remarks([write(tmp_path / "a", text)])

    assert {name: list(rows) for name, rows in remarks.functions.items()} == {"g": [0, 2], "f": [1, 3], "h": [4]}


def test_what_was_skipped_is_told_by_file(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a", MISSED + b"--- !Other\n"), write(tmp_path / "b", b"stray\n")]
    remarks = read_remarks(paths)

    assert [(each.path.name, each.line, each.reason) for each in remarks.skipped] == [
        ("a", 12, "not a kind of remark"),
        ("b", 1, "text outside of a remark"),
    ]
    assert remarks.skipped_count == 2
    assert [file.skipped for file in remarks.files] == [1, 1]


def test_an_index_beyond_the_last_is_refused(tmp_path: Path) -> None:
    remarks = read_remarks([write(tmp_path / "a", MISSED)])

    for index in (-1, 1):
        with pytest.raises(IndexError):
            remarks.remark(index)


def test_empty_files_have_no_remarks(tmp_path: Path) -> None:
    assert len(read_remarks([write(tmp_path / "a", b"")])) == len(read_remarks([])) == 0


def test_a_header_with_strings_is_used(tmp_path: Path) -> None:
    text = b"--- !Missed\nPass: 0\nName: 1\nFunction: 0\n...\n"
    remarks = read_remarks([write(tmp_path / "a", header(b"p\0n\0") + text)])

    assert list(remarks) == [Remark("Missed", "p", "n", "p")]


@pytest.mark.parametrize("moved", [False, True])
def test_a_header_names_the_file(tmp_path: Path, moved: bool) -> None:
    write(tmp_path / "there", MISSED)
    name = b"/nowhere/there" if moved else bytes(tmp_path / "there")
    remarks = read_remarks([write(tmp_path / "meta", header(b"") + name + b"\0")])

    assert len(remarks) == 1
    assert [(file.path.name, file.first, file.stop) for file in remarks.files] == [("meta", 0, 0), ("there", 0, 1)]


def test_a_container_names_the_file_and_has_its_strings(tmp_path: Path) -> None:
    bare = container([ONE], version=0, kind=1, strings=False)
    write(tmp_path / "bare", bare)
    with_strings = container([ONE], version=0, kind=0, external=b"bare")
    meta = with_strings[: with_strings.index(b"bare") + 4] + bytes(4)  # its own remarks are left out
    write(tmp_path / "meta", meta)

    assert [remark.name for remark in read_remarks([tmp_path / "meta"])] == ["NoDefinition"]


@pytest.mark.parametrize(
    ("data", "slug", "part"),
    [
        (container([ONE])[:-8], "damaged-remarks", "bit"),
        (container([ONE], version=2), "newer-remarks", "version 2"),
        (container([ONE], remark_version=1), "newer-remarks", "newer version"),
        (container([ONE], version=0, strings=False), "remarks-without-strings", "table"),
        (b"--- !Missed\nPass: 0\nName: 1\nFunction: 2\n...\n", "remarks-without-strings", "table"),
        (header(b"", version=1), "newer-remarks", "version 1"),
        (b"REMARKS\0", "damaged-remarks", "header"),
        (b"REMARKS\0" + struct.pack("<QQ", 0, 99), "damaged-remarks", "strings"),
        (header(b"") + b"/nowhere/at/all\0", "remarks-unreadable", "names"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path: Path, data: bytes, slug: str, part: str) -> None:
    with pytest.raises(InputError, match=part) as caught:
        read_remarks([write(tmp_path / "a", data)])

    assert caught.value.slug == slug


def test_what_is_before_the_damage_is_kept_if_its_strings_are_known(tmp_path: Path) -> None:
    table = b"".join(each + b"\0" for each in (b"NoDefinition", b"inline", b"f", b"a b.c", b"Callee", b"ext"))
    simple: Plain = ("Missed", "inline", "NoDefinition", "f", ("a b.c", 6, 30), None, [("Callee", "ext", None)])
    bare = container([simple, simple], version=0, kind=1, strings=False)
    external = write(tmp_path / "bare", bare[:-8])
    meta = header(table) + bytes(external) + b"\0"

    remarks = read_remarks([write(tmp_path / "meta", meta)])

    assert [(remark.kind, remark.place) for remark in remarks] == [("Missed", SourcePlace("a b.c", 6, 30))]
    assert [file.damage.startswith("at bit") for file in remarks.files] == [False, True]


def test_a_damaged_file_does_not_cost_the_others(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a", container([ONE])[:-8]), write(tmp_path / "b", MISSED)]
    remarks = read_remarks(paths)

    assert [(file.path, file.first, file.stop, file.damage[:6]) for file in remarks.files] == [
        (paths[0], 0, 0, "at bit"),
        (paths[1], 0, 1, ""),
    ]


def test_a_record_of_two_bits_has_not_millions_of_values(tmp_path: Path) -> None:
    out, remark = BitWriter(), BitWriter()
    remark.define(3, [("literal", 5)] * 65)
    out.block(2, 9, 3, remark)

    with pytest.raises(InputError, match="more fields than anyone writes"):
        read_remarks([write(tmp_path / "a", b"RMRK" + out.data())])


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(InputError, match="not a file"):
        read_remarks([write(tmp_path / "meta", header(b"") + b"pipe\0")])


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file") as caught:
        read_remarks([tmp_path / "a"])

    assert caught.value.slug == "remarks-unreadable"


def test_files_that_name_each_other_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "b", header(b"") + b"a\0")

    with pytest.raises(InputError, match="it names another file"):
        read_remarks([write(tmp_path / "a", header(b"") + b"b\0")])


def test_remarks_are_recognised() -> None:
    assert all(map(are_remarks, (MISSED, b"\n\n" + MISSED, b"\xef\xbb\xbf" + MISSED, container([]), header(b""))))
    assert not any(map(are_remarks, (b"", b"---\nname: ci\n", b"REMARK", b"{}")))


def test_bytes_that_are_not_utf8_are_escaped(tmp_path: Path) -> None:
    remarks = read_remarks([write(tmp_path / "a", remark_text("Name: x\n").replace(b": x", b": \xe9"))])

    assert remarks.remark(0).name == "\\xe9"
