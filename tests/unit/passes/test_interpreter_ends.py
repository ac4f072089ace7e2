"""Functions that an interpreter may call say that they end, before what they do last, and no others do."""

import pytest

from sonde.ir import parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.passes import CallProbes, InterpreterEnds, is_for_shared_library

_MODULE = """
@table = internal global [1 x ptr] [ptr @in_table]
declare i32 @other(i32)
define i32 @known(i32 %x) {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  %r = call i32 @hidden(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}
define internal i32 @in_table(i32 %x) {
  %r = tail call i32 @other(i32 %x)
  ret i32 %r
}
define internal i32 @hidden(i32 %x) noinline {
  ret i32 %x
}
define available_externally i32 @elsewhere(i32 %x) {
  ret i32 %x
}
"""


def test_ends_of_functions_that_may_be_known_say_so() -> None:
    module = parse_module(_MODULE)
    assert InterpreterEnds().insert(module) == ["@known", "@in_table"]
    CallProbes(None).insert(module)
    LlvmModule.from_text(print_module(module), "it").verify()
    said = {
        each.name: sum("@sn_probes_leave_linked" in line.text for block in each.blocks for line in block.instructions)
        for each in module.defined_functions()
    }
    assert said == {"@known": 2, "@in_table": 1, "@hidden": 0, "@elsewhere": 0}


def test_what_takes_the_functions_place_is_behind_its_end() -> None:
    module = parse_module(_MODULE)
    InterpreterEnds().insert(module)
    (rest,) = [block for block in module.functions["@in_table"].blocks if block.terminator.opcode == "ret"]
    assert [each.opcode for each in rest.instructions] == ["call", "ret"]


@pytest.mark.parametrize(
    ("levels", "is_shared"), [(("PIC",), True), (("PIC", "PIE"), False), ((), False)], ids=["pic", "pie", "fixed"]
)
def test_code_for_shared_libraries_is_known(levels: tuple[str, ...], is_shared: bool) -> None:
    flags = "".join(f'!{at} = !{{i32 8, !"{level} Level", i32 2}}\n' for at, level in enumerate(levels))
    named = ", ".join(f"!{at}" for at in range(len(levels)))
    assert is_for_shared_library(parse_module(f"!llvm.module.flags = !{{{named}}}\n{flags}")) == is_shared
