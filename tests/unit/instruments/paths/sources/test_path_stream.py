"""Streams of path ids as text: marks, names, and what is none."""

import io

import pytest

from sonde.base.errors import InputError
from sonde.instruments.paths.sources.path_stream import UNNAMED, PathStream

Read = tuple[list[int], list[int], list[str]]


def read(text: bytes) -> Read:
    """Ids, where activations begin, and of which routines they are."""
    stream = PathStream(io.BytesIO(text), "ids.txt")
    ids: list[int] = []
    begins: list[int] = []
    routines: list[int] = []
    for batch in stream.batches():
        begins += [len(ids) + begin for begin in batch.begins]
        routines += batch.routines
        ids += batch.ids
    return ids, begins, [stream.routines[number] for number in routines]


def problem_of(text: bytes) -> tuple[str, int]:
    """What is said of a stream, and how many ids were yielded before."""
    stream = PathStream(io.BytesIO(text), "ids.txt")
    with pytest.raises(InputError) as caught:
        list(stream.batches())
    assert caught.value.slug == "bad-path-stream"
    return caught.value.message, stream.taken


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (b"*\n6\n2\n", ([6, 2], [0], [UNNAMED])),
        (b"6\n2", ([6, 2], [0], [UNNAMED])),
        (b"* parse\n1\n*  scan all \n2\n* parse\n", ([1, 2], [0, 1, 2], ["parse", "scan all", "parse"])),
        (b"\n\r\n*\r\n 7 \n\n8\r\n", ([7, 8], [0], [UNNAMED])),
        (b"* caf\xe9\n1\n", ([1], [0], ["caf\udce9"])),
        (b"007\n18446744073709551615\n00000000000000000000001\n", ([7, 2**64 - 1, 1], [0], [UNNAMED])),
    ],
    ids=["marks", "no-mark-no-newline", "names", "blank-lines", "odd-name", "large-ids"],
)
def test_ids_and_marks_are_read(text: bytes, wanted: Read) -> None:
    assert read(text) == wanted


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"six", "'six' is no id of a path"),
        (b"-1", "'-1' is no id of a path"),
        (b"1 2", "'1 2' is no id of a path"),
        (b"1_000", "'1_000' is no id of a path"),
        (b"0x1f", "'0x1f' is no id of a path"),
        (b"\xff\x00", "'\\xff\x00' is no id of a path"),
        (b"x" * 1000, f"'{'x' * 40}' is no id of a path"),
        (b"18446744073709551616", "18446744073709551616 does not fit into 64 bits"),
        (b"9" * 5000, f"{'9' * 40} does not fit into 64 bits"),
    ],
)
def test_what_is_no_id_is_quoted_with_its_line(line: bytes, said: str) -> None:
    assert problem_of(b"* f\n1\n2\n\n" + line + b"\n3\n") == (f"cannot read 'ids.txt': line 5: {said}", 2)
    assert problem_of(line) == (f"cannot read 'ids.txt': line 1: {said}", 0)


def test_lines_are_counted_across_batches() -> None:
    text = b"* f\n" + b"123456789\n" * 300_000 + b"bad\n"

    assert problem_of(text) == ("cannot read 'ids.txt': line 300,002: 'bad' is no id of a path", 300_000)


def test_a_file_without_lines_is_refused_without_reading_all_of_it() -> None:
    file = io.BytesIO(b"\0" * (10 << 20))
    with pytest.raises(InputError, match="line 1: "):
        list(PathStream(file, "ids.txt").batches())
    assert file.tell() < 5 << 20


def test_nothing_has_no_ids() -> None:
    stream = PathStream(io.BytesIO(b""), "ids.txt")
    assert list(stream.batches()) == [] and stream.routines == ()
