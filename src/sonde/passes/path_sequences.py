"""Counting which paths follow one another, where they end: code that knows what followed, and a call for the rest.

What a node looks like, and what is called, are in native/core/paths/slab_states.h and native/probes/path_forests.h.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sonde.ir import Block, Function, Instruction
from sonde.ir.edits import split_block
from sonde.passes.path_counters import PathKinds, Register, signed
from sonde.passes.path_names import PathNames
from sonde.passes.path_rows import MANY_WORDS, NO_ROW, STEP, WORDS_POWER, Row
from sonde.passes.path_thread import begin_in_thread

FOLLOW, FOREST = "sn_paths_follow", "sn_paths_thread_forest"
"""What the code calls for a path that is not in a row, and for a thread that has no forest."""
FIRST_NODE, _LIMBO = 13, 9
"""`SN_SLAB_FIRST`: of the first function; `SN_SLAB_LIMBO`."""
_COUNT, _ROW = 8, 24
"""Offsets in a node, in bytes."""


@dataclass(slots=True)
class PathSequences:
    """Counts what follows what in one function; the twin of `PathCounters`.

    How far an activation has come is in a stack slot, which `sroa` makes a value: then 5 instructions count a path
    where few can be next, and 8 where many can, if it is one of those that followed last.
    """

    function: Function
    number: int
    """Of the function."""
    node: int
    """That it begins with, in each forest."""
    rows: Mapping[int, Row]
    """Block where paths begin -> the row of nodes that lead there."""
    slot: str
    """The operand that says where a thread has its nodes."""
    likely: int
    """Metadata of branches that are nearly always taken."""
    names: PathNames
    switch: str | None = None
    """The operand of a word that is 0 while nothing is counted; None: there is none.

    Where a path ends meanwhile, an activation begins: paths that are counted one after the other did follow one
    another.
    """
    _nodes: str = field(default="")
    _state: str = field(default="")

    def __post_init__(self) -> None:
        self._nodes, self._state = self.names.new("nodes"), self.names.new("state")

    def begin(self, *, is_first: bool) -> None:
        """Where the function begins, begin an activation; before that its thread, if this may be the first there."""
        block, function = self.function.entry, self.function
        if is_first:
            block = begin_in_thread(function, self.slot, FOREST, self.likely, self.names)
        first = next(at for at, each in enumerate(block.instructions) if each.opcode != "alloca")
        self._begin(block, first, self.rows[0], self.node)
        block.instructions.insert(first, Instruction.from_text(f"load ptr, {self.slot}", self._nodes))
        function.entry.instructions.insert(0, Instruction.from_text("alloca i64, align 8", self._state))

    def put(self, block: Block, before: Instruction, path: Register, kinds: PathKinds, after: Row) -> None:
        """Count a path before an instruction. The block is split there: it keeps its first part.

        Args:
            kinds: of the paths that come there: those with numbers below `in_array` begin where few do.
            after: the row of the node that it leads to.
        """
        at = next(at for at, each in enumerate(block.instructions) if each is before)
        new, text = self.names.new, Instruction.from_text
        if self.switch is not None:
            block, at = self._put_switch(block, at, self.switch, after), 0
        number = str(signed(path.added))
        rest = split_block(self.function, block, at, taken=self.names.taken)
        if path.base is not None:
            number = new("number")
            block.instructions.insert(-1, text(f"add i64 {path.base}, {signed(path.added)}", number))
        by_hash = block
        if kinds.are_in_array and kinds.have_keys:
            is_in = new("is")
            by_row, by_hash = Block(new("in")), Block(new("many"))
            block.instructions[-1:] = [
                text(f"icmp ult i64 {number}, {self.in_array}", is_in),
                text(f"br i1 {is_in}, label {by_row.name}, label {by_hash.name}"),
            ]
            for each in (by_row, by_hash):
                each.instructions = [text(f"br label {rest.name}")]
            place = self.function.blocks.index(rest)
            self.function.blocks[place:place] = [by_row, by_hash]
            self._put_row(by_row, rest, number, after)
        elif kinds.are_in_array:
            self._put_row(block, rest, number, after)
            return
        self._put_hashed(by_hash, rest, number, after)

    def _put_switch(self, block: Block, at: int, switch: str, after: Row) -> Block:
        """Split a block; the new one that is come by before the rest while paths are counted."""
        new, text = self.names.new, Instruction.from_text
        rest = split_block(self.function, block, at, taken=self.names.taken)
        burst, is_off, on, off = new("burst"), new("is"), Block(new("on")), Block(new("off"))
        block.instructions[-1:] = [
            text(f"load i32, {switch}", burst),
            text(f"icmp eq i32 {burst}, 0", is_off),
            text(f"br i1 {is_off}, label {off.name}, label {on.name}, !prof !{self.likely}"),
        ]
        off.instructions = [
            text(f"store i64 {STEP * _LIMBO + after.bias}, ptr {self._state}"),
            text(f"br label {rest.name}"),
        ]
        on.instructions = [text(f"br label {rest.name}")]
        self.function.blocks.insert(self.function.blocks.index(rest), off)
        self.function.blocks.append(on)
        return on

    @property
    def in_array(self) -> int:
        """Paths with lower numbers begin where few do."""
        return max((each.first + each.words for each in self.rows.values() if not each.is_for_many), default=0)

    def _put_row(self, block: Block, rest: Block, number: str, after: Row) -> None:
        """At the end of a block, count a path by its word in a row."""
        new, text = self.names.new, Instruction.from_text
        state, row, word_at, word, is_some, next_state, base = (
            new(each) for each in ("state", "row", "word", "word", "is", "after", "base")
        )
        block.instructions[-1:] = [
            text(f"load i64, ptr {self._state}", state),
            text(f"getelementptr i32, ptr {self._nodes}, i64 {number}", row),
            text(f"getelementptr i32, ptr {row}, i64 {state}", word_at),
            text(f"load i32, ptr {word_at}", word),
            text(f"icmp ne i32 {word}, 0", is_some),
        ]
        found = [
            text(f"sext i32 {word} to i64", next_state),
            text(f"getelementptr i32, ptr {self._nodes}, i64 {next_state}", base),
        ]
        self._put_ways(block, rest, is_some, found, (base, next_state), word_at, number, after, 0)

    def _put_hashed(self, block: Block, rest: Block, number: str, after: Row) -> None:
        """At the end of a block, count a path if it is the last one in its word of a row for many."""
        new, text = self.names.new, Instruction.from_text
        state, row, place, word_at, word, wide, node, there, is_it, next_state, base = (
            new(each)
            for each in (
                "state", "row", "place", "word", "word", "wide", "node", "id", "is", "after", "base"
            )
        )  # fmt: skip
        block.instructions[-1:] = [
            text(f"load i64, ptr {self._state}", state),
            text(f"and i64 {number}, {(1 << WORDS_POWER) - 1}", place),
            text(f"getelementptr {{ [{_ROW} x i8], [0 x i32] }}, ptr {self._nodes}, i64 0, i32 1, i64 {place}", row),
            text(f"getelementptr i32, ptr {row}, i64 {state}", word_at),
            text(f"load i32, ptr {word_at}", word),
            text(f"zext i32 {word} to i64", wide),
            text(f"getelementptr i32, ptr {self._nodes}, i64 {wide}", node),
            text(f"load i64, ptr {node}", there),
            text(f"icmp eq i64 {there}, {number}", is_it),
        ]
        found = [
            text(f"add i64 {wide}, {after.bias}", next_state),
            text(f"getelementptr i32, ptr {node}, i64 {after.bias}", base),
        ]
        self._put_ways(block, rest, is_it, found, (base, next_state), word_at, number, after, MANY_WORDS)

    def _put_ways(
        self,
        block: Block,
        rest: Block,
        is_known: str,
        found: list[Instruction],
        state: tuple[str, str],
        at: str,
        number: str,
        after: Row,
        kind: int,
    ) -> None:
        """What is done if the next state is known, and if not.

        Args:
            found: computes `state`, as address and distance.
            at: the word.
            kind: of row that it is in.
        """
        new, text = self.names.new, Instruction.from_text
        hit, miss = Block(new("hit")), Block(new("miss"))
        block.instructions.append(text(f"br i1 {is_known}, label {hit.name}, label {miss.name}, !prof !{self.likely}"))
        count_at, made = new("count"), new("after")
        hit.instructions = [
            *found,
            text(f"getelementptr i8, ptr {state[0]}, i64 {_COUNT - 4 * after.bias}", count_at),
            *self._increment(count_at),
            text(f"store i64 {state[1]}, ptr {self._state}"),
            text(f"br label {rest.name}"),
        ]
        routine, words = kind | self.number, after.described
        arguments = f"ptr {at}, i64 {number}, i32 {_as_i32(routine)}, i32 {_as_i32(words)}, i32 {after.first}"
        miss.instructions = [
            text(f"call preserve_mostcc i64 @{FOLLOW}({arguments})", made),
            text(f"store i64 {made}, ptr {self._state}"),
            text(f"br label {rest.name}"),
        ]
        self.function.blocks.insert(self.function.blocks.index(rest), hit)
        self.function.blocks.append(miss)

    def begin_again(self, block: Block, at: int, number: int) -> None:
        """Before an instruction, begin an activation whose first path begins in a block.

        Args:
            number: of the block.
        """
        self._begin(block, at, self.rows.get(number, NO_ROW), _LIMBO)

    def _begin(self, block: Block, at: int, after: Row, node: int) -> None:
        count_at = self.names.new("count")
        block.instructions[at:at] = [
            Instruction.from_text(f"store i64 {STEP * node + after.bias}, ptr {self._state}"),
            Instruction.from_text(
                f"getelementptr i8, ptr {self._nodes}, i64 {4 * STEP * self.node + _COUNT}", count_at
            ),
            *self._increment_if_on(count_at),
        ]

    def _increment_if_on(self, place: str) -> list[Instruction]:
        """Without a branch, since what calls it is not split here."""
        if self.switch is None:
            return self._increment(place)
        burst, is_on, more = (self.names.new(each) for each in ("burst", "is", "one"))
        return [
            Instruction.from_text(f"load i32, {self.switch}", burst),
            Instruction.from_text(f"icmp ne i32 {burst}, 0", is_on),
            Instruction.from_text(f"zext i1 {is_on} to i64", more),
            *self._increment(place, more),
        ]

    def _increment(self, place: str, by: str = "1") -> list[Instruction]:
        old, more = self.names.new("old"), self.names.new("more")
        return [
            Instruction.from_text(f"load i64, ptr {place}", old),
            Instruction.from_text(f"add i64 {old}, {by}", more),
            Instruction.from_text(f"store i64 {more}, ptr {place}"),
        ]


def _as_i32(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word
