"""A pass in forty lines: multiplications by powers of two become shifts."""

from dataclasses import dataclass
from typing import ClassVar

from sonde.ir import Function, Instruction, Module, operands_of
from sonde.passes import ChangeLog, option


@dataclass(frozen=True, slots=True)
class MultiplyByShifting:
    """Let `mul x, 2**n` be `shl x, n`.

    Guarantee: the program does the same; what the multiplication promised is promised no more.
    Cost: O(instructions).
    Source: any compiler's strength reduction.
    """

    name: ClassVar[str] = "toy-multiply-by-shifting"
    about: ClassVar[str] = "shift where a multiplication is by a power of two"

    largest: int = option(63, "the largest distance to shift by")

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        for block in function.blocks:
            for at, each in enumerate(block.instructions):
                if each.opcode != "mul" or each.result is None:
                    continue
                left, right = operands_of(each)
                if not right.value.isdigit() or int(right.value).bit_count() != 1:
                    continue
                distance = int(right.value).bit_length() - 1
                if distance > self.largest:
                    continue
                shift = Instruction.from_text(f"shl {left.type} {left.value}, {distance}", each.result)
                shift.location, shift.records = each.location, each.records
                block.instructions[at] = shift
                log.add(function.name, "changed", each.result, shift.text)
