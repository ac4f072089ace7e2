"""Trying what records say: some passes leave them as they are, and change the value that they name.

A record says that the original has just made a value, and where it is. The original's instruction says what that value
is made from; records that hold here say where those are. So the value can be computed from the optimised function's
values in two ways, and for numbers at random both must come to the same.

What has an effect, or reads memory, says nothing of what its value is. It is where the optimised function does the same
thing, for the same instruction of the original: LLVM also puts other things in its stead whose values differ (`bcmp`
for `memcmp` where only 0 is asked for).
"""

from dataclasses import dataclass, field
from typing import Literal

from sonde.ir.bookkeeping.computation import Computation
from sonde.ir.bookkeeping.instances import Instances, Origin
from sonde.ir.bookkeeping.knowledge import Course, Knowledge, State
from sonde.ir.bookkeeping.locations import Constant, Held, Location, Lost
from sonde.ir.bookkeeping.marks import MarkedFunction, Marks
from sonde.ir.bookkeeping.samples import (
    ANYTHING,
    Bits,
    Samples,
    Symbol,
    combined,
    computation_of,
    loaded_from,
)
from sonde.ir.call_site import CALLS, call_site
from sonde.ir.instruction import Instruction
from sonde.ir.operands import Operand, operands_of, result_type
from sonde.ir.phi import Incoming, incoming_of
from sonde.ir.purity import is_plain_load

Verdict = Literal["confirmed", "open", "refuted"]

_DEEPEST = 8
"""How many instructions of the original are followed back to something whose place is known."""


@dataclass(slots=True)
class Confirmation:
    """Judges what records of one optimised function say."""

    marks: Marks
    instances: Instances
    samples: Samples
    course: Course
    relied_on: set[Origin] = field(default_factory=set)
    """Values whose places the last judgement took for granted."""
    _stored: dict[str, list[tuple[Operand, str]]] = field(default_factory=dict)
    _computations: dict[tuple[str, int], Computation | None] = field(default_factory=dict)

    def judge(self, origin: Origin, location: Location, state: State) -> Verdict:
        """Whether a value is where a record says, when all else is where `state` says. Not for what `is_chosen`."""
        self.relied_on = set()
        instruction = self._marked(origin.instance).instructions.get(origin.number)
        if instruction is None and origin.instance == 0:
            return self._judge_parameter(origin, location)
        said = self.samples.at(location, self._type(origin))
        verdict = _compared(said, self._made(origin, state, 0))
        if instruction is None or self._computation(origin) is not None:
            return verdict
        if verdict == "confirmed" or self._is_done_still(origin, instruction, location):
            return "confirmed"
        is_stored = is_plain_load(instruction) and self._is_stored(origin, location, state)
        return "confirmed" if is_stored else "open"

    def judge_chosen(
        self,
        origin: Origin,
        location: Location,
        way: Knowledge,
        changed: dict[str, Bits] | None = None,
    ) -> Verdict:
        """The same for a value that `is_chosen`: it must be one of those that it may get.

        Args:
            way: what is known on the way to there.
            changed: what the optimised function's own phis get on that way.
        """
        self.relied_on = set()
        if isinstance(location, Held) and changed and changed.get(location.name) is ANYTHING:
            return "confirmed"
        said = self.samples.at(location, self._type(origin), changed)
        instance, choices = self._choices(origin)
        candidates = [
            self._value(instance, value, self._type(origin), way.values, 0)
            for value, block in choices
            if self._may_come_from(block, instance, way, origin)
        ]
        verdict: Verdict = "open"
        may_be_anything = any(each is ANYTHING for each in candidates)
        candidates = [each for each in candidates if each is not ANYTHING]
        for sample, bits in enumerate(said):
            possible = [each[sample] for each in candidates]
            if bits is None or not possible or None in possible:
                continue
            if bits in possible:
                verdict = "confirmed"
            elif any(isinstance(each, Symbol) for each in (bits, *possible)):
                return "open"
            elif not may_be_anything:
                return "refuted"
        return verdict

    def is_chosen(self, origin: Origin) -> bool:
        """Whether the value is one of several, by where the original came from: phis, results of inlined calls."""
        return self.is_phi(origin) or bool(self.instances.callees_of(origin))

    def _choices(self, origin: Origin) -> tuple[int, list[Incoming]]:
        """An instance, and the values there that the value may be, each with the block that it comes from."""
        callees = self.instances.callees_of(origin)
        if not callees:
            return origin.instance, incoming_of(self.instruction(origin))
        if len(callees) > 1:  # the call was copied, and inlined in each copy
            return origin.instance, []
        marked = self._marked(callees[0])
        returns = [number for number, each in marked.instructions.items() if each.opcode == "ret"]
        values = [operands_of(marked.instructions[number])[0].value for number in returns]
        return callees[0], [(value, marked.place(number).block) for value, number in zip(values, returns, strict=True)]

    def _judge_parameter(self, origin: Origin, location: Location) -> Verdict:
        """The function's own parameters are where they were, but where passes have changed its signature."""
        parameters = self.samples.function.parameters
        were = len(self._marked(origin.instance).places) - len(self._marked(origin.instance).instructions)
        place = self._marked(origin.instance).place(origin.number)
        now = parameters[origin.number - 1].name if len(parameters) == were else place.name
        return "confirmed" if isinstance(location, Held) and location.name == now else "open"

    def _is_done_still(self, origin: Origin, instruction: Instruction, location: Location) -> bool:
        """Whether the value is made by the same thing, which comes from the same place."""
        now = self.samples.definitions.get(location.name) if isinstance(location, Held) else None
        return (
            now is not None
            and now.location is not None
            and self.instances.origin(now.location) == origin
            and _operation(now) == _operation(instruction)
        )

    def _is_stored(self, origin: Origin, location: Location, state: State) -> bool:
        """Whether the original stores what is there to where it loads from."""
        type_, pointer = loaded_from(self.instruction(origin))
        instance = origin.instance
        address = self._value(instance, pointer, "ptr", state, 0)
        numbers = self._marked(instance).numbers
        for value, place in self._stores(self._marked(instance)):
            if value.type != type_:
                continue
            is_there = (
                state.get(Origin(instance, numbers[value.value])) == location
                if value.value.startswith("%")
                else location == Constant(value.value, type_)
            )
            if is_there and _compared(self._value(instance, place, "ptr", state, 0), address) == "confirmed":
                return True
        return False

    def _stores(self, marked: MarkedFunction) -> list[tuple[Operand, str]]:
        """What a function of the original stores, and where to."""
        if marked.name not in self._stored:
            both = [operands_of(each) for each in marked.instructions.values() if each.opcode == "store"]
            self._stored[marked.name] = [(value, place.value) for value, place in both]
        return self._stored[marked.name]

    def with_their_turns(self, origins: set[Origin]) -> frozenset[Origin]:
        """The values, and with each phi all that is made in its block: if it is of an earlier turn, so are they."""
        found = set(origins)
        for origin in origins:
            if self.is_phi(origin):
                marked = self._marked(origin.instance)
                numbers = marked.recorded[marked.place(origin.number).block]
                found.update(Origin(origin.instance, number) for number in numbers)
        return frozenset(found)

    def instruction(self, origin: Origin) -> Instruction:
        """The instruction of the original."""
        return self._marked(origin.instance).instructions[origin.number]

    def is_phi(self, origin: Origin) -> bool:
        marked = self._marked(origin.instance)
        return origin.number in marked.instructions and marked.instructions[origin.number].opcode == "phi"

    def _marked(self, instance: int) -> MarkedFunction:
        return self.marks.functions[self.instances.all[instance].function]

    def _type(self, origin: Origin) -> str:
        return self._marked(origin.instance).place(origin.number).type or ""

    def _may_come_from(self, block: str, instance: int, way: Knowledge, origin: Origin) -> bool:
        """Whether the original may have been at the end of a block, and then come to a value, by what it made last."""
        marked = self._marked(instance)
        newest = marked.last_made(block)
        ways = self.course.ways_of(marked)
        for last in (each for lasts in way.lasts for each in lasts):
            if last.instance != instance:
                return True
            if instance == origin.instance and ways.is_at_once(last.number, origin.number):
                if self._agrees(block, way, origin):
                    return True
            elif origin in way.values and not self.course.is_directly_from((last,), origin):
                return True  # it may be said once more
            elif ways.leads_to_end_of(last.number, block) and (
                newest is None or newest == last.number or marked.is_made_before(newest, last.number)
            ):
                return True
        return False

    def _agrees(self, block: str, way: Knowledge, origin: Origin) -> bool:
        """Whether the other phis that were made at once with one are constants that they may get from a block."""
        marked = self._marked(origin.instance)
        here = marked.place(origin.number).block
        for number in marked.recorded[here]:
            other = Origin(origin.instance, number)
            location = way.values.get(other)
            if location is None or other == origin or not self.is_phi(other):
                continue
            for value, source in incoming_of(marked.instructions[number]):
                if source == block and not value.startswith("%"):
                    type_ = self._type(other)
                    if _compared(self.samples.at(location, type_), self.samples.of(value, type_)) == "refuted":
                        return False
        return True

    def _made(self, origin: Origin, state: State, depth: int) -> Bits:
        """What the original's instruction makes of its operands."""
        marked = self._marked(origin.instance)
        if origin.number not in marked.instructions:
            return self._argument(origin, state, depth)
        computation = self._computation(origin)
        if computation is None:
            return self._read_again(origin, state, depth)
        columns = [
            self._value(origin.instance, each.value, each.type, state, depth + 1) for each in computation.operands
        ]
        return combined(columns, computation)

    def _read_again(self, origin: Origin, state: State, depth: int) -> Bits:
        """What is loaded, if nothing was stored there meanwhile; nothing for what has effects."""
        instruction = self.instruction(origin)
        if is_plain_load(instruction):
            type_, pointer = loaded_from(instruction)
            loaded = self.samples.loaded(type_, self._value(origin.instance, pointer, "ptr", state, depth + 1))
            return [None if each is None else Symbol(each) for each in loaded]
        return self.samples.at(None, "")

    def _computation(self, origin: Origin) -> Computation | None:
        marked = self._marked(origin.instance)
        key = (marked.name, origin.number)
        if key not in self._computations:
            self._computations[key] = computation_of(marked.instructions[origin.number], self.marks.module.types)
        return self._computations[key]

    def _argument(self, origin: Origin, state: State, depth: int) -> Bits:
        """A parameter is what the inlined call hands over."""
        instance = self.instances.all[origin.instance]
        if instance.caller is not None:
            call = self._marked(instance.caller).instructions[instance.call]
            if call.opcode in CALLS:
                arguments = call_site(call).arguments
                if origin.number <= len(arguments):
                    each = arguments[origin.number - 1]
                    return self._value(instance.caller, each.value, each.type, state, depth + 1)
        return self.samples.at(None, "")

    def _value(self, instance: int, text: str, type_: str, state: State, depth: int) -> Bits:
        """A value or constant of the original: from where it is, or made again if that is not known."""
        if not text.startswith("%"):
            return self.samples.of(text, type_)
        origin = Origin(instance, self._marked(instance).numbers[text])
        location = state.get(origin)
        if location is not None and not isinstance(location, Lost):
            self.relied_on.add(origin)
            return self.samples.at(location, type_)
        if depth > _DEEPEST or self.is_phi(origin):
            return self.samples.at(None, "")
        return self._made(origin, state, depth)


def _operation(instruction: Instruction) -> tuple[str, ...]:
    """What an instruction does; on what is left to its operands."""
    if instruction.opcode in CALLS:
        site = call_site(instruction)
        return site.callee if site.is_direct else "", site.return_type
    type_ = result_type(instruction, {}) if instruction.opcode == "load" else ""
    return instruction.opcode, type_ or ""


def _compared(said: Bits, made: Bits) -> Verdict:
    verdict: Verdict = "open"
    for left, right in zip(said, made, strict=True):
        if left is None or right is None:
            continue
        if left == right:
            verdict = "confirmed"
        elif isinstance(left, Symbol) or isinstance(right, Symbol):
            return "open"
        else:
            return "refuted"
    return verdict
