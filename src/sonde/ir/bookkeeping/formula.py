"""Formulas: how a value that is gone can be computed from values that are there, as LLVM wrote it down.

When a pass deletes an instruction whose value some variable has, LLVM tries to *salvage* it: the record gets the
operands and a DWARF expression. DWARF computes in words of the machine and leaves open what is above the bits of a
narrower value; what is meant is the instruction that was deleted. So the expression is read as arithmetic of the width
of its operands, and refused where that leaves a doubt.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sonde.ir.bookkeeping.bit_width import bit_width

_ARITHMETIC = {
    "DW_OP_plus": "add",
    "DW_OP_minus": "sub",
    "DW_OP_mul": "mul",
    "DW_OP_div": "sdiv",
    "DW_OP_mod": "srem",
    "DW_OP_and": "and",
    "DW_OP_or": "or",
    "DW_OP_xor": "xor",
    "DW_OP_shl": "shl",
    "DW_OP_shr": "lshr",
    "DW_OP_shra": "ashr",
}
_COMPARISONS = {
    "DW_OP_eq": "eq",
    "DW_OP_ne": "ne",
    "DW_OP_lt": "lt",
    "DW_OP_le": "le",
    "DW_OP_gt": "gt",
    "DW_OP_ge": "ge",
}
_WIDEST = 64
"""Constants of wider arithmetic do not fit into LLVM's expressions."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One of the values that are there: its bits."""

    index: int
    width: int


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: int
    """From 0 to 2 ** width - 1."""
    width: int


@dataclass(frozen=True, slots=True)
class Operation:
    """`add`, `icmp slt` and so on, as LLVM's instructions of that name, without flags."""

    name: str
    left: "Formula"
    right: "Formula"
    width: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """`trunc`, `zext` or `sext`."""

    name: str
    operand: "Formula"
    width: int


Formula = Argument | Number | Operation | Conversion


@dataclass(frozen=True, slots=True)
class _Literal:
    """A constant whose width is that of what it meets."""

    value: int
    is_signed: bool


def read_formula(expression: str, types: Sequence[str], result_type: str) -> Formula | None:
    """Read an expression.

    Args:
        expression: what stands in the brackets of `!DIExpression(...)`.
        types: of the values that it starts from.
        result_type: of the value it describes.
    Returns:
        None where it is not certain what it says: fragments, memory, comparisons of which it is not known whether
        they are signed, values whose upper bits are not said.

    >>> read_formula("DW_OP_constu, 7, DW_OP_mul, DW_OP_stack_value", ["i32"], "i32")
    Operation(name='mul', left=Argument(index=0, width=32), right=Number(value=7, width=32), width=32)
    >>> read_formula("", ["i64"], "i8")
    Conversion(name='trunc', operand=Argument(index=0, width=64), width=8)
    """
    widths = [bit_width(type_) for type_ in types]
    width = bit_width(result_type)
    if width is None or None in widths:
        return None
    arguments = [Argument(index, each) for index, each in enumerate(widths) if each is not None]
    words = expression.split(", ") if expression else []
    stack: list[Formula | _Literal] = [] if "DW_OP_LLVM_arg" in words else [arguments[0]]
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "DW_OP_stack_value" and at == len(words):
            break
        taken = _read_step(word, words, at, stack, arguments)
        if taken is None:
            return None
        at += taken
    if len(stack) != 1 or isinstance(stack[0], _Literal):
        return None
    return _fitted(stack[0], width)


def _read_step(
    word: str, words: list[str], at: int, stack: list[Formula | _Literal], arguments: list[Argument]
) -> int | None:
    """Do one step on the stack; how many words it took from `at` on, or None if it is not understood."""
    if word == "DW_OP_LLVM_arg":
        stack.append(arguments[int(words[at])])
        return 1
    if word in ("DW_OP_constu", "DW_OP_consts"):
        value = int(words[at])
        stack.append(_Literal(value, word == "DW_OP_consts"))
        return 1
    if word == "DW_OP_plus_uconst":
        stack.append(_Literal(int(words[at]), False))
        return 1 if _operate("DW_OP_plus", stack) else None
    if word == "DW_OP_LLVM_convert":
        return _read_conversion(words, at, stack)
    return 0 if _operate(word, stack) else None


def _operate(word: str, stack: list[Formula | _Literal]) -> bool:
    if len(stack) < 2:
        return False
    right, left = stack.pop(), stack.pop()
    is_signed = right.is_signed if isinstance(right, _Literal) else None
    if isinstance(left, _Literal) and not isinstance(right, _Literal):
        left = _number(left, right.width)
    if isinstance(right, _Literal) and not isinstance(left, _Literal):
        right = _number(right, left.width)
    if isinstance(left, _Literal) or isinstance(right, _Literal):
        return False
    if left.width != right.width or left.width > _WIDEST:
        return False
    if word in _ARITHMETIC:
        stack.append(Operation(_ARITHMETIC[word], left, right, left.width))
        return True
    relation = _COMPARISONS.get(word)
    if relation is None:
        return False
    if relation not in ("eq", "ne"):
        # LLVM tells signed from unsigned by the constant's kind only; DWARF does not tell at all.
        if is_signed is None:
            return False
        relation = ("s" if is_signed else "u") + relation
    stack.append(Operation(f"icmp {relation}", left, right, 1))
    return True


def _read_conversion(words: list[str], at: int, stack: list[Formula | _Literal]) -> int | None:
    """Read a conversion, which LLVM writes as two: to the width it is from, which changes nothing, then to another."""
    kinds = {words[at + 1]}
    widths = [int(words[at])]
    if words[at + 2 : at + 3] == ["DW_OP_LLVM_convert"]:
        widths.append(int(words[at + 3]))
        kinds.add(words[at + 4])
    if not stack or len(kinds) > 1 or not kinds <= {"DW_ATE_signed", "DW_ATE_unsigned"}:
        return None
    value = stack.pop()
    narrow = None if isinstance(value, _Literal) else _fitted(value, widths[0])
    if narrow is None:
        return None
    last = widths[-1]
    if last > narrow.width:
        stack.append(Conversion("sext" if "DW_ATE_signed" in kinds else "zext", narrow, last))
    else:
        stack.append(_fitted(narrow, last) or narrow)
    return 3 * len(widths) - 1


def _fitted(value: Formula, width: int) -> Formula | None:
    """The lower bits of a value; None when it does not have as many."""
    if value.width == width:
        return value
    return Conversion("trunc", value, width) if value.width > width else None


def _number(literal: _Literal, width: int) -> Number:
    return Number(literal.value & ((1 << width) - 1), width)
