"""Instructions and debug records: text, cut where it names local values and blocks."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sonde.ir.names import split_at_locals

_LOCATION = re.compile(r", !dbg !([0-9]+)")
_CALL_MARKERS = ("tail", "musttail", "notail")

TERMINATORS = frozenset(
    (
        "ret",
        "br",
        "switch",
        "indirectbr",
        "invoke",
        "callbr",
        "resume",
        "unreachable",
        "cleanupret",
        "catchret",
        "catchswitch",
    )
)
"""Opcodes that end a block."""


def opcode_of(body: str) -> str:
    """The opcode of an instruction's text, without result.

    >>> opcode_of("tail call void @f()"), opcode_of("unreachable, !dbg !7")
    ('call', 'unreachable')
    """
    word = body.partition(" ")[0]
    return "call" if word in _CALL_MARKERS else word.rstrip(",")


def replace_names(pieces: list[str], new_names: dict[str, str]) -> None:
    """Put other names, or other values, at the odd places."""
    for at in range(1, len(pieces), 2):
        if pieces[at] in new_names:
            pieces[at] = new_names[pieces[at]]


@dataclass(slots=True, eq=False)
class DebugRecord:
    """What LLVM knows of a source variable from here on: `#dbg_value(...)` and its like."""

    pieces: list[str]
    """Its text, cut at local names as in `Instruction.pieces`."""

    @property
    def text(self) -> str:
        """As it is printed, without indentation."""
        return "".join(self.pieces)

    @property
    def kind(self) -> str:
        """`value`, `declare`, `assign`, `label` or `declare_value`."""
        return self.pieces[0][5 : self.pieces[0].index("(")]

    def copy(self) -> "DebugRecord":
        return DebugRecord(self.pieces.copy())


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction. Two are the same only if they are the same object.

    >>> instruction = Instruction.from_text("add nsw i32 %x, 1, !dbg !7", result="%y")
    >>> instruction.opcode, list(instruction.uses()), instruction.location
    ('add', ['%x'], 7)
    >>> instruction.replace_uses({"%x": "%z"})
    >>> print(instruction)
    %y = add nsw i32 %z, 1, !dbg !7
    """

    result: str | None
    """The name of its value, with sigil; None when it has none."""
    opcode: str
    pieces: list[str]
    """Its text after `=`: at odd places the local names it uses (values and blocks), at even places what is written
    between them. Values that replace names may be any text that LLVM takes there, such as a constant."""
    records: tuple[DebugRecord, ...] = ()
    """Debug records that stand right before it."""

    @classmethod
    def from_text(cls, body: str, result: str | None = None) -> "Instruction":
        """Make one from text without result. Names in it are values or blocks, never named types: see `ir.parse`."""
        return cls(result, opcode_of(body), split_at_locals(body))

    @property
    def text(self) -> str:
        """What is printed after the result."""
        return "".join(self.pieces)

    def __str__(self) -> str:
        return self.text if self.result is None else f"{self.result} = {self.text}"

    @property
    def is_terminator(self) -> bool:
        return self.opcode in TERMINATORS

    def uses(self) -> Iterator[str]:
        """The local values it uses, in order, with repetitions."""
        pieces = self.pieces
        for at in range(1, len(pieces), 2):
            if not self._is_block(at) and pieces[at].startswith("%"):
                yield pieces[at]

    def _is_block(self, at: int) -> bool:
        # `label %b`, or the second half of a phi's `[ %v, %b ]`.
        return self.pieces[at - 1].endswith("label ") or (self.opcode == "phi" and self.pieces[at + 1].startswith(" ]"))

    def successors(self) -> list[str]:
        """The blocks to which a terminator may go, in order, with repetitions."""
        pieces = self.pieces
        return [pieces[at] for at in range(1, len(pieces), 2) if pieces[at - 1].endswith("label ")]

    def replace_uses(self, new_names: dict[str, str], *, in_records: bool = False) -> None:
        """Use other values or blocks, in the records before it too if so asked."""
        replace_names(self.pieces, new_names)
        if in_records:
            for record in self.records:
                replace_names(record.pieces, new_names)

    @property
    def location(self) -> int | None:
        """Number of the metadata node that says where in the source it comes from."""
        match = _LOCATION.search(self.pieces[-1])
        return int(match.group(1)) if match else None

    @location.setter
    def location(self, node: int | None) -> None:
        last = _LOCATION.sub("", self.pieces[-1])
        self.pieces[-1] = last if node is None else f"{last}, !dbg !{node}"

    def edit_text(self, edit: Callable[[str], str]) -> None:
        """Change what is written between the names."""
        for at in range(0, len(self.pieces), 2):
            self.pieces[at] = edit(self.pieces[at])

    def copy(self) -> "Instruction":
        """An equal instruction with records of its own."""
        records = tuple(record.copy() for record in self.records) if self.records else ()
        return Instruction(self.result, self.opcode, self.pieces.copy(), records)
