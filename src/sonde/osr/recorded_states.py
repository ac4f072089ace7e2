"""The way back by LLVM's own books: what debug records say of the original's values, where that is confirmed.

What the original's values are in the optimised code is known from the records that the passes kept
(`sonde.ir.bookkeeping`); instructions that make them again are the compensation code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from sonde.ir import CALLS, Instruction, call_site
from sonde.ir.analyses import Place
from sonde.ir.bookkeeping import FunctionMapping, Lost, MarkedFunction, Origin, compensation
from sonde.osr.code import Code
from sonde.osr.inlined_frames import CarriedFrame
from sonde.osr.live_values import live_values
from sonde.osr.refusals import Refused
from sonde.osr.state_map import StateMap


@dataclass(frozen=True, slots=True)
class RecordedStates:
    """What records say of a version that passes made."""

    code: Code
    original: Code
    mapping: FunctionMapping
    marked: MarkedFunction
    lost: Mapping[Place, str] = field(default_factory=dict)
    """Nothing was promised."""
    inlined: Mapping[Place, Sequence[CarriedFrame]] = field(default_factory=dict)
    """Records tell of one frame only."""

    def places(self) -> list[Place]:
        """Right before calls."""
        return [
            Place(block.name, at)
            for block in self.code.body.blocks
            for at, each in enumerate(block.instructions)
            if each.opcode in CALLS and not call_site(each).is_intrinsic
        ]

    def way_back(self, place: Place) -> tuple[Place, StateMap]:
        """The same point of the original, and how its live values are made there.

        Raises:
            Refused: `live value`: it is no call, comes from several or none of the original's, or a value that the
                original needs is not known there.
        """
        instruction = self.code.body.block(place.block).instructions[place.at]
        where = f"{self.code.name} at {place.block}+{place.at}"
        if instruction.opcode not in CALLS or call_site(instruction).is_intrinsic:
            raise Refused("live value", f"what {where} is about to do is no call: '{instruction}'")
        origin = self.mapping.origin_of(place.block, place.at)
        if origin is None or origin.instance or len(self.mapping.copies_of(origin)) != 1:
            raise Refused("live value", f"{where} is not one point of {self.original.name}: '{instruction}'")
        there = self.marked.place(origin.number)
        back = Place(there.block, there.at)
        known = self.mapping.locations_at(place.block, place.at, origin)
        numbers = self.marked.numbers
        module, body = self.original.copied()
        values: dict[str, str] = {}
        code: list[Instruction] = []
        fresh = (f"%back.{number}" for number in count()).__next__
        for value in live_values(body, back, module.types):
            location = known.get(Origin(0, numbers[value.name]))
            made = None if location is None else compensation(location, value.type, fresh)
            if made is None:
                why = location.reason if isinstance(location, Lost) else "nothing is known of it"
                raise Refused("live value", f"{where} has no {value.name} of {self.original.name}: {why}")
            code += made[0]
            values[value.name] = made[1]
        return back, StateMap(values, tuple(code))
