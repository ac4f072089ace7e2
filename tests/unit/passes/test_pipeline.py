"""Running recipes: what comes out, what is logged, what is refused."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from sonde.errors import InputError, InternalError
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
    LlvmModule.from_text(text, "test").verify()

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
