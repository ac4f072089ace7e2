"""What LLVM writes when it salvages a value, read as arithmetic; and what is refused."""

import pytest

from sonde.ir import Operand
from sonde.ir.bookkeeping import Computed, Constant, Formula, Held, Location, Lost, compensation, evaluate, read_formula

WIDE = "DW_OP_LLVM_convert, 32, DW_ATE_{0}, DW_OP_LLVM_convert, 64, DW_ATE_{0}, DW_OP_stack_value"


def read(expression: str, types: list[str], result_type: str) -> Formula:
    formula = read_formula(expression, types, result_type)
    assert formula is not None
    return formula


@pytest.mark.parametrize(
    ("expression", "types", "result_type", "arguments", "value"),
    [
        ("DW_OP_plus_uconst, 5, DW_OP_stack_value", ["i8"], "i8", [253], 2),
        ("DW_OP_constu, 3, DW_OP_minus, DW_OP_stack_value", ["i8"], "i8", [1], 254),
        ("DW_OP_constu, 7, DW_OP_mul, DW_OP_stack_value", ["i64"], "i64", [6], 42),
        ("DW_OP_consts, 18446744073709551615, DW_OP_mul, DW_OP_stack_value", ["i32"], "i32", [5], 2**32 - 5),
        ("DW_OP_constu, 2, DW_OP_shra, DW_OP_stack_value", ["i8"], "i8", [0x80], 0xE0),
        ("DW_OP_constu, 2, DW_OP_shr, DW_OP_stack_value", ["i8"], "i8", [0x80], 0x20),
        ("DW_OP_constu, 1, DW_OP_shl, DW_OP_stack_value", ["i8"], "i8", [0x81], 2),
        ("DW_OP_constu, 2, DW_OP_div, DW_OP_stack_value", ["i8"], "i8", [0xFD], 0xFF),
        ("DW_OP_constu, 2, DW_OP_mod, DW_OP_stack_value", ["i8"], "i8", [0xFD], 0xFF),
        ("DW_OP_LLVM_arg, 1, DW_OP_LLVM_arg, 0, DW_OP_minus, DW_OP_stack_value", ["i16", "i16"], "i16", [1, 5], 4),
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_and, DW_OP_LLVM_arg, 0, DW_OP_or, DW_OP_stack_value",
         ["i8", "i8"], "i8", [0b1100, 0b1010], 0b1100),
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_xor, DW_OP_stack_value", ["i8", "i8"], "i8", [6, 5], 3),
        (WIDE.format("signed"), ["i32"], "i64", [2**31], 2**64 - 2**31),
        (WIDE.format("unsigned"), ["i32"], "i64", [2**31], 2**31),
        ("DW_OP_LLVM_convert, 64, DW_ATE_unsigned, DW_OP_LLVM_convert, 8, DW_ATE_unsigned, DW_OP_stack_value",
         ["i64"], "i8", [0x1FF], 0xFF),
        ("DW_OP_constu, 5, DW_OP_eq, DW_OP_stack_value", ["i32"], "i1", [5], 1),
        ("DW_OP_consts, 5, DW_OP_lt, DW_OP_stack_value", ["i8"], "i1", [0xFF], 1),
        ("DW_OP_constu, 5, DW_OP_lt, DW_OP_stack_value", ["i8"], "i1", [0xFF], 0),
        ("DW_OP_constu, 5, DW_OP_ge, DW_OP_stack_value", ["i8"], "i1", [5], 1),
        ("", ["i64"], "i8", [0x1FF], 0xFF),
        ("", ["i64"], "ptr", [77], 77),
        ("", ["double"], "i64", [0x3FF0000000000000], 0x3FF0000000000000),
    ],
)  # fmt: skip
def test_an_expression_is_arithmetic_of_its_width(
    expression: str, types: list[str], result_type: str, arguments: list[int], value: int
) -> None:
    assert evaluate(read(expression, types, result_type), arguments) == value


@pytest.mark.parametrize(
    ("expression", "types", "result_type"),
    [
        ("DW_OP_LLVM_fragment, 0, 32", ["i64"], "i64"),
        ("DW_OP_deref", ["ptr"], "i64"),
        ("", ["i8"], "i64"),  # what are the upper bits?
        ("", ["i32"], "<2 x i16>"),
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_lt, DW_OP_stack_value", ["i8", "i8"], "i1"),  # signed or not?
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value", ["i8", "i64"], "i64"),
        ("DW_OP_constu, 1, DW_OP_plus, DW_OP_stack_value", ["i128"], "i128"),
        ("DW_OP_constu, 1, DW_OP_constu, 2, DW_OP_plus, DW_OP_plus, DW_OP_stack_value", ["i8"], "i8"),
        ("DW_OP_constu, 1, DW_OP_stack_value", ["i8"], "i8"),
        ("DW_OP_plus, DW_OP_stack_value", ["i8"], "i8"),
        ("DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_LLVM_convert, 64, DW_ATE_unsigned", ["i32"], "i64"),
        ("DW_OP_LLVM_convert, 64, DW_ATE_signed, DW_OP_stack_value", ["i32"], "i64"),
        ("DW_OP_LLVM_convert, 64, DW_ATE_float, DW_OP_stack_value", ["i64"], "i64"),
        ("DW_OP_constu, 0, DW_OP_LLVM_convert, 8, DW_ATE_signed, DW_OP_plus", ["i8"], "i8"),
        ("DW_OP_dup, DW_OP_plus, DW_OP_stack_value", ["i8"], "i8"),
    ],
)
def test_an_expression_that_leaves_a_doubt_is_refused(expression: str, types: list[str], result_type: str) -> None:
    assert read_formula(expression, types, result_type) is None


@pytest.mark.parametrize(
    ("expression", "arguments"),
    [
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_div, DW_OP_stack_value", [5, 0]),
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_mod, DW_OP_stack_value", [0x80, 0xFF]),
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_shl, DW_OP_stack_value", [1, 8]),
        ("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_shr, DW_OP_constu, 1, DW_OP_plus, DW_OP_stack_value", [1, 9]),
    ],
)
def test_what_stops_the_program_or_is_poison_has_no_value(expression: str, arguments: list[int]) -> None:
    assert evaluate(read(expression, ["i8", "i8"], "i8"), arguments) is None


def code_for(location: Location, type_: str) -> list[str] | None:
    names = (f"%new{number}" for number in range(100))
    made = compensation(location, type_, names.__next__)
    return None if made is None else [*map(str, made[0]), made[1]]


def test_what_is_held_or_constant_needs_no_code() -> None:
    assert code_for(Held("%x", "i32"), "i32") == ["%x"]
    assert code_for(Constant("7", "i32"), "i32") == ["7"]
    assert code_for(Lost("poison"), "i32") is None


def test_a_pointer_that_became_a_number_becomes_a_pointer_again() -> None:
    assert code_for(Held("%x", "i64"), "ptr") == ["%new0 = inttoptr i64 %x to ptr", "%new0"]
    assert code_for(Held("%x", "i64"), "double") == ["%new0 = bitcast i64 %x to double", "%new0"]
    assert code_for(Held("%x", "ptr"), "i64") == ["%new0 = ptrtoint ptr %x to i64", "%new0"]


def test_a_formula_becomes_instructions_in_order() -> None:
    formula = read("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_constu, 8, DW_OP_mul, DW_OP_plus, DW_OP_stack_value",
                   ["ptr", "i64"], "ptr")  # fmt: skip
    location = Computed(formula, (Operand("ptr", "%base"), Operand("i64", "%i")), "ptr")

    assert code_for(location, "ptr") == [
        "%new0 = ptrtoint ptr %base to i64",
        "%new1 = mul i64 %i, 8",
        "%new2 = add i64 %new0, %new1",
        "%new3 = inttoptr i64 %new2 to ptr",
        "%new3",
    ]


def test_a_formula_of_one_bit_has_true_and_false() -> None:
    formula = read("DW_OP_constu, 1, DW_OP_xor, DW_OP_stack_value", ["i1"], "i1")
    assert code_for(Computed(formula, (Operand("i1", "%x"),), "i1"), "i1") == ["%new0 = xor i1 %x, true", "%new0"]
