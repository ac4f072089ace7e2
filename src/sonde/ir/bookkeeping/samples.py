"""Values that the optimised function might have: what does not compute is made up, what does is computed from it."""

import random
from collections.abc import Mapping

from sonde.ir.analyses import ControlFlow
from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.computation import Compute, constant_bits, read_computation
from sonde.ir.bookkeeping.evaluation import evaluate
from sonde.ir.bookkeeping.locations import Computed, Constant, Held, Location
from sonde.ir.function import Function
from sonde.ir.operands import result_type
from sonde.ir.phi import incoming_of, phi_type

Bits = list[int | None]
"""A value in each sample; None where it is poison, or nothing is known."""

SAMPLES = 12
_SEED = 4  # any: the same answers each time


class Samples:
    """Numbers for every value of a function, in each of some made-up runs.

    Parameters, loads, calls and phis get numbers at random, small ones and large ones; pure instructions what comes of
    them. So two expressions over the function's values that differ anywhere differ here, unless by bad luck.
    """

    def __init__(self, function: Function, named_types: Mapping[str, str]) -> None:
        self._chance = random.Random(_SEED)
        self._values: dict[str, Bits] = {}
        self._globals: dict[str, Bits] = {}
        for parameter in function.parameters:
            self._values[parameter.name] = self._made_up(parameter.type)
        flow = ControlFlow.of(function)
        for number in flow.order:
            for instruction in function.blocks[number].instructions:
                if instruction.result is None:
                    continue
                computation = read_computation(instruction)
                if computation is None:
                    type_ = result_type(instruction, named_types) or ""
                    self._values[instruction.result] = self._made_up(type_)
                    continue
                columns = [self.of(each.value, each.type) for each in computation.operands]
                self._values[instruction.result] = combined(columns, computation.compute)
        self.incoming: dict[str, dict[str, dict[str, Bits]]] = {}
        """Block -> block before it -> phi -> what it gets from there."""
        for number in flow.order:
            block = function.blocks[number]
            for phi in block.phis():
                for value, source in incoming_of(phi):
                    sources = self.incoming.setdefault(block.name, {})
                    sources.setdefault(source, {})[phi.result or ""] = self.of(value, phi_type(phi))

    def of(self, value: str, type_: str, changed: Mapping[str, Bits] | None = None) -> Bits:
        """The samples of a value or constant.

        Args:
            changed: samples of values that are others than those of the function.
        """
        if value.startswith("%"):
            if changed and value in changed:
                return changed[value]
            return self._values.get(value, _UNKNOWN)
        if value in ("undef", "poison"):
            return ANYTHING
        bits = constant_bits(value, type_)
        if bits is not None:
            return [bits] * SAMPLES
        if type_ == "ptr" and value.startswith("@"):
            if value not in self._globals:
                self._globals[value] = self._made_up("ptr")
            return self._globals[value]
        return _UNKNOWN

    def at(self, location: Location | None, type_: str, changed: Mapping[str, Bits] | None = None) -> Bits:
        """The samples of what is at a location, as a value of a type."""
        match location:
            case Held(name, held_type):
                return _cut(self.of(name, held_type, changed), type_)
            case Constant(text, constant_type):
                return _cut(self.of(text, constant_type, changed), type_)
            case Computed(formula, operands, _):
                columns = [self.of(each.value, each.type, changed) for each in operands]
                return combined(columns, lambda bits: evaluate(formula, bits))
            case _:
                return _UNKNOWN

    def _made_up(self, type_: str) -> Bits:
        width = bit_width(type_)
        if width is None:
            return _UNKNOWN
        chance = self._chance
        numbers = []
        for sample in range(SAMPLES):
            # Small numbers, where much holds that is true of counters and sizes; others, where little does; and
            # those that can be divided by the sizes of things without rest.
            match sample % 4:
                case 0:
                    number = chance.randrange(16)
                case 1:
                    number = chance.getrandbits(width)
                case 2:
                    number = chance.randrange(-128, 1024)
                case _:
                    number = chance.getrandbits(24) * 960
            numbers.append(number & ((1 << width) - 1))
        return [*numbers]


_UNKNOWN: Bits = [None] * SAMPLES
ANYTHING: Bits = [None] * SAMPLES
"""What is undefined, and so may be taken for any value. Compared with `is`."""


def combined(columns: list[Bits], compute: Compute) -> Bits:
    """Compute sample by sample, where all that is needed is known."""
    if not columns:
        return _UNKNOWN
    results: Bits = []
    for row in zip(*columns, strict=True):
        known = [each for each in row if each is not None]
        results.append(compute(known) if len(known) == len(row) else None)
    return results


def _cut(bits: Bits, type_: str) -> Bits:
    width = bit_width(type_)
    if width is None:
        return _UNKNOWN
    mask = (1 << width) - 1
    return [None if each is None else each & mask for each in bits]
