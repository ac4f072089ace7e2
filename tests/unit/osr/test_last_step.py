"""What checks become before machine code is made of them."""

import platform
import re

import pytest

from sonde.ir import Module, parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.osr.last_step import last_step

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="there is no last step elsewhere")

_FLAG = "load atomic i64, ptr getelementptr inbounds ({}) monotonic, align 8"
_LOOP = """
@sonde.osr.cell.5 = external global [8 x i64], align 64
define double @f(double %x, i64 %n) {{
entry:
  br label %head
head:
  %y = phi double [ %x, %entry ], [ %z, %rest ]
  %left = phi i64 [ %n, %entry ], [ %osr.left, %rest ]
  {check}
  br i1 %osr.fires, label %osr.fire, label %rest
osr.fire:
  %stays = icmp ne i64 %left, 7
  br i1 %stays, label %rest, label %osr.go
osr.go:
  ret double %y
rest:
  %z = {first} double %y, %x
  %large = fcmp ogt double %z, 1.000000e+03
  br i1 %large, label %out, label %head
out:
  ret double %z
}}
"""
_COUNTER = "%osr.left = add i64 %left, -1\n  %osr.fires = icmp eq i64 %osr.left, 0"
_BY_FLAG = f"%osr.left = add i64 %left, 0\n  %osr.flag = {_FLAG}\n  %osr.fires = icmp ne i64 %osr.flag, 0"


def _module(check: str, first: str = "fmul") -> Module:
    module = parse_module(_LOOP.format(check=check, first=first))
    LlvmModule.from_text(print_module(module), "before")
    return module


def _after(module: Module, *, has_switches: bool = True) -> str:
    before = print_module(module)
    text = print_module(last_step(module, has_switches=has_switches))
    assert print_module(module) == before
    LlvmModule.from_text(text, "after").object(2)
    return text


@pytest.mark.parametrize("address", ["i64, ptr @sonde.osr.cell.5, i64 1", "i8, ptr @sonde.osr.cell.5, i64 8"])
def test_a_flag_is_a_byte_of_code_and_its_check_is_in_the_table(address: str) -> None:
    text = _after(_module(_BY_FLAG.format(address)))
    assert "load atomic" not in text
    assert ".quad sonde.osr.cell.5" in text
    assert LlvmModule.from_text(text, "f").assembly(2).count("clc") == 1


def test_another_word_of_the_cell_and_a_machine_without_switches_are_loaded() -> None:
    assert "load atomic" in _after(_module(_BY_FLAG.format("i64, ptr @sonde.osr.cell.5, i64 2")))
    assert "load atomic" in _after(_module(_BY_FLAG.format("i64, ptr @sonde.osr.cell.5, i64 1")), has_switches=False)


def test_a_module_without_points_is_returned_as_it_is() -> None:
    module = parse_module("define void @f() {\n  ret void\n}\n")
    assert last_step(module, has_switches=True) is module


@pytest.mark.parametrize(("first", "moves"), [("fmul", True), ("fadd fast", True), ("fdiv", False)])
def test_the_check_is_behind_the_first_operation_on_floating_point_numbers(first: str, moves: bool) -> None:
    text = _after(_module(_COUNTER, first))
    assert (text.index("%z =") < text.index("%osr.left = ")) == moves
    assert ('asm sideeffect "", "x"(double %z)' in text) == moves


_COUNT = """%osr.left = add i64 %left, 0
  %osr.before = load atomic i64, ptr {0} monotonic, align 8
  %osr.passed = add i64 %osr.before, 1
  store atomic i64 %osr.passed, ptr {0} monotonic, align 8
  %osr.fires = icmp {1}"""
_PASSED = "getelementptr inbounds (i64, ptr @sonde.osr.cell.5, i64 2)"
_PASSED_AS_BYTES = "getelementptr inbounds nuw (i8, ptr @sonde.osr.cell.5, i64 16)"
_REACHED = "sge i64 %osr.passed, 0"


@pytest.mark.parametrize(
    ("address", "reached", "is_one"),
    [
        (_PASSED, _REACHED, True),
        (_PASSED_AS_BYTES, "sgt i64 %osr.passed, -1", True),
        (_PASSED, "sge i64 %osr.passed, 1", False),
        (_PASSED, "sge i64 %osr.before, 0", False),
        (_PASSED.replace("i64 2", "i64 3"), _REACHED, False),
    ],
)
def test_a_count_in_memory_and_its_check_are_two_instructions(address: str, reached: str, is_one: bool) -> None:
    text = _after(_module(_COUNT.format(address, reached)))
    assert ("load atomic" not in text) == is_one
    assembly = LlvmModule.from_text(text, "f").assembly(2)
    assert (re.search(r"\tincq\t16\(%\w+\)\n\t#NO_APP\n\tjn?s\t", assembly) is not None) == is_one
