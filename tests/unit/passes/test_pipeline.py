"""Running recipes: what comes out, what is logged, what is refused."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from sonde.base.errors import InputError, InternalError
from sonde.ir import Function, Instruction, Module, parse_module, print_module
from sonde.ir.bookkeeping import mark
from sonde.llvm import LlvmModule
from sonde.passes import Change, ChangeLog, Pipeline, parse_recipe

PROGRAM = """
define i32 @f(i32 %x, i1 %c) {
entry:
  %slot = alloca i32
  store i32 %x, ptr %slot
  br i1 %c, label %then, label %out
then:
  %a = load i32, ptr %slot
  %b = add i32 %a, 0
  %d = mul i32 %b, %x
  %e = mul i32 %x, %b
  %s = add i32 %d, %e
  store i32 %s, ptr %slot
  br label %out
out:
  %r = load i32, ptr %slot
  ret i32 %r
}
define internal void @unused() {
  ret void
}
"""


def module() -> Module:
    return parse_module(LlvmModule.from_text(PROGRAM, "test").text())


@dataclass(frozen=True, slots=True)
class BreakEverything:
    """Leaves a use without a definition."""

    name: ClassVar[str] = "break-everything"
    about: ClassVar[str] = "break everything"

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        function.entry.instructions.insert(0, Instruction.from_text("add i32 %nowhere, 1", "%broken"))


@dataclass(frozen=True, slots=True)
class BreakDominance:
    """Uses a value before it is made, which LLVM can read but not verify."""

    name: ClassVar[str] = "break-dominance"
    about: ClassVar[str] = "use a value too early"

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        if "%s" in function.definitions():
            block = function.block("%then")
            block.instructions.insert(0, Instruction.from_text("add i32 %s, 1", "%early"))
            block.instructions.insert(1, Instruction.from_text("store i32 %early, ptr %slot"))


def test_steps_run_in_order_and_the_outcome_verifies() -> None:
    outcome = parse_recipe("sroa,eliminate-common-subexpressions,instcombine,globaldce").run(module())
    text = print_module(outcome.module)
    LlvmModule.from_text(text, "test")

    assert "alloca" not in text and "@unused" not in text
    assert text.count("mul i32") == 1


def test_each_step_says_what_it_did() -> None:
    outcome = parse_recipe("sroa,eliminate-common-subexpressions,instcombine,globaldce").run(module())
    log = [str(each) for each in outcome.log]

    assert "sroa: @f: %slot deleted" in log
    assert "sroa: @f: %a replaced by %x" in log
    assert "sroa: @f: store i32 %x, ptr %slot, align 4 deleted" in log
    assert "eliminate-common-subexpressions: @f: %e replaced by %d" in log
    assert "instcombine: @f: %b replaced by %x" in log and "instcombine: @f: %s changed to shl i32 %d, 1" in log
    assert "globaldce: @unused: @unused deleted" in log


def test_what_llvm_did_need_not_be_found_out() -> None:
    outcome = parse_recipe("sroa,newgvn").run(module(), explains=False)
    assert outcome.log == [] and "alloca" not in print_module(outcome.module)


def test_the_module_is_the_same_explained_or_not() -> None:
    recipe = parse_recipe("sroa,eliminate-common-subexpressions,newgvn,O2")
    one, other = recipe.run(module()), recipe.run(module(), explains=False)
    assert print_module(one.module) == print_module(other.module)


def test_a_moved_and_a_new_instruction_of_llvms_are_told() -> None:
    text = """
define i64 @g(i64 %n, i64 %k) {
entry:
  %big = mul i64 %k, %k
  %c = icmp eq i64 %n, 0
  br i1 %c, label %then, label %out
then:
  ret i64 %big
out:
  ret i64 0
}"""
    outcome = parse_recipe("sink").run(parse_module(LlvmModule.from_text(text, "test").text()))
    assert [str(each) for each in outcome.log] == ["sink: @g: %big moved from %entry to %then"]
    outcome = parse_recipe("reg2mem").run(parse_module(LlvmModule.from_text(text, "test").text()))
    assert any(each.action == "inserted" and "alloca" in each.detail for each in outcome.log)


def test_what_differs_from_place_to_place_is_not_said_to_be_one_thing() -> None:
    text = """
@a = global [4 x i32] zeroinitializer
define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %inc, %loop ]
  %s = phi i32 [ 0, %entry ], [ %add, %loop ]
  %p = getelementptr [4 x i32], ptr @a, i64 0, i64 %i
  %v = load i32, ptr %p
  %m = mul i32 %v, %n
  %add = add i32 %s, %m
  %inc = add i64 %i, 1
  %c = icmp ult i64 %inc, 4
  br i1 %c, label %loop, label %out
out:
  ret i32 %add
}"""
    outcome = parse_recipe("loop-unroll").run(parse_module(LlvmModule.from_text(text, "test").text()))
    log = [str(each).removeprefix("loop-unroll: @f: ") for each in outcome.log]
    assert "%inc deleted: where it is known, it is 1 or 2 or 3 or 4" in log
    assert "%i deleted: where it is known, it is 0 or 1 or 2 or 3" in log
    assert "%v copied: 4 times" in log and not any("always" in each for each in log)


def test_the_log_speaks_of_names_from_before_the_step() -> None:
    text = """
define i32 @f(i32 %0, i1 %1) {
  %3 = add i32 %0, 0
  %4 = mul i32 %3, %0
  br i1 %1, label %5, label %7
5:
  %6 = mul i32 %0, %3
  br label %7
7:
  %8 = phi i32 [ %4, %2 ], [ %6, %5 ]
  %9 = add i32 %8, %3
  ret i32 %9
}"""
    before = parse_module(LlvmModule.from_text(text, "test").text())
    outcome = parse_recipe("newgvn,reg2mem").run(before)
    log = [str(each).partition(" @f: ")[2] for each in outcome.log]
    assert log[:5] == [
        "%3 replaced by %0",
        "%4 changed to mul i32 %0, %0",
        "%6 replaced by %4",
        "%8 replaced by %4",
        "%9 changed to add i32 %4, %0",
    ]
    assert [each for each in log[5:] if "alloca point" not in each][
        :3
    ] == [  # which reads another module, where %4 and %9 are %3 and %6
        "br i1 %1, label %4, label %5 changed to br i1 %1, label %4, label %2.5_crit_edge",
        "%6 changed to add i32 %3.reload, %0",
        "%3.reg2mem inserted: alloca i32, align 4",
    ]


def test_our_passes_can_be_kept_to_some_functions() -> None:
    outcome = parse_recipe("eliminate-common-subexpressions").run(module(), functions=["@unused"])
    assert outcome.log == []


def test_a_pass_that_breaks_the_module_is_named() -> None:
    with pytest.raises(InternalError, match="break-everything") as refused:
        Pipeline((BreakEverything(),)).run(module())
    assert refused.value.slug == "pass-broke-module"


@pytest.mark.parametrize("verifies", [True, False])
@pytest.mark.parametrize("explains", [True, False])
def test_a_pass_that_breaks_a_module_with_debug_information_is_named(verifies: bool, explains: bool) -> None:
    recipe = Pipeline((BreakDominance(), *parse_recipe("eliminate-dead-code{keep-loads},sroa").steps))
    with pytest.raises(
        InternalError, match=r"after the pass 'break-dominance'.*: .*does not dominate all uses"
    ) as refused:
        recipe.run(mark(module()).module, verifies=verifies, explains=explains)
    assert refused.value.slug == "pass-broke-module"


def test_a_module_that_was_invalid_is_nobodys_fault() -> None:
    invalid = module()
    BreakDominance().run(invalid, invalid.functions["@f"], ChangeLog("by hand"))
    with pytest.raises(InputError, match="does not dominate all uses") as refused:
        parse_recipe("sroa,eliminate-dead-code").run(invalid)
    assert refused.value.slug == "invalid-ir"


def test_without_verifying_what_ours_leave_is_not_looked_at() -> None:
    Pipeline((BreakEverything(),)).run(module(), verifies=False)


def test_a_change_reads_as_a_sentence() -> None:
    assert str(Change("p", "@f", "moved", "%x", "from %a to %b")) == "p: @f: %x moved from %a to %b"
    assert str(Change("p", "@f", "constant", "%x", "7")) == "p: @f: %x is always 7"
    assert str(Change("p", "@f", "copied", "%x", "3 times")) == "p: @f: %x copied: 3 times"
    assert str(Change("p", "@f", "inserted", "br label %b")) == "p: @f: br label %b inserted"
