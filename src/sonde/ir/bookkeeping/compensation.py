"""Instructions that make a value of the original again, from where it is now."""

from collections.abc import Callable, Sequence

from sonde.ir.bookkeeping.bit_width import bit_width
from sonde.ir.bookkeeping.formula import Argument, Conversion, Formula, Number
from sonde.ir.bookkeeping.locations import Computed, Constant, Held, Location, Lost
from sonde.ir.instruction import Instruction


def compensation(location: Location, type_: str, fresh: Callable[[], str]) -> tuple[list[Instruction], str] | None:
    """Instructions without effects that yield the original value.

    Args:
        location: where it is.
        type_: of the original value.
        fresh: gives a name that nothing has, each time another.
    Returns:
        the instructions and the name or constant that is the value after them; None when it is lost.
    Guarantee: what is yielded is what `evaluate` says, wherever that says something.

    >>> from sonde.ir.bookkeeping.formula import read_formula
    >>> from sonde.ir.operands import Operand
    >>> formula = read_formula("DW_OP_constu, 7, DW_OP_mul, DW_OP_stack_value", ["i32"], "i32")
    >>> code, value = compensation(Computed(formula, (Operand("i32", "%x"),), "i32"), "i32", iter(["%new"]).__next__)
    >>> print(*code, value)
    %new = mul i32 %x, 7 %new
    """
    code: list[Instruction] = []
    match location:
        case Lost():
            return None
        case Held(name, held_type) | Constant(name, held_type):
            if held_type == type_:
                return code, name
            return code, _cast(code, name, held_type, type_, fresh)
        case Computed(formula, operands, _):
            bits = [_cast(code, each.value, each.type, _word(each.type), fresh) for each in operands]
            value = _write(code, formula, bits, fresh)
            return code, _cast(code, value, f"i{formula.width}", type_, fresh)


def _word(type_: str) -> str:
    return f"i{bit_width(type_)}"


def _cast(code: list[Instruction], value: str, from_type: str, to_type: str, fresh: Callable[[], str]) -> str:
    """The same bits as another type."""
    if from_type == to_type:
        return value
    if from_type == "ptr":
        word = _add(code, f"ptrtoint ptr {value} to i64", fresh)
        return _cast(code, word, "i64", to_type, fresh)
    if to_type == "ptr":
        word = _cast(code, value, from_type, "i64", fresh)
        return _add(code, f"inttoptr i64 {word} to ptr", fresh)
    return _add(code, f"bitcast {from_type} {value} to {to_type}", fresh)


def _write(code: list[Instruction], formula: Formula, arguments: Sequence[str], fresh: Callable[[], str]) -> str:
    match formula:
        case Argument(index, _):
            return arguments[index]
        case Number(value, width):
            return str(value) if width > 1 else ("true" if value else "false")
        case Conversion(name, operand, width):
            inner = _write(code, operand, arguments, fresh)
            return _add(code, f"{name} i{operand.width} {inner} to i{width}", fresh)
    left = _write(code, formula.left, arguments, fresh)
    right = _write(code, formula.right, arguments, fresh)
    return _add(code, f"{formula.name} i{formula.left.width} {left}, {right}", fresh)


def _add(code: list[Instruction], body: str, fresh: Callable[[], str]) -> str:
    code.append(Instruction.from_text(body, fresh()))
    assert code[-1].result is not None
    return code[-1].result
