"""A reader of traces in plain Python, written from docs/trace-file.md: slow, strict, and independent of the core.

It knows whole files only, and reads all of them into memory.
"""

import struct
from dataclasses import dataclass, field

Event = tuple[int, int, int, int, int]
"""kind, thread, function, call line, ticks."""

ENTER, LEAVE, UNWIND, FOUND, LOST = 1, 2, 3, 4, 5
_FACTOR = 0x9E37_79B9_7F4A_7C15
_BLOCK = 65536
_HEAD = 64
_WORD = (1 << 64) - 1


class WrongTraceError(Exception):
    """It is not what the page says."""


@dataclass
class DecodedTrace:
    """What a trace says."""

    texts: list[bytes]
    clock: int
    lost: int
    events: list[Event] = field(default_factory=list)
    functions: list[tuple[bytes, bytes, bytes, int, int]] = field(default_factory=list)
    """Qualified name, module, file, first line, flags."""
    finished: bool = False


def check(value: int, content: bytes) -> int:
    """The checksum of the page."""
    for byte in content:
        value = (value + byte) * _FACTOR & _WORD
    return value


def decode_trace(content: bytes) -> DecodedTrace:
    """Read a whole trace.

    Raises:
        WrongTraceError: something is not as it should be.
    """
    magic, version, header_bytes, block_bytes, clock, shift = struct.unpack_from("<8s5I", content)
    _demand(magic == b"SONDETRC" and version == 1 and block_bytes == _BLOCK, "header")
    lengths = struct.unpack_from("<3I", content, 36)
    start_ticks, _, own_check = struct.unpack_from("<3Q", content, 48)
    texts = content[128 : 128 + sum(lengths)]
    _demand(check(0, content[:64] + texts) == own_check, "check of the header")
    end_check, lost, lost_check = struct.unpack_from("<3Q", content, 104)
    if check(own_check, struct.pack("<Q", lost + 1)) == lost_check:
        lost += 1
    _demand(check(own_check, struct.pack("<Q", lost)) == lost_check, "check of what was lost")
    finished = end_check != 0
    if finished:
        _demand(end_check == (check(own_check, content[72:104]) or 1), "check of the end")

    ends = (lengths[0], lengths[0] + lengths[1])
    trace = DecodedTrace([texts[: ends[0]], texts[ends[0] : ends[1]], texts[ends[1] :]], clock, lost)
    model = _Model(trace, shift, 0 if clock == 0 else start_ticks >> shift)
    at, index = header_bytes, 0
    while at + _HEAD <= len(content):
        head = content[at : at + _HEAD]
        block_magic, number, first, units, _, _, state, count, seal = struct.unpack("<4sI7Q", head)
        if state == 0 or (finished and index == struct.unpack_from("<Q", content, 96)[0]):
            break
        used = state & 0x1FFFF
        payload = content[at + _HEAD : at + _HEAD + used]
        value = check(own_check, head[:40] + payload)
        _demand(len(payload) == used and value >> 17 == state >> 17, f"check of block {index}")
        _demand((block_magic, number) == (b"SBLK", index), f"head of block {index}")
        _demand((first, units) == (len(trace.events), model.units), f"continuity of block {index}")
        model.read(payload)
        if seal == 0:
            break
        _demand(seal == (check(value, head[40:56]) or 1), f"seal of block {index}")
        _demand(count == len(trace.events) - first, f"count of block {index}")
        at, index = at + _BLOCK, index + 1
    if finished:
        events, blocks = struct.unpack_from("<2Q", content, 88)
        _demand((events, blocks) == (len(trace.events), index), "totals")
        trace.finished = True
    return trace


def _demand(condition: bool, what: str) -> None:
    if not condition:
        raise WrongTraceError(what)


class _Model:
    """What is remembered while operations are read."""

    def __init__(self, trace: DecodedTrace, shift: int, units: int) -> None:
        self.trace, self.shift, self.units = trace, shift, units
        self.edges: list[tuple[int, int]] = [(0, 0)]
        self.next: dict[int, int] = {}
        self.thread = 0
        self.places: dict[int, tuple[int, list[int], int]] = {}
        """By place: thread, stack, last."""
        self.stack: list[int] = []
        """Edges of the levels that run; deeper ones than 1024 are there as 0."""
        self.last = 0

    def read(self, payload: bytes) -> None:
        self.payload, self.at = payload, 0
        while self.at < len(payload):
            byte = self.byte()
            operation, upper = byte & 3, byte >> 2
            if operation == 0:
                self.escape(upper)
                continue
            pause = upper + (self.varint() if upper == 63 else 0)
            if operation == 2:
                self.leave()
                self.event(LEAVE, 0, pause)
                continue
            edge = self.next.get(self.last, 0) if operation == 1 else self.edge()
            _demand(edge != 0, "prediction")
            self.next[self.last] = edge
            self.enter(edge)
            self.event(ENTER, edge, pause)

    def escape(self, code: int) -> None:
        if code == 1:
            self.places[self.thread % 64] = (self.thread, self.stack, self.last)
            self.thread = self.varint()
            thread, stack, last = self.places.get(self.thread % 64, (self.thread, [], 0))
            self.stack, self.last = (stack, last) if thread == self.thread else ([], 0)
        elif code == 2:
            self.edges, self.next, self.places = [(0, 0)], {}, {}
            self.stack, self.last = [], 0
        elif code == 3:
            line, flags, *lengths = (self.varint() for _ in range(5))
            _demand(max(lengths) <= 16384, "length of a text")
            name, module, file = (self.text(length) for length in lengths)
            self.trace.functions.append((name, module, file, line, flags))
        elif code == 4:
            pause = self.varint()
            self.leave()
            self.event(UNWIND, 0, pause)
        elif code == 5:
            pause, edge = self.varint(), self.edge()
            self.enter(edge)
            self.event(FOUND, edge, pause)
        elif code == 6:
            pause = self.varint()
            self.stack, self.last = [], 0
            self.event(LOST, 0, pause)
        else:
            raise WrongTraceError(f"escape {code}")

    def enter(self, edge: int) -> None:
        self.stack.append(edge if len(self.stack) < 1024 else 0)
        self.last = 2 * edge

    def leave(self) -> None:
        self.last = 2 * (self.stack.pop() if self.stack else 0) + 1

    def event(self, kind: int, edge: int, pause: int) -> None:
        self.units += pause
        ticks = 0 if self.trace.clock == 0 else self.units << self.shift
        _demand(ticks <= _WORD and (self.trace.clock != 0 or pause == 0), "time")
        self.trace.events.append((kind, self.thread, *self.edges[edge], ticks))

    def edge(self) -> int:
        number = self.varint()
        if number == 0:
            function, line = self.varint(), self.varint()
            _demand(function < len(self.trace.functions) and len(self.edges) < 65536, "new edge")
            self.edges.append((function, line))
            number = len(self.edges) - 1
        _demand(number < len(self.edges), "edge")
        return number

    def byte(self) -> int:
        _demand(self.at < len(self.payload), "end of a block")
        self.at += 1
        return self.payload[self.at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                _demand(value <= _WORD and shift <= 70, "varint")
                return value

    def text(self, length: int) -> bytes:
        _demand(self.at + length <= len(self.payload), "end of a block")
        self.at += length
        return self.payload[self.at - length : self.at]
