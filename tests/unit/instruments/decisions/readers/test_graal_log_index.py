"""The index of a log: what is taken for a unit, and what is left out with its place."""

import json
from pathlib import Path

import pytest

from graal_logs import line, unit
from sonde.base.errors import InputError
from sonde.instruments.decisions.readers.graal import LogIndex, index_file


def indexed(folder: Path, *lines: bytes) -> LogIndex:
    file = folder / "0_1"
    file.write_bytes(b"".join(lines))
    return index_file(file)


def test_every_line_is_a_unit_at_its_byte(tmp_path: Path) -> None:
    lines = [line(unit("a.B.c()", "1")), line(unit("é.ü()", "2")), line(unit("a.B.c()", "3"), spaced=True)]

    index = indexed(tmp_path, *lines)

    assert [(each.method, each.id) for each in index.lines] == [("a.B.c()", "1"), ("é.ü()", "2"), ("a.B.c()", "3")]
    for found, written in zip(index.lines, lines, strict=True):
        assert index.path.read_bytes()[found.offset :][: found.length] + b"\n" == written


def test_escapes_in_names_are_read(tmp_path: Path) -> None:
    index = indexed(tmp_path, json.dumps(unit('a."\u00e9\\x"()', "1")).encode() + b"\n")

    assert index.lines[0].method == 'a."\u00e9\\x"()'


def test_the_last_line_need_not_end(tmp_path: Path) -> None:
    assert len(indexed(tmp_path, line(unit("a()", "1")).rstrip(b"\n")).lines) == 1


def test_an_empty_file_has_no_units(tmp_path: Path) -> None:
    index = indexed(tmp_path)
    assert (index.lines, index.skipped) == ([], [])


def test_blank_lines_are_no_loss(tmp_path: Path) -> None:
    index = indexed(tmp_path, b"\n \r\n", line(unit("a()", "1")), b"\n")
    assert (len(index.lines), index.skipped) == (1, [])


@pytest.mark.parametrize(
    ("odd", "fact"),
    [
        (line(unit("a()", "1"))[:70] + b"\n", "not JSON"),
        (line(unit("a()", "1"))[:-10], "not JSON"),
        (line(unit("a()", "1"))[:-3] + b"\n", "not JSON"),  # ends with a brace, but not with the last one
        (b"Exception in thread main\n", "not JSON"),
        (b'{"methodName":"\xff\xfe","compilationId":"1"}\n', "not JSON"),
        (b"[1,2]\n", "not an object"),
        (b'{"methodName":"a()"}\n', "'compilationId' is not text"),
        (b'{"methodName":"a()","compilationId":7}\n', "'compilationId' is not text"),
        (b'{"methodName":null,"compilationId":"7"}\n', "'methodName' is not text"),
        (b"{" * 5000 + b"\n", "not JSON"),
    ],
)
def test_what_is_no_unit_is_left_out_with_its_byte(tmp_path: Path, odd: bytes, fact: str) -> None:
    before = line(unit("b()", "9"))

    index = indexed(tmp_path, before, odd)

    assert [each.id for each in index.lines] == ["9"]
    (skipped,) = index.skipped
    assert skipped.offset == len(before)
    assert fact in skipped.fact


def test_lines_after_a_broken_one_are_found(tmp_path: Path) -> None:
    index = indexed(tmp_path, b"garbage\n", line(unit("a()", "1")), b"{}\n", line(unit("b()", "2")))

    assert [each.id for each in index.lines] == ["1", "2"]
    assert len(index.skipped) == 2


def test_keys_in_another_order_and_braces_in_names_are_units_too(tmp_path: Path) -> None:
    turned = {"compilationId": "5", **unit("a()", "5")}

    index = indexed(tmp_path, line(turned), line(unit("a{{[()", "6")))

    assert [(each.method, each.id) for each in index.lines] == [("a()", "5"), ("a{{[()", "6")]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the run") as caught:
        index_file(tmp_path)
    assert caught.value.slug == "unreadable-decision-record"
