"""Numbers that are known before the tool runs: of the module, and initial values of fields."""

import ast
from collections.abc import Callable

from sonde.instruments.memory.toolkit import int64

_Number = int | float | bool

_INT_OPERATORS: dict[type[ast.operator], Callable[[int, int], object]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: int64.divided,
    ast.FloorDiv: int64.floor_divided,
    ast.Mod: int64.remainder,
    ast.BitAnd: lambda left, right: left & right,
    ast.BitOr: lambda left, right: left | right,
    ast.BitXor: lambda left, right: left ^ right,
    ast.LShift: int64.shifted_left,
    ast.RShift: int64.shifted_right,
}
_FLOAT_OPERATORS: dict[type[ast.operator], Callable[[float, float], object]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: int64.divided,
}


def constant(node: ast.expr) -> _Number | None:
    """The value of `1 << 20`, `-2.5`, `True`; None of what is no such thing, or does not fit into 64 bits.

    >>> constant(ast.parse("64 * 1024", mode="eval").body)
    65536
    """
    match node:
        case ast.Constant(value=bool() | int() | float() as number):
            return number if isinstance(number, bool | float) or number <= int64.HIGHEST else None
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            value = constant(inner)
            if value is None:
                return None
            return _number(int64.wrapped(-value if isinstance(node.op, ast.USub) else +value))
        case ast.BinOp(op=operator, left=before, right=behind):
            left, right = constant(before), constant(behind)
            try:
                if isinstance(left, int) and isinstance(right, int) and type(operator) in _INT_OPERATORS:
                    return _number(int64.wrapped(_INT_OPERATORS[type(operator)](left, right)))
                if left is not None and right is not None and type(operator) in _FLOAT_OPERATORS:
                    return _number(_FLOAT_OPERATORS[type(operator)](left, right))
            except int64.Fault:
                return None
    return None


def _number(value: object) -> _Number:
    assert isinstance(value, int | float)
    return value
