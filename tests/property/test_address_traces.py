"""What is written into an address trace is what is read from it, by the native core and by its slow twin."""

import tempfile
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import sonde._native
from address_streams import AddressStream, address_streams
from example_counts import examples
from sonde.base.errors import InputError
from sonde.native.reference_address_trace import Access, DamagedTraceError, reference_read_addresses
from sonde.trace import AddressTrace


@contextmanager
def written(stream: AddressStream, *, finished: bool = True) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.addr"
        stream.write(path, finished=finished)
        yield path


def read(trace: AddressTrace, size: int = 1000) -> list[Access]:
    return [
        Access(*access)
        for batch in trace.batches(size)
        for access in zip(batch.ip, batch.address, batch.size, batch.kind, batch.thread, strict=True)
    ]


@examples(0.6)
@given(address_streams(), st.booleans(), st.sampled_from((1, 3, 1000)))
def test_what_is_written_is_read_in_batches_of_any_size(stream: AddressStream, finished: bool, size: int) -> None:
    with written(stream, finished=finished) as path:
        trace = AddressTrace(path)
        accesses = read(trace, size)

    assert accesses == stream.accesses()
    assert trace.ending is not None
    assert trace.ending.state == ("finished" if finished else "cut off")
    assert trace.ending.accesses == len(accesses)
    assert trace.ending.unreadable_bytes == 0


@examples(0.6)
@given(address_streams(), st.booleans())
def test_both_cores_write_the_same_bytes_and_read_the_same_accesses(stream: AddressStream, finished: bool) -> None:
    content = stream.by_reference(finished=finished)
    with written(stream, finished=finished) as path:
        assert path.read_bytes() == content

    assert reference_read_addresses(content) == (stream.accesses(), "finished" if finished else "cut off")


@examples(0.6)
@given(address_streams(), st.data())
def test_damage_anywhere_gives_the_beginning_of_what_was_written(stream: AddressStream, data: st.DataObject) -> None:
    with written(stream) as path:
        content = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(content) - 1))
        way = data.draw(st.sampled_from(("flip", "cut", "repeat")))
        if way == "flip":
            content[at] ^= 1 << data.draw(st.integers(0, 7))
        elif way == "cut":
            del content[at:]
        else:
            content[at:at] = content[at : at + data.draw(st.integers(1, 100))]
        path.write_bytes(content)
        accesses: list[Access] = []
        ending = "damaged"
        try:
            trace = AddressTrace(path)
            for batch in trace.batches(7):
                accesses += map(
                    Access._make, zip(batch.ip, batch.address, batch.size, batch.kind, batch.thread, strict=True)
                )
            assert trace.ending is not None
            ending = trace.ending.state
        except InputError:
            pass

    assert accesses == stream.accesses()[: len(accesses)]
    assert ending != "finished"
    slow_ending: str
    try:
        slow, slow_ending = reference_read_addresses(bytes(content))
    except DamagedTraceError as damage:
        slow, slow_ending = damage.accesses, "damaged"
    assert (slow, slow_ending) == (accesses, ending)


@examples(0.6)
@given(st.lists(st.integers(1, 2**64 - 1), min_size=1, max_size=40), st.integers(1, 2**64 - 1))
def test_any_sequence_of_one_slot_is_read_back(addresses: list[int], ip: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.addr"
        writer = sonde._native.AddressTraceWriter(bytes(path))
        number = writer.segment(array("Q", [ip]), array("H", [8]), array("B", [1]))
        writer.feed(array("I", [number] * len(addresses)), array("Q", addresses))
        writer.finish()
        assert read(AddressTrace(path)) == [Access(ip, address, 8, 1, 0) for address in addresses]
