"""Streams of accesses as a program makes them: segments that run again and again, with addresses of many kinds."""

from array import array
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hypothesis import strategies as st

import sonde._native
from sonde.native.reference_address_trace import FETCH, Access, ReferenceAddressTraceWriter, Slot

_WORD = 2**64 - 1


@dataclass(frozen=True)
class AddressStream:
    """What ran."""

    segments: list[list[Slot]]
    operations: list[tuple[str, int, list[int]]] = field(default_factory=list)
    """("run", index of a segment, addresses), ("thread", number, []) or ("flush", 0, [])."""

    def accesses(self) -> list[Access]:
        """What a reader should find: the independent account of it."""
        found, thread = [], 0
        for what, number, addresses in self.operations:
            if what == "thread":
                thread = number
            left = iter(addresses)
            for slot in self.segments[number] if what == "run" else ():
                address = slot.ip if slot.kind == FETCH else next(left)
                if address or slot.kind == FETCH:
                    found.append(Access(slot.ip, address, slot.size, slot.kind, thread))
        return found

    def write(self, path: Path, *, finished: bool = True) -> None:
        """By the native writer."""
        writer = sonde._native.AddressTraceWriter(bytes(path))
        numbers: dict[int, int] = {}
        for what, number, addresses in self.operations:
            if what == "run":
                if number not in numbers:
                    numbers[number] = define(writer, self.segments[number])
                writer.feed(array("I", [numbers[number]]), array("Q", addresses))
            elif what == "thread":
                writer.thread(number)
            else:
                writer.flush()
        if finished:
            writer.finish()
        else:
            writer.flush()

    def by_reference(self, *, finished: bool = True) -> bytes:
        """By the slow writer."""
        writer = ReferenceAddressTraceWriter()
        numbers: dict[int, int] = {}
        for what, number, addresses in self.operations:
            if what == "run":
                if number not in numbers:
                    numbers[number] = writer.segment(self.segments[number])
                writer.run(numbers[number], addresses)
            elif what == "thread":
                writer.thread(number)
            else:
                writer.flush()
        if finished:
            writer.finish()
        else:
            writer.flush()
        return bytes(writer.content)


def define(writer: sonde._native.AddressTraceWriter, slots: list[Slot]) -> int:
    """Define a segment."""
    ip, size, kind = zip(*slots, strict=True)
    return writer.segment(array("Q", ip), array("H", size), array("B", kind))


def _odd_address(random: Random) -> int:
    """Near others or far from all, and at the edges of what takes one byte more."""
    bits = random.choice((1, 3, 8, 9, 16, 48, 56, 57, 63, 64))
    return (random.getrandbits(bits) or 1) if random.random() < 0.8 else max(1, 2**bits - 1 - random.randrange(2))


def _addresses(way: str, random: Random, starts: list[int], stride: int, step: int, count: int) -> list[int]:
    if way == "strides":
        found = [starts[at % len(starts)] + step * stride * (at + 1) for at in range(count)]
    elif way == "same":
        found = [starts[at % len(starts)] for at in range(count)]
    elif way == "shared":  # all are at fixed distances from one that jumps
        found = [starts[step % len(starts)] + 8 * at for at in range(count)]
    elif way == "cycle":
        found = [starts[(step + at) % len(starts)] for at in range(count)]
    else:
        found = [random.choice((0, starts[0], _odd_address(random))) for _ in range(count)]
    return [address & _WORD for address in found]


@st.composite
def address_streams(draw: st.DrawFn) -> AddressStream:
    """Loops over paths through a few segments; each path goes through memory in a way of its own."""
    random = Random(draw(st.integers(0, 2**32)))
    lengths = draw(st.lists(st.sampled_from((1, 1, 2, 3, 6, 70)), min_size=1, max_size=4))
    segments = [
        [Slot(_odd_address(random), random.choice((1, 8, 65535)), random.randrange(4)) for _ in range(length)]
        for length in lengths
    ]
    stream = AddressStream(segments)
    for _ in range(draw(st.integers(0, 5))):
        path = draw(st.lists(st.integers(0, len(segments) - 1), min_size=1, max_size=4))
        what = draw(st.sampled_from(("run", "run", "run", "thread", "flush")))
        if what != "run":
            stream.operations.append((what, random.getrandbits(32) if what == "thread" else 0, []))
        starts = [_odd_address(random) for _ in range(random.randint(1, 5))]
        way, stride = draw(st.sampled_from(("strides", "same", "shared", "cycle", "odd"))), random.randint(-16, 16)
        for step in range(draw(st.sampled_from((1, 2, 5, 12)))):
            for number in path:
                count = sum(slot.kind != FETCH for slot in segments[number])
                stream.operations.append(("run", number, _addresses(way, random, starts, stride, step, count)))
    return stream
