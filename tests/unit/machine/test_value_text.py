"""Arguments as one types them, results as one reads them."""

import ctypes
import struct

import pytest

from sonde.base.errors import UsageError
from sonde.machine.value_text import CELL_BYTES, place_arguments, read_result, scalars_of


def place(text: str, type_: str) -> bytes:
    cells = place_arguments([text], (type_,), is_varargs=False, function="f", resolve=_resolve)
    return bytes(cells.memory.raw[:CELL_BYTES])


def pointed_to(text: str, size: int) -> bytes:
    cells = place_arguments([text], ("ptr",), is_varargs=False, function="f", resolve=_resolve)
    return ctypes.string_at(int.from_bytes(cells.memory.raw[:8], "little"), size)


def _resolve(name: str) -> int:
    if name != "known":
        raise UsageError(f"cannot find '{name}'", slug="no-such-function")
    return 0xABCD


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("42", "i32", 42),
        ("-1", "i8", 0xFF),
        ("255", "i8", 0xFF),
        ("0x10", "i64", 16),
        ("0b101", "i16", 5),
        ("007", "i32", 7),
        ("'a'", "i8", 97),
        (r"'\n'", "i32", 10),
        ("true", "i1", 1),
        ("false", "i1", 0),
        ("18446744073709551615", "i64", 2**64 - 1),
        ("-170141183460469231731687303715884105728", "i128", 2**127),
        ("null", "ptr", 0),
        ("0x7fff", "ptr", 0x7FFF),
        ("known", "ptr", 0xABCD),
        ("&known", "ptr", 0xABCD),
        ("@known", "ptr", 0xABCD),
    ],
)
def test_integers_and_addresses_are_read(text: str, type_: str, value: int) -> None:
    assert int.from_bytes(place(text, type_), "little") == value


def test_a_negative_integer_fills_its_type_only() -> None:
    assert place("-1", "i32") == b"\xff" * 4 + bytes(12)


def test_floats_are_read_in_their_own_size() -> None:
    assert struct.unpack_from("<d", place("0.1", "double")) == (0.1,)
    assert struct.unpack_from("<f", place("1e3", "float")) == (1000.0,)


def test_a_string_ends_with_a_zero_and_knows_the_escapes_of_c() -> None:
    assert pointed_to(r'"a\n\"b\""', 6) == b'a\n"b"\0'


def test_arrays_have_the_type_they_name_or_look_like() -> None:
    assert pointed_to("[1, -2]", 8) == struct.pack("<ii", 1, -2)
    assert pointed_to("i64[3]", 8) == struct.pack("<q", 3)
    assert pointed_to("[1, 2.5]", 16) == struct.pack("<dd", 1, 2.5)
    assert pointed_to("float[0.5]", 4) == struct.pack("<f", 0.5)


@pytest.mark.parametrize(
    ("text", "type_", "words"),
    [
        ("256", "i8", "does not fit into 8 bits"),
        ("-129", "i8", "does not fit into 8 bits"),
        ("2", "i1", "does not fit into 1 bit"),
        ("x", "i32", "no integer"),
        ("'ab'", "i8", "one character"),
        ("1.5", "i32", "no integer"),
        ("a", "double", "no number"),
        ('"open', "ptr", "not closed"),
        ("i8[300]", "ptr", "does not fit"),
        ("double[x]", "ptr", "no number"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(text: str, type_: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refusal:
        place(text, type_)
    assert refusal.value.slug == "bad-argument"


def test_a_type_that_cannot_be_typed_is_refused() -> None:
    with pytest.raises(UsageError, match="<4 x i32>") as refusal:
        place("1", "<4 x i32>")
    assert refusal.value.slug == "unsupported-type"


@pytest.mark.parametrize(("count", "is_varargs", "is_fine"), [(1, False, False), (3, False, False), (3, True, True)])
def test_arguments_are_counted(count: int, is_varargs: bool, is_fine: bool) -> None:
    def call() -> tuple[str, ...]:
        return place_arguments(
            ["1"] * count, ("i32", "i8"), is_varargs=is_varargs, function="f", resolve=_resolve
        ).types

    if is_fine:
        assert call() == ("i32", "i8", "i32")
    else:
        with pytest.raises(UsageError, match="it takes 2") as refusal:
            call()
        assert refusal.value.slug == "argument-count"


def test_variable_arguments_have_types_by_their_looks() -> None:
    texts = ["1", "5000000000", "2.5", '"s"', "true"]
    cells = place_arguments(texts, (), is_varargs=True, function="f", resolve=_resolve)
    assert cells.types == ("i32", "i64", "double", "ptr", "i32")


def _cells(*values: bytes) -> bytes:
    return b"".join(value.ljust(CELL_BYTES, b"\0") for value in values)


def test_results_are_shown_as_their_types_read() -> None:
    assert read_result("i64", _cells(struct.pack("<q", -5)), {}) == "-5"
    assert read_result("i1", _cells(b"\1"), {}) == "true"
    assert read_result("float", _cells(struct.pack("<f", 0.1)), {}) == "0.100000001"
    assert read_result("double", _cells(struct.pack("<d", 0.1)), {}) == "0.1"
    assert read_result("void", b"", {}) == "void"
    assert read_result("ptr", _cells(b""), {}) == "null"


def test_garbage_above_an_integer_is_not_shown() -> None:
    assert read_result("i8", _cells(b"\x01\xff\xff\xff"), {}) == "1"


def test_a_pointer_to_text_shows_the_text_and_one_to_nowhere_does_not() -> None:
    text = ctypes.create_string_buffer(b"hello")
    address = struct.pack("<Q", ctypes.addressof(text))
    assert read_result("ptr", _cells(address), {}).endswith(' "hello"')
    assert read_result("ptr", _cells(struct.pack("<Q", 0x10)), {}) == "0x10"
    assert read_result("ptr", _cells(struct.pack("<Q", 2**64 - 1)), {}) == hex(2**64 - 1)


def test_aggregates_are_shown_member_by_member() -> None:
    types = {"%T": "{ i8, [2 x i16] }"}
    assert scalars_of("%T", types) == [((0,), "i8"), ((1, 0), "i16"), ((1, 1), "i16")]
    assert read_result("%T", _cells(b"\1", b"\2", b"\3"), types) == "{1, [2, 3]}"
    assert read_result("<2 x i8>", _cells(b"\1", b"\2"), {}) == "<1, 2>"
