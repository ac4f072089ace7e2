"""What instructions that only compute come to, for given numbers: integers and pointers, not floating point."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.evaluation import compare, operate, signed
from sonde.ir.bookkeeping.type_layout import layout_of, offsets_of
from sonde.ir.instruction import Instruction
from sonde.ir.operands import Operand, operands_of, result_type
from sonde.ir.purity import flags_of
from sonde.ir.types import struct_members, type_end

_CASTS = ("trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast")
_ARRAY = re.compile(r"\[([0-9]+) x (.*)\]\Z")
_NO_TYPES: Mapping[str, str] = {}

Compute = Callable[[list[int]], int | None]


@dataclass(frozen=True, slots=True)
class Computation:
    """An instruction, ready to be computed many times."""

    operands: tuple[Operand, ...]
    compute: Compute
    """From the operands' bits to those of the result; None where the result is poison."""
    is_exact: bool = True
    """Else the result is not LLVM's, but a number that is the same for the same operation on the same operands."""


def read_computation(instruction: Instruction, named_types: Mapping[str, str] = _NO_TYPES) -> Computation | None:
    """Read an instruction; None when it does not only compute, or on more than single integers and pointers.

    Args:
        named_types: of the module: without them, addresses of fields of named types are not computed.

    >>> each = read_computation(Instruction.from_text("add nsw i8 %x, 1", "%y"))
    >>> each.compute([4, 1]), each.compute([127, 1])
    (5, None)
    """
    opcode = instruction.opcode
    flags = flags_of(instruction)
    if opcode == "getelementptr":
        return _address(instruction, named_types)
    if opcode not in _COMPUTED and opcode not in _CASTS:
        return None
    operands = tuple(operands_of(instruction))
    widths = [bit_width(each.type) for each in operands]
    if None in widths or any(each.type in ("half", "bfloat", "float", "double") for each in operands):
        return None
    width = widths[-1] or 0
    if opcode in _CASTS:
        to_type = result_type(instruction, {}) or ""
        to_width = bit_width(to_type)
        if to_width is None or to_type in ("half", "bfloat", "float", "double"):
            return None
        return Computation(operands, _cast(opcode, flags, width, to_width))
    if opcode == "icmp":
        relation = instruction.text.split(" ")[2 if flags else 1]
        is_same_sign = "samesign" in flags
        return Computation(operands, lambda bits: _compared(relation, bits[0], bits[1], width, is_same_sign))
    if opcode == "select":
        return Computation(operands, lambda bits: bits[1] if bits[0] else bits[2])
    if opcode == "freeze":
        return Computation(operands, lambda bits: bits[0])
    return Computation(operands, lambda bits: _operated(opcode, flags, bits[0], bits[1], width))


_COMPUTED = frozenset(
    (
        "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "icmp",
        "select", "freeze",
    )
)  # fmt: skip


def constant_bits(text: str, type_: str) -> int | None:
    """The bits of a constant; None for what is not a plain number.

    >>> constant_bits("-1", "i8"), constant_bits("true", "i1"), constant_bits("null", "ptr"), constant_bits("@x", "ptr")
    (255, 1, 0, None)
    """
    width = bit_width(type_)
    if width is None:
        return None
    if text in ("true", "false", "null"):
        return int(text == "true")
    if text.lstrip("-").isdigit():
        return int(text) & ((1 << width) - 1)
    return None


def _operated(opcode: str, flags: list[str], left: int, right: int, width: int) -> int | None:
    result = operate(opcode, left, right, width)
    if result is None or not flags:
        return result
    if "disjoint" in flags and left & right:
        return None
    if "exact" in flags:
        undone = operate("shl" if opcode.endswith("shr") else "mul", result, right, width)
        if undone != left:
            return None
    for flag, read in (("nsw", signed), ("nuw", _unsigned)):
        if flag in flags:
            right_read = right if opcode == "shl" else read(right, width)
            if read(result, width) != _EXACTLY[opcode](read(left, width), right_read):
                return None
    return result


_EXACTLY: dict[str, Callable[[int, int], int]] = {
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
    "shl": lambda left, right: left << right,
}


def _unsigned(value: int, _width: int) -> int:
    return value


def _compared(relation: str, left: int, right: int, width: int, is_same_sign: bool) -> int | None:
    if is_same_sign and (left ^ right) >> (width - 1):
        return None
    return int(compare(relation, left, right, width))


def _cast(opcode: str, flags: list[str], width: int, to_width: int) -> Compute:
    mask = (1 << to_width) - 1

    def cast(bits: list[int]) -> int | None:
        value = bits[0]
        if opcode == "sext":
            return signed(value, width) & mask
        result = value & mask
        if "nneg" in flags and value >> (width - 1):
            return None
        if opcode == "trunc" and (
            ("nuw" in flags and result != value)
            or ("nsw" in flags and signed(result, to_width) != signed(value, width))
        ):
            return None
        return result

    return cast


def _address(instruction: Instruction, named_types: Mapping[str, str]) -> Computation | None:
    operands = tuple(operands_of(instruction))
    text = instruction.text
    start = text.index(" ") + 1
    while (end := type_end(text, start)) == start:  # flags
        start = text.index(" ", start) + 1
    scales: list[int] = []
    offset = 0  # of fields, whose indices are constants
    type_ = text[start:end]
    for index in range(1, len(operands)):
        if index > 1:
            if (offsets := offsets_of(type_, named_types)) is not None:
                if not operands[index].value.isdigit():  # a vector of indices, all the same
                    return None
                field = int(operands[index].value)
                offset += offsets[field]
                scales.append(0)
                type_ = (struct_members(type_, named_types) or ())[field]
                continue
            array = _ARRAY.match(type_)
            if array is None:
                return None
            type_ = array[2]
        layout = layout_of(type_, named_types)
        if layout is None:
            return None
        scales.append(layout[0])
    widths = [bit_width(each.type) for each in operands]
    if not all(each.type == "ptr" or each.type.startswith("i") for each in operands) or None in widths:
        return None

    def address(bits: list[int]) -> int | None:
        sum_ = bits[0] + offset
        for value, width, scale in zip(bits[1:], widths[1:], scales, strict=True):
            sum_ += signed(value, width or 0) * scale
        return sum_ & ((1 << 64) - 1)

    return Computation(operands, address)
