"""Instructions put in, taken out, moved and replaced; values replaced, kept on the stack, joined by phis."""

import pytest

from edited_ir import DEBUG_INFO, lines_of, module_of, verified_text
from sonde.ir import Function, Instruction, Module
from sonde.ir.edits import (
    add_phi,
    demote_to_stack,
    erase_instruction,
    insert_instruction,
    last_insertion_point,
    move_instruction,
    replace_all_uses,
    replace_instruction,
    replace_many_uses,
)

_WITH_RECORDS = (
    """
    define i32 @f(i32 %n) !dbg !4 {
    entry:
      %a = add i32 %n, 1
        #dbg_value(i32 %a, !7, !DIExpression(), !10)
      %b = mul i32 %n, 2
      br label %out
    out:
        #dbg_value(!DIArgList(i32 %a, i32 %b), !7, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !10)
      ret i32 %b
    }
"""
    + DEBUG_INFO
)


def _function(text: str = _WITH_RECORDS) -> tuple[Module, Function]:
    module = module_of(text)
    return module, module.functions["@f"]


def test_what_is_inserted_comes_right_before_or_ahead_of_the_records() -> None:
    module, function = _function()
    entry = function.entry
    insert_instruction(function, entry, 1, Instruction.from_text("add i32 %n, 8", "%x"))
    insert_instruction(function, entry, 1, Instruction.from_text("add i32 %n, 9", "%y"), ahead_of_records=True)
    assert [line.partition("(")[0].partition(" ")[0] for line in lines_of(entry)] == [
        "%a", "%y", "#dbg_value", "%x", "%b", "br",
    ]  # fmt: skip
    verified_text(module)


@pytest.mark.parametrize(
    ("body", "result", "at", "reason"),
    [
        ("phi i32 [ 0, %entry ]", "%x", 0, "see add_phi"),
        ("unreachable", None, 0, "a block has one end"),
        ("add i32 %n, 1", "%a", 0, "the name is taken"),
        ("add i32 %n, 1", "%x", 3, "the block has 3 instructions"),
    ],
)
def test_what_has_no_place_there_is_not_inserted(body: str, result: str | None, at: int, reason: str) -> None:
    module, function = _function()
    with pytest.raises(ValueError, match=reason):
        insert_instruction(function, function.entry, at, Instruction.from_text(body, result))
    verified_text(module)


def test_nothing_comes_between_a_tail_call_and_its_return() -> None:
    _, function = _function("define i32 @f(i32 %n) {\n %r = musttail call i32 @f(i32 %n)\n ret i32 %r\n}")
    assert last_insertion_point(function.entry) == 0
    with pytest.raises(ValueError, match="a return must follow"):
        insert_instruction(function, function.entry, 1, Instruction.from_text("add i32 %n, 8", "%x"))


def test_an_erased_value_is_poison_in_records_and_its_own_records_stay() -> None:
    module, function = _function()
    gone = function.entry.instructions[0]
    gone.records = tuple(record.copy() for record in function.entry.instructions[1].records)

    assert erase_instruction(function, function.entry, 0) is gone

    assert not gone.records
    assert [line[:22] for line in lines_of(function.entry)[:3]] == [
        "#dbg_value(i32 poison,", "#dbg_value(i32 poison,", "%b = mul i32 %n, 2",
    ]  # fmt: skip
    assert "!DIArgList(i32 poison, i32 %b)" in lines_of(function.blocks[1])[0]
    verified_text(module)


def test_what_is_used_or_ends_a_block_is_not_erased() -> None:
    _, function = _function()
    with pytest.raises(ValueError, match="'ret i32 %b' uses it"):
        erase_instruction(function, function.entry, 1)
    with pytest.raises(ValueError, match="a block needs an end"):
        erase_instruction(function, function.entry, 2)


def test_what_takes_a_place_takes_the_name_and_the_records() -> None:
    module, function = _function()
    new = Instruction.from_text("shl i32 %n, 1")
    old = replace_instruction(function, function.entry, 1, new)
    assert str(new) == "%b = shl i32 %n, 1" and len(new.records) == 1 and not old.records
    replace_instruction(function, function.blocks[1], 0, Instruction.from_text("unreachable"))
    verified_text(module)


@pytest.mark.parametrize(
    ("at", "body", "result", "reason"),
    [
        (0, "unreachable", None, "in the place of"),
        (2, "add i32 %n, 1", "%x", "in the place of"),
        (0, "add i32 %n, 1", "%x", "knows it as %a"),
    ],
)
def test_what_cannot_take_a_place_is_refused(at: int, body: str, result: str | None, reason: str) -> None:
    _, function = _function()
    with pytest.raises(ValueError, match=reason):
        replace_instruction(function, function.entry, at, Instruction.from_text(body, result))


def test_an_end_that_goes_elsewhere_is_refused_where_phis_would_not_know() -> None:
    _, function = _function("""
        define i32 @f(i32 %n) {
        entry:
          br label %out
        out:
          %r = phi i32 [ %n, %entry ]
          ret i32 %r
        }""")
    with pytest.raises(ValueError, match="%out has phis"):
        replace_instruction(function, function.entry, 0, Instruction.from_text("ret i32 0"))


def test_records_that_come_before_a_value_that_moved_down_are_poison() -> None:
    module, function = _function()
    move_instruction(function, function.entry, 0, function.entry, 2)
    assert [line.partition(",")[0] for line in lines_of(function.entry)] == [
        "#dbg_value(i32 poison", "%b = mul i32 %n", "%a = add i32 %n", "br label %out",
    ]  # fmt: skip
    assert "i32 %a, i32 %b" in lines_of(function.blocks[1])[0]
    verified_text(module)


def test_records_in_blocks_that_a_moved_value_does_not_reach_are_poison() -> None:
    module, function = _function()
    move_instruction(function, function.entry, 0, function.blocks[1], 0)
    assert "!DIArgList(i32 poison, i32 %b)" in lines_of(function.blocks[1])[0]
    assert lines_of(function.blocks[1])[1] == "%a = add i32 %n, 1"
    assert lines_of(function.entry)[0].startswith("#dbg_value(i32 poison,")
    move_instruction(function, function.blocks[1], 0, function.entry, 0)
    assert lines_of(function.entry)[1] == "%a = add i32 %n, 1"
    verified_text(module)


def test_what_has_its_place_is_not_moved() -> None:
    _, function = _function()
    with pytest.raises(ValueError, match="a br has its place"):
        move_instruction(function, function.entry, 2, function.entry, 0)


def test_uses_are_replaced_and_chains_followed() -> None:
    module, function = _function()
    assert replace_all_uses(function, "%b", "%n") == 1
    assert "i32 %a, i32 %n" in lines_of(function.blocks[1])[0]
    assert replace_many_uses(function, {"%n": "%a", "%a": "4"}) == 3
    assert lines_of(function.blocks[1])[1] == "ret i32 4"
    with pytest.raises(ValueError, match="replaced by itself"):
        replace_many_uses(function, {"%a": "%b", "%b": "%a"})
    verified_text(module)


def test_a_phi_has_an_entry_for_each_edge() -> None:
    module, function = _function("""
        define i32 @f(i32 %n) {
        entry:
          switch i32 %n, label %out [
            i32 1, label %out
            i32 2, label %two
          ]
        two:
          br label %out
        out:
          ret i32 %n
        }""")
    out = function.block("%out")
    phi = add_phi(function, out, "i32", {"%entry": "%n", "%two": "7"}, "%n")
    assert str(phi) == "%n.1 = phi i32 [ %n, %entry ], [ %n, %entry ], [ 7, %two ]"
    with pytest.raises(ValueError, match="it follows %entry, %two, values are given for %two"):
        add_phi(function, out, "i32", {"%two": "7"}, "%x")
    verified_text(module)


def test_a_value_is_stored_once_and_loaded_for_each_use() -> None:
    module, function = _function("""
        define i32 @f(i32 %n, i1 %c) {
        entry:
          %a = add i32 %n, 1
          br i1 %c, label %loop, label %out
        loop:
          %p = phi i32 [ %a, %entry ], [ %a, %loop ]
          %q = phi i32 [ %a, %entry ], [ %p, %loop ]
          br i1 %c, label %loop, label %out
        out:
          %r = phi i32 [ 0, %entry ], [ %q, %loop ]
          ret i32 %r
        }""")
    assert demote_to_stack(module, function, "%a") == "%a.slot"
    assert lines_of(function.entry) == [
        "%a.slot = alloca i32",
        "%a = add i32 %n, 1",
        "store i32 %a, ptr %a.slot",
        "%a.reload = load i32, ptr %a.slot",
        "br i1 %c, label %loop, label %out",
    ]
    assert lines_of(function.block("%loop"))[:2] == [
        "%p = phi i32 [ %a.reload, %entry ], [ %a.reload.1, %loop ]",
        "%q = phi i32 [ %a.reload, %entry ], [ %p, %loop ]",
    ]
    demote_to_stack(module, function, "%p")
    demote_to_stack(module, function, "%n")
    verified_text(module)


def test_the_result_of_an_invoke_is_stored_where_it_is_there() -> None:
    module, function = _function("""
        declare i32 @g()
        declare i32 @personality(...)
        define i32 @f() personality ptr @personality {
        entry:
          %a = invoke i32 @g() to label %out unwind label %pad
        out:
          %r = phi i32 [ %a, %entry ]
          ret i32 %r
        pad:
          %lp = landingpad { ptr, i32 } cleanup
          resume { ptr, i32 } %lp
        }""")
    demote_to_stack(module, function, "%a")
    demote_to_stack(module, function, "%lp")
    assert function.entry.successors() == ["%entry.edge", "%pad"]
    assert lines_of(function.block("%entry.edge"))[0] == "store i32 %a, ptr %a.slot"
    verified_text(module)


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        (_WITH_RECORDS, "%gone", "no value %gone"),
        ("define void @f(ptr swifterror %e) {\n ret void\n}", "%e", "swifterror"),
        ("define i32 @f(i32 %n) {\n %r = musttail call i32 @f(i32 %n)\n ret i32 %r\n}", "%r", "nothing may be put"),
        ("declare token @llvm.experimental.convergence.anchor()\ndefine void @f() convergent {\n"
         " %t = call token @llvm.experimental.convergence.anchor()\n ret void\n}", "%t", "cannot hold a token"),
        ("declare void @llvm.localescape(...)\ndefine void @f() {\n %a = alloca i32\n"
         " call void (...) @llvm.localescape(ptr %a)\n ret void\n}", "%a", "needs the value itself"),
    ],
)  # fmt: skip
def test_values_that_memory_cannot_hold_are_refused(text: str, value: str, reason: str) -> None:
    module, function = _function(text)
    before = verified_text(module)
    with pytest.raises(ValueError, match=reason):
        demote_to_stack(module, function, value)
    assert verified_text(module) == before


def test_what_is_about_a_stack_slot_stays_about_it() -> None:
    module, function = _function("""
        declare void @llvm.lifetime.start.p0(ptr)
        define void @f() {
          %a = alloca i32
          call void @llvm.lifetime.start.p0(ptr %a)
          store i32 1, ptr %a
          ret void
        }""")
    demote_to_stack(module, function, "%a")
    assert "(ptr %a)" in "\n".join(lines_of(function.entry)) and "ptr %a.reload" in "\n".join(lines_of(function.entry))
    verified_text(module)
