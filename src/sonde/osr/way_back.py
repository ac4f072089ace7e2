"""The way back: from code that LLVM optimised to the code it was made from, by LLVM's own books.

What the original's values are in the optimised code is known from the debug records that the passes kept
(`sonde.ir.bookkeeping`); instructions that make them again are the compensation code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from sonde.ir import CALLS, Function, Instruction, call_site
from sonde.ir.analyses import Place
from sonde.ir.bookkeeping import (
    FunctionMapping,
    Lost,
    MarkedFunction,
    Origin,
    Trust,
    compensation,
    mark,
    read_back,
    without_debug_information,
)
from sonde.osr.continuation import live_values
from sonde.osr.landing import Code
from sonde.osr.refusals import Refused
from sonde.osr.state_map import StateMap
from sonde.passes import parse_recipe


@dataclass(frozen=True, slots=True)
class Optimised:
    """A version that LLVM's passes made, and the books of it."""

    code: Code
    original: Code
    _mapping: FunctionMapping
    _marked: MarkedFunction

    def points(self) -> list[Place]:
        """Where it can be left for the original: right before calls that are one in both."""
        found = []
        for block in self.code.body.blocks:
            for at, each in enumerate(block.instructions):
                place = Place(block.name, at)
                if each.opcode in CALLS and not call_site(each).is_intrinsic:
                    try:
                        self.way_back(place)
                    except Refused:
                        continue
                    found.append(place)
        return found

    def way_back(self, place: Place) -> tuple[Place, StateMap]:
        """The same point of the original, and how its live values are made there.

        Args:
            place: right before a call in `code`: up to there, both have done the same to memory.
        Raises:
            Refused: `live value`: it is no call, comes from several or none of the original's, or a value that the
                original needs is not known there.
        Guarantee: going on at the point with the values does what the original would have done, as far as LLVM's
            records are right (`docs/limitations.md`).
        """
        instruction = self.code.body.block(place.block).instructions[place.at]
        where = f"{self.code.name} at {place.block}+{place.at}"
        if instruction.opcode not in CALLS or call_site(instruction).is_intrinsic:
            raise Refused("live value", f"what {where} is about to do is no call: '{instruction}'")
        origin = self._mapping.origin_of(place.block, place.at)
        if origin is None or origin.instance or len(self._mapping.copies_of(origin)) != 1:
            raise Refused("live value", f"{where} is not one point of {self.original.name}: '{instruction}'")
        there = self._marked.place(origin.number)
        back = Place(there.block, there.at)
        known = self._mapping.locations_at(place.block, place.at, origin)
        numbers = self._marked.numbers
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


def optimise(f: Code, passes: Sequence[str], version: str, *, trust: Trust = "confirmed") -> Optimised:
    """Make a version of a function by passes, LLVM's and ours, and keep the books.

    Its code has no debug information.

    Args:
        passes: as recipes name them (`parse_recipe`): single ones, of LLVM's or ours, and levels.
        version: the name of the new version.
        trust: which of LLVM's records are believed.
    Raises:
        UsageError: what `parse_recipe` and `VirtualMachine.clone` say.
    """
    recipe = parse_recipe(",".join(passes))
    module, body = f.copied()
    marks = mark(module, [body.name])
    after = recipe.run(marks.module, functions=[body.name], explains=False).module
    mapping = read_back(marks, after, trust=trust).function(body.name)
    made = f.machine.clone(f.function, f.version, version)
    try:
        f.machine.body_to_change(f.function, made)  # its symbol, and what it stands on
        plain = without_debug_information(after)
        changed = plain.functions.pop(body.name)
        plain.functions[made.symbol] = Function(changed.signature.named(made.symbol), changed.blocks)
        f.machine.replace_body(f.function, made, plain, 2, ",".join(passes))
    except BaseException:
        f.machine.drop(f.function, made)
        raise
    return Optimised(Code(f.machine, f.function, made), f, mapping, marks.functions[body.name])
