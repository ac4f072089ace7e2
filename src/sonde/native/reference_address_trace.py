"""The address trace in plain Python, both ways, as docs/address-trace.md describes it.

Numbers are integers and flags are lists of bits. The files of the writer are equal to those of the native one, byte for
byte.
"""

import struct
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

LOAD, STORE, MODIFY, FETCH = range(4)

_HEADER = struct.Struct("<8sIIIIQ")
_BLOCK = struct.Struct("<IIIIQQIIQ")
_MAGIC, _BLOCK_MAGIC, _VERSION = b"SONDEADR", 0x4B4C4241, 1
_BLOCK_BYTES, _BLOCK_WORDS = 192 * 1024, 16 * 1024
_SLOTS = 1024
_FULL_BYTES = _BLOCK_BYTES - (_SLOTS * 13 + 16)
"""A block ends when more bytes or words are in it than leave room for the largest operation."""
_FULL_WORDS = _BLOCK_WORDS - (_SLOTS * 6 // 64 + 2)
_WORD = 2**64 - 1
_CHECK_FACTOR, _TABLE_FACTOR, _TABLE_BITS = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 14
_SAME, _AFTER, _STRIDE = range(3)
_ESCAPE_SEGMENT, _ESCAPE_THREAD = 1, 2


class Slot(NamedTuple):
    """One access of a segment, or the fetch of an instruction."""

    ip: int
    size: int
    kind: int


class Access(NamedTuple):
    """What happened: `size` bytes at `address`."""

    ip: int
    address: int
    size: int
    kind: int
    thread: int


class DamagedTraceError(ValueError):
    """The bytes are not what a writer writes; `accesses` are those before the damage."""

    def __init__(self, what: str, accesses: list[Access]) -> None:
        super().__init__(what)
        self.accesses = accesses


@dataclass(slots=True)
class _State:
    """What is remembered of a slot."""

    last: int = 0
    stride: int = 0
    after: int = 0
    rule: int = _SAME
    absent: bool = False

    def predictions(self, previous: int) -> tuple[int, int, int]:
        """By rule."""
        return self.last, (previous + self.after) & _WORD, (self.last + self.stride) & _WORD

    def predict(self, previous: int) -> int:
        """0: it will be absent."""
        return 0 if self.absent else self.predictions(previous)[self.rule]

    def learn(self, address: int, previous: int) -> None:
        self.absent = not address
        if self.absent:
            return
        predictions = self.predictions(previous)
        if predictions[self.rule] != address:
            for rule in (_AFTER, _STRIDE, _SAME):
                if predictions[rule] == address:
                    self.rule = rule
                    break
        self.stride = (address - self.last) & _WORD
        self.after = (address - previous) & _WORD
        self.last = address


@dataclass(slots=True)
class _Segment:
    slots: list[Slot]
    states: list[tuple[int, _State]]
    """Of the slots that are no fetches: number among all of the trace, and what is remembered."""
    successors: list[int] = field(default_factory=lambda: [0, 0])


class _Model:
    """What writer and reader keep alike."""

    def __init__(self) -> None:
        self.segments: list[_Segment] = []
        self.table: dict[int, int] = {}
        self.previous = 0
        self.current = 0
        self.defined_ip = 0
        self._state_count = 0

    def define(self, slots: list[Slot]) -> None:
        states = []
        for slot in slots:
            if slot.kind != FETCH:
                states.append((self._state_count, _State()))
                self._state_count += 1
        self.segments.append(_Segment(slots, states))
        self.defined_ip = slots[-1].ip

    def followed(self, number: int) -> None:
        """`number` came after the current segment, and is that now."""
        successors = self.segments[self.current].successors
        if successors[0] != number:
            successors[:] = [number, successors[0]]
        self.current = number

    def learn(self, state: _State, address: int) -> None:
        state.learn(address, self.previous)
        self.previous = address or self.previous


class ReferenceAddressTraceWriter:
    """Writes a trace into `content`.

    >>> writer = ReferenceAddressTraceWriter()
    >>> copy = writer.segment([Slot(0x400, 8, LOAD), Slot(0x404, 8, STORE)])
    >>> for step in range(3):
    ...     writer.run(copy, [0x1000 + 8 * step, 0x2000 + 8 * step])
    >>> writer.finish()
    >>> accesses, ending = reference_read_addresses(bytes(writer.content))
    >>> ending, len(accesses), accesses[-1] == Access(0x404, 0x2010, 8, STORE, 0)
    ('finished', 6, True)
    """

    def __init__(self) -> None:
        head = _HEADER.pack(_MAGIC, _VERSION, _HEADER.size, _BLOCK_BYTES, _BLOCK_WORDS, 0)[:-8]
        self._check = _checked(0, head)
        self.content = bytearray(head + struct.pack("<Q", self._check))
        self.accesses = 0
        self._model = _Model()
        self._numbers: dict[tuple[Slot, ...], int] = {}
        self._thread = 0
        self._blocks = self._accesses_before = 0
        self._bytes, self._flags, self._operations = bytearray(), list[int](), 0

    def segment(self, slots: list[Slot]) -> int:
        """The number of a segment of 1 to 1,024 slots; equal ones have the same."""
        number = self._numbers.setdefault(tuple(slots), len(self._model.segments))
        if number < len(self._model.segments):
            return number
        self._begin_operation()
        self._flags += [0, 0, 0, 0]
        self._bytes.append(_ESCAPE_SEGMENT)
        self._bytes += _varint(len(slots))
        ip = self._model.defined_ip
        for slot in slots:
            self._bytes += _varint(_zigzag(slot.ip - ip)) + _varint(slot.size << 2 | slot.kind)
            ip = slot.ip
        self._model.define(slots)
        return number

    def run(self, number: int, addresses: list[int]) -> None:
        """A segment has run, with these addresses; 0: the access did not happen."""
        self._begin_operation()
        model, segment = self._model, self._model.segments[number]
        successors = model.segments[model.current].successors
        before = model.previous
        predicted = []
        for (_, state), address in zip(segment.states, addresses, strict=True):
            predicted.append(int(state.absent if not address else state.predict(before) == address))
            before = address or before
        if successors[0] == number:
            self._flags += [1] if all(predicted) else [0, 1]
        elif successors[1] == number:
            self._flags += [0, 0, 1]
        else:
            self._flags += [0, 0, 0, 1]
            self._bytes += _varint(number)
        expected = successors[0] == number and all(predicted)
        model.followed(number)
        for start in range(0, len(predicted), 64):
            if not expected:
                self._flags += predicted[start : start + 64]
            for (which, state), address, right in list(zip(segment.states, addresses, predicted, strict=True))[
                start : start + 64
            ]:
                if not right:
                    self._put_address(which, state, address)
                model.learn(state, address)
        self.accesses += len(segment.slots) - addresses.count(0)

    def thread(self, number: int) -> None:
        """What runs from here on is another thread; the first one is 0."""
        if number != self._thread:
            self._thread = number
            self._begin_operation()
            self._flags += [0, 0, 0, 0]
            self._bytes.append(_ESCAPE_THREAD)
            self._bytes += _varint(number)

    def flush(self) -> None:
        """Write what there is."""
        if self._operations:
            self._write_block(last=False)

    def finish(self) -> None:
        """Write what there is, and the end."""
        self._write_block(last=True)

    def _put_address(self, which: int, state: _State, address: int) -> None:
        if not address:
            self._flags += [0, 1, 0, 0, 0]
            return
        place = _place(which, state.last)
        if self._model.table.get(place, 0) == address:
            self._flags.append(1)
            return
        self._model.table[place] = address
        from_last, from_previous = _zigzag(address - state.last), _zigzag(address - self._model.previous)
        use_last = from_last <= from_previous or from_previous >= 2**56
        distance = from_last if use_last else from_previous
        size = max(1, (distance.bit_length() + 7) // 8)
        self._flags += [0, 0 if use_last else 1, size & 1, size >> 1 & 1, size >> 2 & 1]
        self._bytes += distance.to_bytes(size, "little")

    def _begin_operation(self) -> None:
        if len(self._bytes) > _FULL_BYTES or len(self._flags) // 64 > _FULL_WORDS:
            self._write_block(last=False)
        self._operations += 1

    def _write_block(self, *, last: bool) -> None:
        words = bytearray()
        for start in range(0, len(self._flags), 64):
            word = sum(flag << at for at, flag in enumerate(self._flags[start : start + 64]))
            words += word.to_bytes(8, "little")
        payload = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 8) + words
        taken = self.accesses - self._accesses_before
        head = _BLOCK.pack(
            _BLOCK_MAGIC,
            self._blocks,
            len(self._bytes),
            len(words) // 8,
            self._accesses_before,
            taken,
            self._operations,
            last,
            0,
        )[:-8]
        self._check = _checked(_checked(self._check, head), payload)
        self.content += head + struct.pack("<Q", self._check) + payload
        self._blocks += 1
        self._accesses_before = self.accesses
        self._bytes, self._flags, self._operations = bytearray(), [], 0


def reference_read_addresses(content: bytes) -> tuple[list[Access], Literal["finished", "cut off"]]:
    """All accesses of a trace, in order, and how it ends.

    Raises:
        DamagedTraceError: it is not what a writer wrote.
    """
    accesses: list[Access] = []
    if len(content) < _HEADER.size:
        raise DamagedTraceError("the header is cut off", accesses)
    magic, version, size, block_bytes, block_words, check = _HEADER.unpack_from(content)
    if (magic, version, size, block_bytes, block_words) != (_MAGIC, _VERSION, _HEADER.size, _BLOCK_BYTES, _BLOCK_WORDS):
        raise DamagedTraceError("the header is another", accesses)
    if check != _checked(0, content[: _HEADER.size - 8]):
        raise DamagedTraceError("the header does not match its checksum", accesses)
    model, at, blocks, thread = _Model(), _HEADER.size, 0, 0
    while True:
        if len(content) - at < _BLOCK.size:
            return accesses, "cut off"
        head = _BLOCK.unpack_from(content, at)
        magic, index, byte_count, word_count, first, taken, operations, last, wanted = head
        if (magic, index, first) != (_BLOCK_MAGIC, blocks, len(accesses)) or last > 1:
            raise DamagedTraceError("a block's head is another", accesses)
        if byte_count > _BLOCK_BYTES or word_count > _BLOCK_WORDS:
            raise DamagedTraceError("a block is too large", accesses)
        start = at + _BLOCK.size
        words = start + byte_count + -byte_count % 8
        end = words + 8 * word_count
        if len(content) < end:
            return accesses, "cut off"
        check = _checked(_checked(check, content[at : start - 8]), content[start:end])
        if check != wanted:
            raise DamagedTraceError("a block does not match its checksum", accesses)
        bits = int.from_bytes(content[words:end], "little")
        flags = [bits >> bit & 1 for bit in range(64 * word_count)]
        block = _Block(content[start : start + byte_count], flags)
        found: list[Access] = []
        for _ in range(operations):
            thread = _operate(model, block, thread, found)
        if len(found) != taken or not block.ended():
            raise DamagedTraceError("a block has other contents than it says", accesses)
        accesses += found
        at, blocks = end, blocks + 1
        if last:
            if at != len(content):
                raise DamagedTraceError("something follows the end", accesses)
            return accesses, "finished"


class _Block:
    """The bytes and flags of a block, taken one after the other."""

    def __init__(self, content: bytes, flags: list[int]) -> None:
        self._content, self._flags = content, flags
        self._byte = self._flag = 0

    def flags(self, count: int) -> int:
        """The next ones, the first of them lowest."""
        taken = self._flags[self._flag : self._flag + count]
        self._flag += count
        return sum(flag << at for at, flag in enumerate(taken))

    def number(self, size: int) -> int:
        taken = self._content[self._byte : self._byte + size]
        self._byte += size
        return int.from_bytes(taken, "little")

    def varint(self) -> int:
        value = shift = 0
        while (byte := self.number(1)) > 0x7F:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def ended(self) -> bool:
        return self._byte == len(self._content) and 0 <= len(self._flags) - self._flag < 64


def _operate(model: _Model, block: _Block, thread: int, found: list[Access]) -> int:
    """Do the next operation; returns the thread that runs then."""
    successors = model.segments[model.current].successors if model.segments else []
    expected = False
    if block.flags(1):
        number, expected = successors[0], True
    elif block.flags(1):
        number = successors[0]
    elif block.flags(1):
        number = successors[1]
    elif block.flags(1):
        number = block.varint()
    elif block.number(1) == _ESCAPE_THREAD:
        return block.varint()
    else:
        ip, slots = model.defined_ip, []
        for _ in range(block.varint()):
            ip = (ip + _unzigzag(block.varint())) & _WORD
            form = block.varint()
            slots.append(Slot(ip, form >> 2, form & 3))
        model.define(slots)
        return thread
    segment = model.segments[number]
    model.followed(number)
    addresses = []
    for at, (which, state) in enumerate(segment.states):
        if at % 64 == 0:
            count = min(64, len(segment.states) - at)
            predicted = 2**count - 1 if expected else block.flags(count)
        right = predicted >> at % 64 & 1
        address = state.predict(model.previous) if right else _get_address(model, block, which, state)
        model.learn(state, address)
        addresses.append(address)
    left = iter(addresses)
    for slot in segment.slots:
        address = slot.ip if slot.kind == FETCH else next(left)
        if address or slot.kind == FETCH:
            found.append(Access(slot.ip, address, slot.size, slot.kind, thread))
    return thread


def _get_address(model: _Model, block: _Block, which: int, state: _State) -> int:
    place = _place(which, state.last)
    if block.flags(1):
        return model.table.get(place, 0)
    from_previous, size = block.flags(1), block.flags(3)
    if from_previous and not size:
        return 0
    distance = _unzigzag(block.number(size or 8))
    address = ((model.previous if from_previous else state.last) + distance) & _WORD
    model.table[place] = address
    return address


def _checked(check: int, content: bytes) -> int:
    for (word,) in struct.iter_unpack("<Q", content):
        check = (check ^ word) * _CHECK_FACTOR & _WORD
        check ^= check >> 32
    return check


def _place(which: int, last: int) -> int:
    return ((last ^ which * _CHECK_FACTOR & _WORD) * _TABLE_FACTOR & _WORD) >> (64 - _TABLE_BITS)


def _zigzag(distance: int) -> int:
    distance &= _WORD
    return (distance << 1 ^ (_WORD if distance >> 63 else 0)) & _WORD


def _unzigzag(number: int) -> int:
    return number >> 1 ^ (_WORD if number & 1 else 0)


def _varint(number: int) -> bytes:
    content = bytearray()
    while number > 0x7F:
        content.append(number & 0x7F | 0x80)
        number >>= 7
    content.append(number)
    return bytes(content)
