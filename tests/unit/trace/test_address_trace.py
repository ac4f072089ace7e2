"""Address traces as files: what is refused, how they end, what other simulators get."""

import struct
from array import array
from pathlib import Path

import pytest

import sonde._native
from sonde.base.errors import InputError
from sonde.trace import ADDRESS_FORMS, AddressTrace, is_address_trace


def write(path: Path, steps: int = 3) -> Path:
    """A loop that loads, stores and modifies, and its fetches, on thread 5."""
    writer = sonde._native.AddressTraceWriter(bytes(path))
    number = writer.segment(
        array("Q", [0x400000, 0x400000, 0x400004, 0x400008]), array("H", [4, 8, 4, 1]), array("B", [3, 0, 1, 2])
    )
    writer.thread(5)
    addresses = [address for step in range(steps) for address in (0x1000 + 8 * step, 0x2000 + 4 * step, 0x3000)]
    writer.feed(array("I", [number] * steps), array("Q", addresses))
    writer.finish()
    return path


def slug_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(AddressTrace(path))
    return caught.value.slug


def test_batches_have_columns(tmp_path: Path) -> None:
    trace = AddressTrace(write(tmp_path / "t.addr", 1))

    (batch,) = trace

    assert len(batch) == 4
    assert list(batch.ip) == [0x400000, 0x400000, 0x400004, 0x400008]
    assert list(batch.address) == [0x400000, 0x1000, 0x2000, 0x3000]
    assert list(batch.size) == [4, 8, 4, 1]
    assert list(batch.kind) == [3, 0, 1, 2]
    assert list(batch.thread) == [5] * 4
    assert trace.ending is not None
    assert (trace.ending.state, trace.ending.accesses) == ("finished", 4)


def test_other_simulators_get_their_forms(tmp_path: Path) -> None:
    path = write(tmp_path / "t.addr", 1)

    forms = {form: b"".join(AddressTrace(path).in_form(form)) for form in ADDRESS_FORMS}

    assert forms["din"] == b"2 400000\n0 1000\n1 2000\n0 3000\n1 3000\n"
    assert forms["lackey"] == b"I  00400000,4\n L 00001000,8\n S 00002000,4\n M 00003000,1\n"
    assert forms["addresses-csv"].splitlines()[:2] == [b"ip,address,size,kind,thread", b"0x400000,0x400000,4,fetch,5"]
    records = list(struct.iter_unpack("<QQIHBx", forms["addresses-raw"]))
    assert records[1] == (0x400000, 0x1000, 5, 8, 0)
    assert len(records) == 4


def test_what_is_no_address_trace_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"SONDETRC" + bytes(100))

    assert slug_of(tmp_path / "none") == "no-such-address-trace"
    assert slug_of(tmp_path) == "no-such-address-trace"
    assert slug_of(other) == "not-an-address-trace"
    assert not is_address_trace(other)
    assert not is_address_trace(tmp_path / "none")
    assert is_address_trace(write(tmp_path / "t.addr"))


def test_damage_names_its_place_and_what_is_intact(tmp_path: Path) -> None:
    path = write(tmp_path / "t.addr")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(InputError, match="byte 32: a block does not match its checksum") as caught:
        list(AddressTrace(path))

    assert caught.value.slug == "corrupt-address-trace"
    assert "0 accesses before" in str(caught.value.hint)


def test_a_cut_trace_says_how_much_is_left_over(tmp_path: Path) -> None:
    path = write(tmp_path / "t.addr")
    path.write_bytes(path.read_bytes()[:-8])

    trace = AddressTrace(path)

    assert list(trace) == []
    assert trace.ending is not None
    assert (trace.ending.state, trace.ending.unreadable_bytes) == ("cut off", path.stat().st_size - 32)


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path / "t.addr")
    before = path.read_bytes()

    with pytest.raises(FileExistsError):
        sonde._native.AddressTraceWriter(bytes(path))

    assert path.read_bytes() == before


def test_wrong_input_to_the_writer_is_refused(tmp_path: Path) -> None:
    writer = sonde._native.AddressTraceWriter(bytes(tmp_path / "t.addr"))
    with pytest.raises(ValueError, match="no slots"):
        writer.segment(array("Q"), array("H"), array("B"))
    with pytest.raises(ValueError, match="unknown kind"):
        writer.segment(array("Q", [1]), array("H", [1]), array("B", [4]))
    with pytest.raises(ValueError, match="differ in length"):
        writer.segment(array("Q", [1]), array("H", [1, 2]), array("B", [0]))
    with pytest.raises(ValueError, match="too many slots"):
        writer.segment(array("Q", [1] * 1025), array("H", [1] * 1025), array("B", [0] * 1025))
    with pytest.raises(ValueError, match="not defined"):
        writer.feed(array("I", [0]), array("Q", [1]))
    number = writer.segment(array("Q", [1]), array("H", [1]), array("B", [0]))
    with pytest.raises(ValueError, match="not as many addresses"):
        writer.feed(array("I", [number]), array("Q", [1, 2]))
    with pytest.raises(ValueError, match="so little memory"):
        sonde._native.AddressTraceWriter(bytes(tmp_path / "u.addr"), 1000)
    assert not (tmp_path / "u.addr").exists()
