"""What a small function does, found by doing it slowly: for edits that must not change it.

It knows the instructions that `ir_programs.functions` makes, and those that edits add. `@g` throws for every fifth
argument; every call is remembered with what it was given.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sonde.ir import Function, Instruction, incoming_of

_STEPS = 4_000
_EVENTS = 40

Event = tuple[str, int]
Value = object


@dataclass
class _Slot:
    """A piece of memory: bytes, or one thing that is no number."""

    data: bytearray = field(default_factory=lambda: bytearray(16))
    thing: Value = None


@dataclass(frozen=True)
class Behaviour:
    """Calls and how it ended; not ended when it ran for too long."""

    events: tuple[Event, ...]
    end: str | None

    def agrees_with(self, other: "Behaviour") -> bool:
        """Whether they are equal as far as both were seen."""
        if self.end is not None and other.end is not None:
            return self == other
        seen = min(len(self.events), len(other.events))
        return self.events[:seen] == other.events[:seen]


def behaviour_of(function: Function, arguments: dict[str, int]) -> Behaviour:
    """Run a function on numbers for its parameters, by name."""
    return _Run(function, dict(arguments)).run()


def behaviour_left_at(
    function: Function, arguments: dict[str, int], block: str, at: int, go_on: Function, values: Sequence[str]
) -> Behaviour | None:
    """Run a function, and leave it right before an instruction the first time that it is there: another one goes on.

    Args:
        at: behind the block's phis.
        go_on: is given `values` of the first, or constants.
    Returns: what both did; None: the first was never there.
    """
    left = _Run(function, dict(arguments))
    left.leave_at = function.block(block).instructions[at]
    before = left.run()
    if before.end != "left":
        return None
    given = {
        parameter.name: left.value(left.plain_name(value) if value.startswith("%") else value)
        for parameter, value in zip(go_on.parameters, values, strict=True)
    }
    after = _Run(go_on, given)
    after.events = left.events
    return after.run()


class _Run:
    def __init__(self, function: Function, values: dict[str, Value]) -> None:
        self.function = function
        self.plain: dict[str, str] = {}
        self.values = {self.plain_name(name): value for name, value in values.items()}
        self.events: list[Event] = []
        self.before = ""
        self.leave_at: Instruction | None = None

    def run(self) -> Behaviour:
        blocks = self.function.blocks_by_name()
        block = self.function.entry
        for _ in range(_STEPS):
            after = self.block_done(block.instructions)
            if after.startswith("end "):
                return Behaviour(tuple(self.events), after.removeprefix("end ") if after == "end left" else after)
            if len(self.events) >= _EVENTS:
                break
            self.before, block = block.name, blocks[after]
        return Behaviour(tuple(self.events), None)

    def plain_name(self, name: str) -> str:
        """A name for a name that may have blanks and commas in it."""
        return self.plain.setdefault(name, f"%{len(self.plain)}")

    def words(self, each: Instruction) -> str:
        """Its text with plain names, without alignment and attachments."""
        text = "".join(self.plain_name(piece) if piece.startswith("%") else piece for piece in each.pieces)
        return text.partition(", align")[0].partition(", !")[0]

    def block_done(self, instructions: list[Instruction]) -> str:
        """Do a block; the name of the next, or how all ends."""
        phis = [each for each in instructions if each.opcode == "phi"]
        taken = {}
        for phi in phis:
            text = {block: value for value, block in incoming_of(phi)}[self.before]
            taken[self.plain_name(phi.result or "")] = self.value(self.plain.get(text, text))
        self.values.update(taken)
        for each in instructions[len(phis) : -1]:
            if each is self.leave_at:
                return "end left"
            value = self.done(each)
            if each.result:
                self.values[self.plain_name(each.result)] = value
        if instructions[-1] is self.leave_at:
            return "end left"
        return self.left(instructions[-1])

    def done(self, each: Instruction) -> Value:
        words = self.words(each)
        match each.opcode:
            case "alloca":
                return _Slot()
            case "landingpad":
                return "exception"
            case "add":
                found = re.fullmatch(r"add (?:nsw )?i(\d+) (.*), (.*)", words)
                assert found
                return (self.number(found[2]) + self.number(found[3])) & (1 << int(found[1])) - 1
            case "icmp":
                one, other = re.sub(r"^icmp eq i64 ", "", words).split(", ")
                return int(self.number(one) == self.number(other))
            case "freeze":
                return self.value(words.split(" i32 ")[1])
            case "select":
                condition, one, other = (part.split(" ", 1)[1] for part in words.removeprefix("select ").split(", "))
                return self.value(one if self.number(condition) & 1 else other)
            case "load":
                type_, pointer = words.removeprefix("load ").rsplit(", ptr ", 1)
                return self.loaded(type_, pointer)
            case "store":
                stored, pointer = words.removeprefix("store ").rsplit(", ptr ", 1)
                type_, _, stored = stored.rpartition(" ")
                self.store(type_, stored, pointer)
                return None
            case "call":
                return self.called(words)
        raise NotImplementedError(each.text)

    def loaded(self, type_: str, pointer: str) -> Value:
        slot = self.value(pointer)
        assert isinstance(slot, _Slot)
        return int.from_bytes(slot.data[:4], "little") if type_ == "i32" else slot.thing

    def store(self, type_: str, stored: str, pointer: str) -> None:
        slot = self.value(pointer)
        assert isinstance(slot, _Slot)
        if type_ in ("i32", "i16"):
            size = 4 if type_ == "i32" else 2
            slot.data[:size] = (self.number(stored) & (1 << 8 * size) - 1).to_bytes(size, "little")
        else:
            slot.thing = self.value(stored)

    def called(self, words: str) -> Value:
        if "@llvm." in words or "call void asm " in words:
            return None
        if "@escape(" in words:
            slot = self.value(words[words.index("@escape(ptr ") + 12 : -1])
            assert isinstance(slot, _Slot)
            self.events.append(("escape", int.from_bytes(slot.data[:4], "little")))
            return None
        found = re.search(r"@g\(i32 (?:noundef )?(.*?)\)", words)
        assert found, words
        argument = self.number(found[1])
        self.events.append(("g", argument))
        return (argument * 7 + 3) & 0xFFFFFFFF

    def left(self, each: Instruction) -> str:
        successors, words = each.successors(), self.words(each)
        match each.opcode:
            case "ret":
                return f"end {self.number(words.rpartition(' ')[2])}"
            case "unreachable":
                return "end unreachable"
            case "br" if len(successors) == 1:
                return successors[0]
            case "br":
                return successors[not self.number(words.split(",")[0].split(" ")[2]) & 1]
            case "switch":
                tested = self.number(words.split(",")[0].split(" ")[2])
                cases = re.findall(r"i32 (\d+), label", words)
                return successors[cases.index(str(tested)) + 1 if str(tested) in cases else 0]
            case "invoke":
                value = self.called(words)
                if isinstance(self.events[-1][1], int) and self.events[-1][1] % 5 == 0:
                    return successors[1]
                assert each.result
                self.values[self.plain_name(each.result)] = value
                return successors[0]
        raise NotImplementedError(each.text)

    def value(self, text: str) -> Value:
        if text in self.values:
            return self.values[text]
        return {"poison": 0, "true": 1, "false": 0}.get(text) if not text.lstrip("-").isdigit() else int(text)

    def number(self, text: str) -> int:
        value = self.value(text)
        assert isinstance(value, int), text
        return value
