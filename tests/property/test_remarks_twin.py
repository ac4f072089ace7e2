"""Remarks: the native parsers against their slow twins and PyYAML, on valid documents and on damaged ones."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from example_counts import examples
from remark_containers import container
from remark_documents import MISSED, Plain, by_pyyaml, plain_remarks, remark_documents, remark_text
from sonde.instruments.decisions.remarks import REMARK_KINDS
from sonde.native import RemarkParser
from sonde.native.reference_remarks import ReferenceRemarkParser, reference_remark_groups

PIECES = (
    *(b"\n", b"\r\n", b"\r", b" ", b"    ", b"\t", b"'", b'"', b"\\", b"\\x4", b"\\u00e9", b":", b": ", b"#", b" #"),
    *(b"- ", b"---", b"...\n", b"--- !Passed\n", b"{", b"}", b"[", b"]", b",", b"|\n", b">-\n", b"\0", b"%", b"\xff"),
    *(b"DebugLoc: ", b"  - K: v\n", b"Foo:\n  - a\n", b"99999999999", b"|\n       a\n\n      b\n", b"\xef\xbb\xbf"),
)
WORDS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=4)
PLACES = st.none() | st.tuples(WORDS, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
REMARKS = st.tuples(
    st.sampled_from(REMARK_KINDS),
    *(WORDS, WORDS, WORDS, PLACES, st.none() | st.integers(0, 2**64 - 1)),
    st.lists(st.tuples(WORDS, WORDS, PLACES), max_size=4),
)
CONTAINERS = st.builds(
    container, st.lists(REMARKS, max_size=3), version=st.sampled_from([0, 1]), abbreviate=st.booleans()
)


def everything(parser: RemarkParser, unended: Any) -> tuple[Any, ...]:
    return unended, parser.columns(), parser.problems(), parser.unknown_keys(), parser.skipped, parser.count


def of_text(parser: RemarkParser, text: bytes, table: bytes | None = None) -> tuple[Any, ...]:
    return everything(parser, parser.read_yaml(text, table))


def of_container(parser: RemarkParser, data: bytes, table: bytes | None = None) -> tuple[Any, ...]:
    return everything(parser, parser.read_bitstream(data, table))


@given(st.lists(remark_documents(), min_size=1, max_size=3), st.booleans())
@examples(1)
def test_valid_documents_are_read_as_pyyaml_reads_them(documents: list[str], carriage_returns: bool) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    text = "".join(documents).encode()
    if carriage_returns:
        text = text.replace(b"\n", b"\r\n")
    parser = sonde._native.RemarkParser()
    parser.read_yaml(text, None)

    assert (parser.problems(), parser.unknown_keys()) == ([], [])
    assert plain_remarks(parser) == by_pyyaml(yaml, text)
    assert of_text(sonde._native.RemarkParser(), text) == of_text(ReferenceRemarkParser(), text)


@st.composite
def damaged(draw: st.DrawFn, source: st.SearchStrategy[bytes], pieces: tuple[bytes, ...]) -> bytes:
    text = draw(source)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.sampled_from([0, 0, 1, 4, 30]))
        text = text[:at] + draw(st.sampled_from(pieces) | st.binary(max_size=3)) + text[at + gone :]
    return text


TEXTS = st.lists(remark_documents().map(str.encode) | st.just(MISSED), min_size=1, max_size=3).map(b"".join)


@given(damaged(TEXTS, PIECES), st.none() | st.just(b"inline\0NoDefinition\0f"))
@examples(2)
def test_of_damaged_texts_the_cores_skip_and_keep_the_same(text: bytes, table: bytes | None) -> None:
    assert of_text(sonde._native.RemarkParser(), text, table) == of_text(ReferenceRemarkParser(), text, table)


@given(damaged(TEXTS, PIECES))
@examples(1)
def test_a_damaged_remark_does_not_reach_into_others(text: bytes) -> None:
    """Guarantee of the format of documents: marks are lines, whatever is between them."""
    sound = remark_text("Args:\n  - Key: value\n", kind="Failure")
    parser = sonde._native.RemarkParser()
    parser.read_yaml(sound + text + b"\n...\n" + sound, None)
    found = plain_remarks(parser)

    assert found[0] == found[-1] == ("Failure", "p", "n", "f", None, None, [("Key", "value", None)])


@given(st.integers(0, len(MISSED)))
def test_what_is_skipped_leaves_no_string(cut: int) -> None:
    parser, sound = sonde._native.RemarkParser(), sonde._native.RemarkParser()
    parser.read_yaml(MISSED[:cut] + b"\n--- !Nothing\n" + MISSED, None)
    sound.read_yaml(MISSED, None)

    if not cut or parser.count == 1:
        assert parser.columns() == sound.columns()
    assert parser.count + parser.skipped >= 2


@given(st.lists(REMARKS, max_size=4), st.sampled_from([0, 1]), st.booleans())
def test_what_is_written_as_a_container_is_read_from_it(remarks: list[Plain], version: int, abbreviate: bool) -> None:
    data = container(remarks, version=version, abbreviate=abbreviate)
    parser = sonde._native.RemarkParser()

    assert parser.read_bitstream(data, None)[0] is None
    assert (plain_remarks(parser), parser.skipped, parser.unknown_keys()) == (remarks, 0, [])
    assert of_container(sonde._native.RemarkParser(), data) == of_container(ReferenceRemarkParser(), data)


@given(damaged(CONTAINERS, (b"\0", b"\xff", b"\0\0\0\0", b"\x01\0\0\0", b"\x40")), st.none() | st.just(b"a\0b\0c\0"))
@examples(2)
def test_of_damaged_containers_the_cores_say_the_same(data: bytes, table: bytes | None) -> None:
    assert of_container(sonde._native.RemarkParser(), data, table) == of_container(ReferenceRemarkParser(), data, table)


@given(CONTAINERS, st.data())
def test_a_flipped_bit_is_the_same_to_both_cores(data: bytes, draw: st.DataObject) -> None:
    for _ in range(draw.draw(st.integers(1, 3))):
        bit = draw.draw(st.integers(32, 8 * len(data) - 1))
        data = data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]

    assert of_container(sonde._native.RemarkParser(), data) == of_container(ReferenceRemarkParser(), data)


@given(st.lists(st.integers(0, 5), max_size=20), st.integers(6, 8))
def test_groups_are_the_same(groups: list[int], count: int) -> None:
    column = memoryview(b"".join(group.to_bytes(4, "little") for group in groups)).cast("I")

    assert sonde._native.remark_groups(column, count) == reference_remark_groups(column, count)
