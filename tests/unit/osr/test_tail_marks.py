"""Which calls are marked as `tail`."""

import pytest

from sonde.ir import parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.osr.tail_marks import mark_tail_calls

_TEXT = """
declare i64 @g(i64)
declare i64 @at(ptr)
declare i64 @copied(ptr byval(i64))
declare i32 @setjmp(ptr) returns_twice
declare i64 @llvm.abs.i64(i64, i1)
define i64 @f({parameters}) {{
  {body}
}}
"""
_RET = "\n  ret i64 %x"


@pytest.mark.parametrize(
    ("parameters", "body", "marked"),
    [
        ("i64 %n", "%y = call i64 @g(i64 %n)\n  %x = call i64 @g(i64 %y)", 2),
        ("i64 %n", "%y = notail call i64 @g(i64 %n)\n  %x = tail call i64 @g(i64 %y)", 1),
        ("i64 %n", '%y = call i64 asm "", "=r,0"(i64 %n)\n  %x = call i64 @llvm.abs.i64(i64 %y, i1 false)', 0),
        ("i64 %n", "%slot = alloca i64\n  store i64 %n, ptr %slot\n  %x = call i64 @at(ptr %slot)", 0),
        ("ptr %p", "%x = call i64 @copied(ptr byval(i64) %p)", 0),
        ("ptr byval(i64) %p", "%x = call i64 @at(ptr %p)", 0),
        ("i64 %n, ...", "%x = call i64 @g(i64 %n)", 0),
        ("ptr %p", "%s = call i32 @setjmp(ptr %p) returns_twice\n  %x = call i64 @at(ptr %p)", 0),
    ],
)
def test_calls_are_tail_calls_where_the_frame_has_nothing_for_them(parameters: str, body: str, marked: int) -> None:
    module = parse_module(LlvmModule.from_text(_TEXT.format(parameters=parameters, body=body + _RET), "f").text())
    mark_tail_calls(module, module.functions["@f"])
    text = print_module(module)
    LlvmModule.from_text(text, "marked")
    assert text.count(" tail call") == marked
