"""Computing without knowing how: the same operation on the same operands gives the same number, whatever it means.

This is for floating point, vectors, aggregates and LLVM's arithmetic intrinsics, of which it need only be found out
whether a value is still made as it was: an uninterpreted function of its operands.
"""

import re
from collections.abc import Callable, Mapping
from hashlib import blake2b

from sonde.ir.bookkeeping.computation import Computation
from sonde.ir.call_site import call_site, find_type
from sonde.ir.instruction import Instruction
from sonde.ir.operands import operands_of, result_type
from sonde.ir.purity import is_pure
from sonde.ir.types import split_list

_PURE_INTRINSIC = re.compile(
    r"@llvm\.(?:abs|[su](?:max|min)|bswap|bitreverse|ctpop|ct[lt]z|fsh[lr]|[su](?:add|sub|mul)\.(?:with\.overflow|sat)"
    r"|fabs|sqrt|fma|fmuladd|floor|ceil|trunc|rint|nearbyint|round|roundeven|copysign|minnum|maxnum)\."
)


def read_symbolic(instruction: Instruction, named_types: Mapping[str, str]) -> Computation | None:
    """Read an instruction that only computes, on whatever; None for others.

    Guarantee: two instructions with the same number for the same operands yield the same, unless by a collision of a
        hash of 64 bits, or where one of them yields poison.
    """
    if instruction.opcode == "call":
        site = call_site(instruction)
        if not _PURE_INTRINSIC.match(site.callee):
            return None
        operation = site.callee
        operands = operands_of(instruction)[:-1]
    elif is_pure(instruction):
        operands = operands_of(instruction)
        operation = _operation(instruction, len(operands))
    else:
        return None
    types = [each.type for each in operands]
    key = f"{operation} {types} {result_type(instruction, named_types)}"
    return Computation(tuple(operands), _numbering(key), is_exact=False)


def _operation(instruction: Instruction, operands: int) -> str:
    """What is done to so many operands, but for their types: flags and metadata do not belong to it."""
    opcode, text = instruction.opcode, instruction.text
    begin, end = find_type(text, len(opcode) + 1)
    match opcode:
        case "icmp" | "fcmp":
            return f"{opcode} {text[:begin].split()[-1]}"
        case "getelementptr":
            return f"{opcode} {text[begin:end]}"
        case "extractvalue" | "insertvalue":
            indices = [part for part in split_list(text[begin:])[operands:] if part.isdigit()]
            return f"{opcode} {indices}"
        case _:
            return opcode


def number_of(key: str) -> int:
    """A number that stands for a text, always the same."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little")


def _numbering(key: str) -> Callable[[list[int]], int]:
    return lambda bits: number_of(f"{key} {bits}")
