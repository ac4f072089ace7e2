"""Where values are made, and where they are used."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir.analyses.phi_uses import phi_uses
from sonde.ir.analyses.place import Place
from sonde.ir.function import Function
from sonde.ir.instruction import DebugRecord, Instruction


class Use(NamedTuple):
    """A value, or a block, in the text of an instruction."""

    instruction: Instruction
    place: Place
    """Of that instruction."""
    piece: int
    """Where in its `pieces` the name stands."""
    from_block: str | None
    """For a phi's value the block that it comes from."""


class RecordUse(NamedTuple):
    """A value in a debug record."""

    record: DebugRecord
    place: Place
    """Of the instruction before which the record stands."""
    piece: int
    """Where in the record's `pieces` the name stands."""


@dataclass(frozen=True, slots=True)
class DefUse:
    """The values of a function: what makes each, and what uses it. It is not kept up to date when one edits.

    >>> from sonde.ir.block import Block
    >>> from sonde.ir.signature import parse_signature
    >>> texts = (("%y", "add i32 %x, %x"), (None, "ret i32 %y"))
    >>> block = Block("%0", [Instruction.from_text(text, result) for result, text in texts])
    >>> chains = DefUse.of(Function(parse_signature("i32 @f(i32 %x)"), [block]))
    >>> [(use.place.at, use.piece) for use in chains.uses("%x")], chains.place_of("%y"), chains.place_of("%x")
    ([(0, 1), (0, 3)], Place(block='%0', at=0), None)
    """

    values: tuple[str, ...]
    """Parameters, then results in the order of the text."""
    _instructions: tuple[Instruction, ...]
    """All of the function's, in the order of the text; below they are meant by their numbers."""
    _blocks: tuple[str, ...]
    _first: tuple[int, ...]
    """(n_blocks,) number of the first instruction of each block."""
    _made_by: Mapping[str, int]
    """Value -> its instruction; -1 for parameters."""
    _uses: Mapping[str, list[int]]
    """Name -> instruction and piece, in one number: so that there are few objects for the garbage collector."""
    _records: Mapping[str, list[int]]
    """Name -> instruction, record and piece, likewise."""

    @classmethod
    def of(cls, function: Function) -> "DefUse":
        """Look at every instruction once."""
        made_by = {each.name: -1 for each in function.parameters}
        instructions: list[Instruction] = []
        first: list[int] = []
        uses: dict[str, list[int]] = {}
        records: dict[str, list[int]] = {}
        for block in function.blocks:
            first.append(len(instructions))
            for number, instruction in enumerate(block.instructions, start=len(instructions)):
                if instruction.result is not None:
                    made_by[instruction.result] = number
                for at, record in enumerate(instruction.records):
                    for piece in range(1, len(record.pieces), 2):
                        code = (number << _BITS | at) << _BITS | piece
                        records.setdefault(record.pieces[piece], []).append(code)
                pieces = instruction.pieces
                for piece in range(1, len(pieces), 2):
                    code = number << _BITS | piece
                    if pieces[piece] in uses:
                        uses[pieces[piece]].append(code)
                    else:
                        uses[pieces[piece]] = [code]
            instructions += block.instructions
        blocks = tuple(block.name for block in function.blocks)
        return cls(tuple(made_by), tuple(instructions), blocks, tuple(first), made_by, uses, records)

    def definition(self, value: str) -> Instruction | None:
        """The instruction that makes it; None for a parameter.

        Raises:
            KeyError: there is no such value.
        """
        number = self._made_by[value]
        return None if number < 0 else self._instructions[number]

    def place_of(self, value: str) -> Place | None:
        """Where the instruction that makes it stands; None for a parameter.

        Raises:
            KeyError: there is no such value.
        """
        number = self._made_by[value]
        return None if number < 0 else self._place(number)

    def uses(self, name: str) -> list[Use]:
        """The uses of a value, or of a block by terminators and phis, in the order of the text."""
        found = []
        for code in self._uses.get(name, ()):
            number, piece = code >> _BITS, code & _MASK
            instruction = self._instructions[number]
            source = None
            if instruction.opcode == "phi":
                source = next((block for at, _, block in phi_uses(instruction) if at == piece), None)
            found.append(Use(instruction, self._place(number), piece, source))
        return found

    def record_uses(self, value: str) -> list[RecordUse]:
        """The debug records that speak of a value; they are no uses."""
        found = []
        for code in self._records.get(value, ()):
            number, at, piece = code >> 2 * _BITS, code >> _BITS & _MASK, code & _MASK
            found.append(RecordUse(self._instructions[number].records[at], self._place(number), piece))
        return found

    def is_used(self, value: str) -> bool:
        """Whether an instruction uses it."""
        return value in self._uses

    def users(self, value: str) -> list[Instruction]:
        """The instructions that use a value, each once."""
        return [
            self._instructions[number] for number in dict.fromkeys(code >> _BITS for code in self._uses.get(value, ()))
        ]

    def _place(self, number: int) -> Place:
        block = bisect_right(self._first, number) - 1
        return Place(self._blocks[block], number - self._first[block])


_BITS = 32
"""For a piece and for a record: more than any text has."""
_MASK = (1 << _BITS) - 1
