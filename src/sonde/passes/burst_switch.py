"""Probes at calls that can be switched off: a function counts nothing that begins while no burst goes on.

The switch is a word that another process writes: the number of the burst that goes on, or 0. How contexts are found
again when it is on is in native/probes/bursts.h.
"""

import re
from dataclasses import dataclass, replace
from itertools import count

from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.edits import split_block

SYNC, LEFT = "sn_probes_sync", "sn_probes_left"
"""What the code calls (`native/probes/bursts.h`): at the first entry of a thread in a burst, and where a function ends
that is not known to run."""
SWITCH = "sn_probes_page"
"""The switch of code that a linker will link."""
MAGIC = 0x3E1D_5A7C_96F2_B843
"""`SN_PROBED_MAGIC`."""

FUNCTION, PARENT = 4, 8
"""Offsets in a context, in bytes."""
_NAMES = "%sonde."
_AFTER_PREFIX = re.compile(r"(?: |^)(?:prologue |personality |!)")
_BEFORE_ATTRIBUTES = re.compile(r"(?:(?:local_)?unnamed_addr ?)?(?:addrspace\([^)]*\) ?)?")


@dataclass(frozen=True, slots=True)
class BurstSwitch:
    """What switches the probes of a function."""

    function: Function
    number: int
    word: str
    """The switch, as an operand."""
    slot: str
    """Where a thread has its context."""
    burst: str
    """Where it has the number of the burst that its context is of."""
    likely: int
    """Metadata of branches that are nearly always taken."""
    object: str = ""
    """What has the number of the object file's first function, with sigil; empty: `number` is that of the program."""

    @staticmethod
    def declare(module: Module) -> None:
        """Declare what the code calls."""
        module.declare(f"preserve_mostcc void @{SYNC}() cold nounwind")
        module.declare(f"preserve_mostcc void @{LEFT}(i32) cold nounwind")

    def insert(self, ends: list[tuple[Block, Instruction]], head: Block, rest: Block) -> None:
        """Put the switch around the probes at a function's entry, and put probes at its ends.

        Args:
            ends: before which instructions the caller's context becomes current.
            head: begins with the function's stack slots; the probes are behind them.
            rest: where the function goes on.
        """
        self._put_entry(head, rest)
        numbers = count()
        for block, before in ends:
            self._put_end(block, before, next(numbers))
        self._describe()

    def put_again(self, block: Block, at: int) -> None:
        """Before an instruction, forget what runs: the next call finds it."""
        block.instructions.insert(at, Instruction.from_text(f"store i32 0, {self.burst}"))

    def _put_entry(self, head: Block, rest: Block) -> None:
        text = Instruction.from_text
        slots = next(at for at, each in enumerate(head.instructions) if each.opcode != "alloca")
        begins, sync = Block(_NAMES + "on"), Block(_NAMES + "sync")
        known = Block(_NAMES + "known", head.instructions[slots:])
        head.instructions[slots:] = [
            text(f"load i32, {self.word}", _NAMES + "burst.then"),
            text(f"icmp eq i32 {_NAMES}burst.then, 0", _NAMES + "is.off"),
            text(f"br i1 {_NAMES}is.off, label {rest.name}, label {begins.name}, !prof !{self.likely}"),
        ]
        begins.instructions = [
            text(f"load i32, {self.word}", _NAMES + "burst"),  # not kept in a register up to here
            text(f"load i32, {self.burst}", _NAMES + "burst.known"),
            text(f"icmp eq i32 {_NAMES}burst.known, {_NAMES}burst", _NAMES + "is.known"),
            text(f"br i1 {_NAMES}is.known, label {known.name}, label {sync.name}, !prof !{self.likely}"),
        ]
        sync.instructions = [text(f"call preserve_mostcc void @{SYNC}()"), text(f"br label {known.name}")]
        self.function.blocks += [begins, known, sync]

    def _put_end(self, block: Block, before: Instruction, number: int) -> None:
        text = Instruction.from_text
        name = f"{_NAMES}end{number}"
        at = next(at for at, each in enumerate(block.instructions) if each is before)
        goes_on = split_block(self.function, block, at)
        is_on, told, back = (Block(f"{name}.{which}") for which in ("on", "told", "back"))
        block.instructions[-1:] = [
            text(f"load i32, {self.word}", f"{name}.burst"),
            text(f"icmp eq i32 {name}.burst, 0", f"{name}.is.off"),
            text(f"br i1 {name}.is.off, label {goes_on.name}, label {is_on.name}, !prof !{self.likely}"),
        ]
        of_all, number_of, of_object = str(self.number), f"{name}.function", list[Instruction]()
        if self.object:
            of_all, number_of = f"{name}.number", f"{name}.of.object"
            of_object = [
                text(f"load i32, ptr {self.object}", f"{name}.first"),
                text(f"add i32 {name}.first, {self.number}", of_all),
                text(f"sub i32 {name}.function, {name}.first", number_of),
            ]
        is_on.instructions = [
            text(f"load i32, {self.word}", f"{name}.burst.now"),
            text(f"load i32, {self.burst}", f"{name}.burst.known"),
            text(f"icmp eq i32 {name}.burst.now, {name}.burst.known", f"{name}.is.known"),
            text(f"load ptr, {self.slot}", f"{name}.context"),
            text(f"getelementptr i8, ptr {name}.context, i64 {FUNCTION}", f"{name}.function.at"),
            text(f"load i32, ptr {name}.function.at", f"{name}.function"),
            *of_object,
            text(f"icmp eq i32 {number_of}, {self.number + 1}", f"{name}.is.own"),
            text(f"and i1 {name}.is.known, {name}.is.own", f"{name}.is.right"),
            text(f"br i1 {name}.is.right, label {back.name}, label {told.name}, !prof !{self.likely}"),
        ]
        back.instructions = [
            text(f"getelementptr i8, ptr {name}.context, i64 {PARENT}", f"{name}.parent.at"),
            text(f"load ptr, ptr {name}.parent.at", f"{name}.parent"),
            text(f"store ptr {name}.parent, {self.slot}"),
            text(f"br label {goes_on.name}"),
        ]
        told.instructions = [
            text(f"call preserve_mostcc void @{LEFT}(i32 {of_all})"),
            text(f"br label {goes_on.name}"),
        ]
        self.function.blocks += [is_on, told, back]

    def _describe(self) -> None:
        """Put the function's number before its code, by which its frames are known, and let these be found."""
        signature, distance = self.function.signature, "0"
        if self.object:
            places = (f"ptrtoint (ptr {each} to i64)" for each in (self.object, self.function.name))
            distance = f"trunc (i64 sub (i64 {', i64 '.join(places)}) to i32)"
        suffix = signature.suffix
        begin = _BEFORE_ATTRIBUTES.match(suffix)
        found = _AFTER_PREFIX.search(suffix)
        at, end = begin.end() if begin else 0, found.start() if found else len(suffix)
        words = f"prefix <{{ i64, i32, i32 }}> <{{ i64 {MAGIC}, i32 {self.number}, i32 {distance} }}>"
        parts = (suffix[:at].strip(), "uwtable", suffix[at:end].strip(), words, suffix[end:].strip())
        self.function.signature = replace(signature, suffix=" ".join(filter(None, parts)))
