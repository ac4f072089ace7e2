"""Values that the optimised function might have: what does not compute is made up, what does is computed from it."""

import random
from collections.abc import Mapping

from sonde.ir.analyses import ControlFlow
from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.computation import Computation, constant_bits, read_computation
from sonde.ir.bookkeeping.evaluation import evaluate
from sonde.ir.bookkeeping.locations import Computed, Constant, Held, Location
from sonde.ir.bookkeeping.symbolic import number_of, read_symbolic
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.operands import operands_of, result_type
from sonde.ir.phi import incoming_of, phi_type
from sonde.ir.purity import is_plain_load

Bits = list[int | None]
"""A value in each sample; None where it is poison, or nothing is known."""


class Symbol(int):
    """A number that only stands for a value: equal ones are equal values, others may be equal values too."""


SAMPLES = 12
_SEED = 4  # any: the same answers each time


class Samples:
    """Numbers for every value of a function, in each of some made-up runs.

    Parameters, loads, calls and phis get numbers at random, small ones and large ones; pure instructions, and phis that
    only copy a value, what comes of them, or a symbol where that cannot be computed. So two expressions over the
    function's values that differ anywhere differ here, unless by bad luck.
    """

    def __init__(self, function: Function, named_types: Mapping[str, str]) -> None:
        self._chance = random.Random(_SEED)
        self._values: dict[str, Bits] = {}
        self._globals: dict[str, Bits] = {}
        self._loaded: dict[tuple[str, tuple[int | None, ...]], Bits] = {}
        self.function = function
        self.definitions = function.definitions()
        for parameter in function.parameters:
            self._values[parameter.name] = self._made_up(parameter.type)
        flow = ControlFlow.of(function)
        for number in flow.order:
            for instruction in function.blocks[number].instructions:
                if instruction.result is None:
                    continue
                self._values[instruction.result] = self._made_by(instruction, named_types)
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
        return [Symbol(number_of(f"{type_} {value}"))] * SAMPLES

    def loaded(self, type_: str, address: Bits) -> Bits:
        """What is in memory, whatever is stored meanwhile: the same wherever the address is the same."""
        if not any(each is not None for each in address):
            return _UNKNOWN
        key = (type_, tuple(address))
        if key not in self._loaded:
            numbers = self._made_up(type_)
            self._loaded[key] = [None if at is None else bits for at, bits in zip(address, numbers, strict=True)]
        return self._loaded[key]

    def at(self, location: Location | None, type_: str, changed: Mapping[str, Bits] | None = None) -> Bits:
        """The samples of what is at a location, as a value of a type."""
        match location:
            case Held(name, held_type):
                return _cut(self.of(name, held_type, changed), type_)
            case Constant(text, constant_type):
                return _cut(self.of(text, constant_type, changed), type_)
            case Computed(formula, operands, _):
                columns = [self.of(each.value, each.type, changed) for each in operands]
                return combined(columns, Computation(operands, lambda bits: evaluate(formula, bits)))
            case _:
                return _UNKNOWN

    def _made_by(self, instruction: Instruction, named_types: Mapping[str, str]) -> Bits:
        if is_plain_load(instruction):
            type_, pointer = loaded_from(instruction)
            loaded = self.loaded(type_, self.of(pointer, "ptr"))
            return self._made_up(type_) if loaded is _UNKNOWN else loaded
        if instruction.opcode == "phi" and (copied := copied_by(instruction)):
            return self.of(copied, phi_type(instruction))
        computation = computation_of(instruction, named_types)
        if computation is None:
            return self._made_up(result_type(instruction, named_types) or "")
        return combined([self.of(each.value, each.type) for each in computation.operands], computation)

    def _made_up(self, type_: str) -> Bits:
        chance = self._chance
        width = bit_width(type_)
        if width is None:
            return [Symbol(chance.getrandbits(64)) for _ in range(SAMPLES)]
        numbers: list[int] = []
        mask = (1 << width) - 1
        for sample in range(SAMPLES):
            # Small numbers, where much holds that is true of counters and sizes; others, where little does; and
            # those that can be divided by the sizes of things without rest.
            match sample % 4:
                case 0:
                    number = chance.randrange(16) if sample != 4 else 15 - numbers[0]
                case 1:  # the complement, too: of no bit do all samples say the same
                    number = chance.getrandbits(width) if sample != 5 else ~numbers[1]
                case 2:
                    number = chance.randrange(-128, 1024)
                case _:
                    number = chance.getrandbits(24) * 960
            numbers.append(number & mask)
        return [*numbers]


_UNKNOWN: Bits = [None] * SAMPLES
ANYTHING: Bits = [None] * SAMPLES
"""What is undefined, and so may be taken for any value. Compared with `is`."""


def copied_by(phi: Instruction) -> str | None:
    """The value that a phi gets from everywhere; None if they are several.

    The phi is the value itself wherever it is known: what dominates it is not made again without the phi being passed
    again, for every path to there leads through both, in this order.
    """
    values = {value for value, _ in incoming_of(phi)}
    return values.pop() if len(values) == 1 else None


def computation_of(instruction: Instruction, named_types: Mapping[str, str]) -> Computation | None:
    """How an instruction computes, exactly where that is known; None when it does not only compute."""
    return read_computation(instruction, named_types) or read_symbolic(instruction, named_types)


def loaded_from(load: Instruction) -> tuple[str, str]:
    """The type of what a load yields, and the pointer."""
    return result_type(load, {}) or "", operands_of(load)[0].value


def combined(columns: list[Bits], computation: Computation) -> Bits:
    """Compute sample by sample, where all that is needed is known."""
    if not columns:
        return _UNKNOWN
    results: Bits = []
    for row in zip(*columns, strict=True):
        known = [each for each in row if each is not None]
        value = computation.compute(known) if len(known) == len(row) else None
        is_exact = computation.is_exact and not any(isinstance(each, Symbol) for each in known)
        results.append(value if value is None or is_exact else Symbol(value))
    return results


def _cut(bits: Bits, type_: str) -> Bits:
    width = bit_width(type_)
    if width is None:
        return bits
    mask = (1 << width) - 1
    return [each if each is None or isinstance(each, Symbol) else each & mask for each in bits]
