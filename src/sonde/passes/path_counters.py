"""Counting a path where it ends: the one place to which function and number of every path are handed."""

from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir import Block, Function, Instruction
from sonde.ir.edits import split_block
from sonde.passes.path_names import PathNames
from sonde.passes.path_rows import Row

COUNT, THREAD = "sn_paths_count", "sn_paths_thread"
"""What the code calls for a path that is not in its place, and for a thread that has no counts
(`native/probes/path_counts.h`)."""

_NEAR_POWER = 12
_FACTOR = 0x9E3779B97F4A7C15
"""`SN_PATHS_NEAR_POWER`, `SN_PATHS_FACTOR`."""
_COUNTERS = 16 << _NEAR_POWER
"""Where counters begin, in bytes."""


class Register(NamedTuple):
    """What the path register has at some point: a value and a constant."""

    base: str | None
    added: int

    def plus(self, more: int) -> "Register":
        return Register(self.base, self.added + more)


class PathKinds(NamedTuple):
    """How the paths that come to some point are counted."""

    are_in_array: bool
    have_keys: bool

    def joined(self, other: "PathKinds") -> "PathKinds":
        return PathKinds(self.are_in_array or other.are_in_array, self.have_keys or other.have_keys)


@dataclass(slots=True)
class PathCounters:
    """Counts paths of one function, by code that is put where they end."""

    function: Function
    slot: str
    """The operand that says where a thread has its counts."""
    likely: int
    """Metadata of branches that are nearly always taken."""
    first: int
    in_array: int
    first_key: int
    begun: int | None
    """As of `FunctionPaths`."""
    names: PathNames

    def put(self, block: Block, before: Instruction, path: Register, kinds: PathKinds, _after: Row) -> None:
        """Count a path before an instruction. With keys, the block is split there: it keeps its first part.

        Args:
            path: its number.
            kinds: of the paths that come there.
        """
        at = next(at for at, each in enumerate(block.instructions) if each is before)
        if not kinds.have_keys:
            block.instructions[at:at] = self._add_one(path.plus(self.first))
            return
        if kinds.are_in_array:
            at, path, block = self._put_array(block, at, path)
        path = path.plus(self.first_key - self.in_array)
        here, key, place = self.names.new("counts"), self.names.new("key"), self.names.new("place")
        mixed, high, there, is_it = (self.names.new(each) for each in ("mixed", "high", "there", "is"))
        rest = split_block(self.function, block, at, taken=self.names.taken)
        hit, miss = Block(self.names.new("hit")), Block(self.names.new("miss"))
        text = Instruction.from_text
        block.instructions[-1:] = [
            text(f"add i64 {path.base or 0}, {signed(path.added)}", key),
            text(f"mul i64 {key}, {signed(_FACTOR)}", mixed),
            text(f"lshr i64 {mixed}, {64 - _NEAR_POWER}", high),
            text(f"load ptr, {self.slot}", here),
            text(f"getelementptr {{ i64, i64 }}, ptr {here}, i64 {high}", place),
            text(f"load i64, ptr {place}", there),
            text(f"icmp eq i64 {there}, {key}", is_it),
            text(f"br i1 {is_it}, label {hit.name}, label {miss.name}, !prof !{self.likely}"),
        ]
        counter = self.names.new("counter")
        hit.instructions = [text(f"getelementptr i8, ptr {place}, i64 8", counter), *self._increment(counter)]
        hit.instructions.append(text(f"br label {rest.name}"))
        miss.instructions = [
            text(f"call preserve_mostcc void @{COUNT}(i64 {key})"),
            text(f"br label {rest.name}"),
        ]
        self.function.blocks.insert(self.function.blocks.index(rest), hit)
        self.function.blocks.append(miss)

    def _put_array(self, block: Block, at: int, path: Register) -> tuple[int, Register, Block]:
        """Count those of the paths that are in the array; where and how the others are left to be counted."""
        number, is_in = self.names.new("number"), self.names.new("is")
        rest = split_block(self.function, block, at, taken=self.names.taken)
        hit, other = Block(self.names.new("in")), Block(self.names.new("key"))
        text = Instruction.from_text
        block.instructions[-1:] = [
            text(f"add i64 {path.base or 0}, {signed(path.added)}", number),
            text(f"icmp ult i64 {number}, {self.in_array}", is_in),
            text(f"br i1 {is_in}, label {hit.name}, label {other.name}"),
        ]
        jump = f"br label {rest.name}"
        hit.instructions = [*self._add_one(Register(number, self.first)), text(jump)]
        other.instructions = [text(jump)]
        at = self.function.blocks.index(rest)
        self.function.blocks[at:at] = [hit, other]
        return 0, Register(number, 0), other

    def begin_again(self, block: Block, at: int, _number: int) -> None:
        """Count before an instruction that a path has begun there, after a call has returned."""
        self.count_begun(block, at)

    def count_begun(self, block: Block, at: int) -> None:
        """Count before an instruction that a path has begun there, if it may be left midway."""
        if self.begun is not None:
            block.instructions[at:at] = self._add_one(Register(None, self.begun))

    def _add_one(self, counter: Register) -> list[Instruction]:
        here, place = self.names.new("counts"), self.names.new("counter")
        found = [Instruction.from_text(f"load ptr, {self.slot}", here)]
        if counter.base is not None:
            row = self.names.new("row")
            found.append(Instruction.from_text(f"getelementptr i64, ptr {here}, i64 {counter.base}", row))
            here = row
        offset = _COUNTERS + 8 * counter.added
        found.append(Instruction.from_text(f"getelementptr i8, ptr {here}, i64 {offset}", place))
        return [*found, *self._increment(place)]

    def _increment(self, place: str) -> list[Instruction]:
        old, new = self.names.new("old"), self.names.new("new")
        return [
            Instruction.from_text(f"load i64, ptr {place}", old),
            Instruction.from_text(f"add i64 {old}, 1", new),
            Instruction.from_text(f"store i64 {new}, ptr {place}"),
        ]


def signed(word: int) -> int:
    """A word of 64 bits as LLVM writes it."""
    word &= (1 << 64) - 1
    return word - (1 << 64) if word >> 63 else word
