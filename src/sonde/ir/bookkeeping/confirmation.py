"""Trying what records say: some passes leave them as they are, and change the value that they name.

A record says that the original has just made a value, and where it is. The original's instruction says what that value
is made from; records that hold here say where those are. So the value can be computed from the optimised function's
values in two ways, and for numbers at random both must come to the same.
"""

from dataclasses import dataclass, field
from typing import Literal

from sonde.ir.bookkeeping.computation import Computation, read_computation
from sonde.ir.bookkeeping.instances import Instances, Origin
from sonde.ir.bookkeeping.knowledge import Knowledge, State
from sonde.ir.bookkeeping.locations import Held, Location, Lost
from sonde.ir.bookkeeping.marks import MarkedFunction, Marks
from sonde.ir.bookkeeping.samples import ANYTHING, Bits, Samples, combined
from sonde.ir.call_site import CALLS, call_site
from sonde.ir.instruction import Instruction
from sonde.ir.phi import incoming_of, phi_type

Verdict = Literal["confirmed", "open", "refuted"]

_DEEPEST = 8
"""How many instructions of the original are followed back to something whose place is known."""


@dataclass(slots=True)
class Confirmation:
    """Judges what records of one optimised function say."""

    marks: Marks
    instances: Instances
    samples: Samples
    relied_on: set[Origin] = field(default_factory=set)
    """Values whose places the last judgement took for granted."""
    _computations: dict[tuple[str, int], Computation | None] = field(default_factory=dict)

    def judge(self, origin: Origin, location: Location, state: State) -> Verdict:
        """Whether a value is where a record says, when all else is where `state` says. Not for phis."""
        self.relied_on = set()
        type_ = self._type(origin)
        return _compared(self.samples.at(location, type_), self._made(origin, state, 0))

    def judge_phi(
        self,
        origin: Origin,
        location: Location,
        way: Knowledge,
        changed: dict[str, Bits] | None = None,
    ) -> Verdict:
        """The same for a phi of the original: it must be one of the values that it may get.

        Args:
            way: what is known on the way to the phi.
            changed: what the optimised function's own phis get on that way.
        """
        self.relied_on = set()
        if isinstance(location, Held) and changed and changed.get(location.name) is ANYTHING:
            return "confirmed"
        said = self.samples.at(location, self._type(origin), changed)
        phi = self.instruction(origin)
        type_ = phi_type(phi)
        candidates = [
            self._value(origin.instance, value, type_, way.values, 0)
            for value, block in incoming_of(phi)
            if self._may_come_from(block, origin.instance, way)
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
            elif not may_be_anything:
                return "refuted"
        return verdict

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

    def can_confirm(self, origin: Origin) -> bool:
        """Whether the value is one that could be confirmed, were all it is made from known."""
        instruction = self._marked(origin.instance).instructions.get(origin.number)
        if instruction is None:
            return False
        if instruction.opcode == "phi":
            type_ = phi_type(instruction)
            return type_ == "ptr" or type_.startswith("i")
        return self._computation(origin) is not None

    def _marked(self, instance: int) -> MarkedFunction:
        return self.marks.functions[self.instances.all[instance].function]

    def _type(self, origin: Origin) -> str:
        return self._marked(origin.instance).place(origin.number).type or ""

    def _may_come_from(self, block: str, instance: int, way: Knowledge) -> bool:
        """Whether the original may have been at the end of a block, going by what it made last."""
        marked = self._marked(instance)
        newest = marked.last_made(block)
        return newest is None or any(
            last.instance != instance or newest == last.number or marked.is_made_before(newest, last.number)
            for lasts in way.lasts
            for last in lasts
        )

    def _made(self, origin: Origin, state: State, depth: int) -> Bits:
        """What the original's instruction makes of its operands."""
        marked = self._marked(origin.instance)
        if origin.number not in marked.instructions:
            return self._argument(origin, state, depth)
        computation = self._computation(origin)
        if computation is None:
            return self.samples.at(None, "")
        columns = [
            self._value(origin.instance, each.value, each.type, state, depth + 1) for each in computation.operands
        ]
        return combined(columns, computation.compute)

    def _computation(self, origin: Origin) -> Computation | None:
        marked = self._marked(origin.instance)
        key = (marked.name, origin.number)
        if key not in self._computations:
            self._computations[key] = read_computation(marked.instructions[origin.number])
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


def _compared(said: Bits, made: Bits) -> Verdict:
    verdict: Verdict = "open"
    for left, right in zip(said, made, strict=True):
        if left is None or right is None:
            continue
        if left != right:
            return "refuted"
        verdict = "confirmed"
    return verdict
