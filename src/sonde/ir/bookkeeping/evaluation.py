"""What a formula comes to, for given arguments."""

from collections.abc import Callable, Sequence

from sonde.ir.bookkeeping.formula import Argument, Conversion, Formula, Number


def evaluate(formula: Formula, arguments: Sequence[int]) -> int | None:
    """The value of a formula.

    Args:
        arguments: the bits of its arguments, as numbers that are not negative.
    Returns:
        the bits of the result; None where LLVM's instructions would yield poison or stop the program: a shift by too
        much, a division by zero or out of range.

    >>> from sonde.ir.bookkeeping.formula import read_formula
    >>> evaluate(read_formula("DW_OP_constu, 3, DW_OP_shra, DW_OP_stack_value", ["i8"], "i8"), [0x80])
    240
    """
    match formula:
        case Argument(index, width):
            return arguments[index] & _mask(width)
        case Number(value, _):
            return value
        case Conversion(name, operand, width):
            inner = evaluate(operand, arguments)
            if inner is None:
                return None
            return (signed(inner, operand.width) if name == "sext" else inner) & _mask(width)
    left, right = evaluate(formula.left, arguments), evaluate(formula.right, arguments)
    if left is None or right is None:
        return None
    operand_width = formula.left.width
    if formula.name.startswith("icmp "):
        return int(compare(formula.name[5:], left, right, operand_width))
    return operate(formula.name, left, right, operand_width)


def operate(name: str, left: int, right: int, width: int) -> int | None:
    """What LLVM's instruction of that name yields; None as in `evaluate`."""
    return _OPERATIONS[name](left, right, width)


def _mask(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The number that these bits are, read as two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def compare(relation: str, left: int, right: int, width: int) -> bool:
    """Whether a relation of `icmp` holds."""
    if relation.startswith("s"):
        left, right = signed(left, width), signed(right, width)
    match relation[-2:]:
        case "eq":
            return left == right
        case "ne":
            return left != right
        case "lt":
            return left < right
        case "le":
            return left <= right
        case "gt":
            return left > right
        case _:
            return left >= right


def _divided(left: int, right: int, width: int) -> tuple[int, int] | None:
    """Quotient and remainder, rounded towards zero."""
    dividend, divisor = signed(left, width), signed(right, width)
    if divisor == 0 or (divisor == -1 and dividend == -1 << (width - 1)):
        return None
    quotient = abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)
    return quotient & _mask(width), (dividend - quotient * divisor) & _mask(width)


def _quotient(left: int, right: int, width: int) -> int | None:
    divided = _divided(left, right, width)
    return None if divided is None else divided[0]


def _remainder(left: int, right: int, width: int) -> int | None:
    divided = _divided(left, right, width)
    return None if divided is None else divided[1]


_OPERATIONS: dict[str, Callable[[int, int, int], int | None]] = {
    "add": lambda left, right, width: (left + right) & _mask(width),
    "sub": lambda left, right, width: (left - right) & _mask(width),
    "mul": lambda left, right, width: (left * right) & _mask(width),
    "sdiv": _quotient,
    "udiv": lambda left, right, _: left // right if right else None,
    "urem": lambda left, right, _: left % right if right else None,
    "srem": _remainder,
    "and": lambda left, right, _: left & right,
    "or": lambda left, right, _: left | right,
    "xor": lambda left, right, _: left ^ right,
    "shl": lambda left, right, width: (left << right) & _mask(width) if right < width else None,
    "lshr": lambda left, right, width: left >> right if right < width else None,
    "ashr": lambda left, right, width: (signed(left, width) >> right) & _mask(width) if right < width else None,
}
