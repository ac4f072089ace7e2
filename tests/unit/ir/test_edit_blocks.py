"""Blocks: cut, joined, put onto edges, taken out."""

from dataclasses import replace

import pytest

from edited_ir import DEBUG_INFO, lines_of, module_of, verified_text
from sonde.ir import Block, Instruction, parse_signature, print_function
from sonde.ir.edits import (
    address_taken_blocks,
    clone_function,
    erase_unreachable_blocks,
    merge_into_predecessor,
    replace_all_uses,
    replace_instruction,
    split_block,
    split_edge,
    suffixed,
    why_not_split,
)

_SWITCH = """
    define i32 @f(i32 %n) {
    entry:
      switch i32 %n, label %out [
        i32 1, label %out
        i32 2, label %two
      ]
    two:
      br label %out
    out:
      %r = phi i32 [ 0, %entry ], [ 0, %entry ], [ 5, %two ]
      ret i32 %r
    }
"""
_THROWS = """
    declare i32 @g()
    declare i32 @personality(...)
    define i32 @f() personality ptr @personality {
    entry:
      %a = invoke i32 @g() to label %more unwind label %pad
    more:
      %b = invoke i32 @g() to label %out unwind label %pad
    out:
      %r = phi i32 [ %b, %more ]
      ret i32 %r
    pad:
      %at = phi i32 [ 1, %entry ], [ %a, %more ]
      %lp = landingpad { ptr, i32 }
              catch ptr null
      %s = extractvalue { ptr, i32 } %lp, 1
      %t = add i32 %s, %at
      ret i32 %t
    }
"""


def test_a_block_is_cut_and_phis_behind_it_know() -> None:
    module = module_of("""
        define i32 @f(i32 %n) {
        entry:
          %a = add i32 %n, 1
          %b = add i32 %a, 1
          br label %out
        out:
          %r = phi i32 [ %b, %entry ]
          ret i32 %r
        }""")
    function = module.functions["@f"]

    new = split_block(function, function.entry, 1)

    assert lines_of(function.entry) == ["%a = add i32 %n, 1", "br label %entry.split"]
    assert lines_of(new) == ["%b = add i32 %a, 1", "br label %out"]
    assert str(function.block("%out").instructions[0]) == "%r = phi i32 [ %b, %entry.split ]"
    assert [block.name for block in function.blocks] == ["%entry", "%entry.split", "%out"]
    verified_text(module)


def test_records_and_locations_stay_with_what_follows() -> None:
    module = module_of(
        """
        define i32 @f(i32 %n) !dbg !4 {
        entry:
          %a = add i32 %n, 1, !dbg !10
            #dbg_value(i32 %a, !7, !DIExpression(), !10)
          %b = add i32 %a, 1, !dbg !12
          ret i32 %b, !dbg !10
        }"""
        + DEBUG_INFO
    )
    function = module.functions["@f"]
    location = function.entry.instructions[1].location

    new = split_block(function, function.entry, 1)

    assert function.entry.terminator.location == location
    assert [record.kind for record in new.instructions[0].records] == ["value"]
    assert not function.entry.terminator.records
    verified_text(module)


def test_stack_slots_stay_in_the_first_block() -> None:
    module = module_of("""
        define void @f(i32 %n) {
        entry:
          %a = alloca i32
          store i32 1, ptr %a
          %b = alloca i32
          %c = alloca i8, i32 %n
          ret void
        }""")
    function = module.functions["@f"]
    new = split_block(function, function.entry, 1)
    assert lines_of(function.entry)[:2] == ["%a = alloca i32, align 4", "%b = alloca i32, align 4"]
    assert [each.opcode for each in new.instructions] == ["store", "alloca", "ret"]
    verified_text(module)


@pytest.mark.parametrize(
    ("text", "block", "at", "reason"),
    [
        (_SWITCH, "%out", 0, "phis stand at the beginning"),
        (_SWITCH, "%out", 2, "2 instructions"),
        (_SWITCH, "%out", -1, "phis stand"),
        (_THROWS, "%pad", 1, "landingpad comes first"),
        (
            "define i32 @f(i32 %n) {\nentry:\n %r = musttail call i32 @f(i32 %n)\n ret i32 %r\n}",
            "%entry",
            1,
            "a return must follow the call",
        ),
        (
            "define tailcc i32 @f(i32 %n) {\nentry:\n %r = tail call tailcc i32 @f(i32 %n)\n ret i32 %r\n}",
            "%entry",
            1,
            "a return must follow the call",
        ),
        (
            "declare void @llvm.localescape(...)\ndefine void @f() {\nentry:\n %a = alloca i32\n"
            " call void (...) @llvm.localescape(ptr %a)\n ret void\n}",
            "%entry",
            1,
            "must be in the function's first block",
        ),
    ],
)
def test_what_cannot_be_cut_is_refused(text: str, block: str, at: int, reason: str) -> None:
    module = module_of(text)
    function = module.functions["@f"]
    before = verified_text(module)
    with pytest.raises(ValueError, match=reason):
        split_block(function, function.block(block), at)
    assert verified_text(module) == before


def test_before_a_call_that_must_be_followed_by_return_a_block_can_be_cut() -> None:
    module = module_of("define i32 @f(i32 %n) {\nentry:\n %r = musttail call i32 @f(i32 %n)\n ret i32 %r\n}")
    function = module.functions["@f"]
    assert why_not_split(function, function.entry, 0) is None
    split_block(function, function.entry, 0)
    verified_text(module)


def test_one_of_several_edges_gets_a_block() -> None:
    module = module_of(_SWITCH)
    function = module.functions["@f"]
    entry, out = function.entry, function.block("%out")

    new = split_edge(function, entry, out, 1)

    assert entry.successors() == ["%out", new.name, "%two"]
    assert str(out.instructions[0]) == f"%r = phi i32 [ 0, %entry ], [ 5, %two ], [ 0, {new.name} ]"
    with pytest.raises(ValueError, match="there is no such edge"):
        split_edge(function, entry, out, 1)
    verified_text(module)


def test_all_edges_between_two_blocks_get_one_block() -> None:
    module = module_of(_SWITCH)
    function = module.functions["@f"]
    entry, out = function.entry, function.block("%out")

    new = split_edge(function, entry, out, None)

    assert entry.successors() == [new.name, new.name, "%two"]
    assert str(out.instructions[0]) == f"%r = phi i32 [ 5, %two ], [ 0, {new.name} ]"
    verified_text(module)


def test_the_normal_way_out_of_an_invoke_gets_a_block() -> None:
    module = module_of(_THROWS)
    function = module.functions["@f"]
    new = split_edge(function, function.block("%more"), function.block("%out"))
    assert str(function.block("%out").instructions[0]) == f"%r = phi i32 [ %b, {new.name} ]"
    verified_text(module)


def test_a_landing_pad_is_shared_by_the_new_block_and_the_others() -> None:
    module = module_of(_THROWS)
    function = module.functions["@f"]
    pad = function.block("%pad")

    new = split_edge(function, function.block("%more"), pad)

    assert [each.opcode for each in new.instructions] == ["landingpad", "br"]
    assert [str(each) for each in pad.instructions[:2]] == [
        "%at = phi i32 [ %a, %more.edge ], [ %at.join, %pad.pad ]",
        "%lp = phi { ptr, i32 } [ %lp.pad, %more.edge ], [ %lp.pad.1, %pad.pad ]",
    ]
    assert function.entry.successors() == ["%more", "%pad.pad"]
    verified_text(module)

    only = split_edge(function, function.entry, function.block("%pad.pad"))
    assert [each.opcode for each in only.instructions] == ["landingpad", "br"]
    assert [each.opcode for each in function.block("%pad.pad").instructions] == ["phi", "br"]
    verified_text(module)


def test_edges_that_go_to_addresses_or_leave_assembler_are_refused() -> None:
    module = module_of("""
        define void @f(ptr %p) {
        entry:
          indirectbr ptr %p, [label %a, label %b]
        a:
          callbr void asm "", "!i"() to label %b [label %c]
        b:
          ret void
        c:
          ret void
        }
        define ptr @g() {
          ret ptr blockaddress(@f, %a)
        }""")
    function = module.functions["@f"]
    for source, target, opcode in (("%entry", "%a", "indirectbr"), ("%a", "%b", "callbr"), ("%a", "%c", "callbr")):
        with pytest.raises(ValueError, match=opcode):
            split_edge(function, function.block(source), function.block(target))
    assert address_taken_blocks(module) == {"@f": {"%a"}}


def test_pads_of_funclets_are_left_where_exceptions_arrive() -> None:
    module = module_of("""
        declare void @g()
        declare i32 @__CxxFrameHandler3(...)
        define void @f() personality ptr @__CxxFrameHandler3 {
        entry:
          invoke void @g() to label %out unwind label %dispatch
        dispatch:
          %cs = catchswitch within none [label %handler] unwind to caller
        handler:
          %cp = catchpad within %cs [ptr null, i32 64, ptr null]
          catchret from %cp to label %out
        out:
          ret void
        }""")
    function = module.functions["@f"]
    edges = {"%entry": "%dispatch", "%dispatch": "%handler", "%handler": "%out"}
    for (source, target), reason in zip(edges.items(), ("catchswitch", "catchswitch", "catchret"), strict=True):
        with pytest.raises(ValueError, match=reason):
            split_edge(function, function.block(source), function.block(target))
    assert why_not_split(function, function.block("%dispatch"), 0) == "a block with a catchswitch has nothing else"
    assert why_not_split(function, function.block("%handler"), 1) is None
    split_edge(function, function.entry, function.block("%out"))
    verified_text(module)


def test_what_is_said_of_a_loop_stays_at_its_end() -> None:
    module = module_of(
        """
        define void @f(i1 %c) !dbg !4 {
        entry:
          br label %loop
        loop:
          br i1 %c, label %out, label %loop, !dbg !10, !llvm.loop !13
        out:
          ret void
        }"""
        + DEBUG_INFO
    )
    function = module.functions["@f"]
    loop = function.block("%loop")
    new = split_edge(function, loop, loop)
    assert ", !llvm.loop !" in str(new.terminator)
    assert ", !llvm.loop !" not in str(split_edge(function, loop, function.block("%out")).terminator)
    verified_text(module)


def test_a_block_with_phis_is_merged_and_its_phis_are_their_values() -> None:
    module = module_of("""
        define i32 @f(i32 %n) {
        entry:
          br label %next
        next:
          %p = phi i32 [ %n, %entry ]
          %q = phi i32 [ 7, %entry ]
          %r = add i32 %p, %q
          br label %end
        end:
          %s = phi i32 [ %r, %next ]
          ret i32 %s
        }""")
    function = module.functions["@f"]
    merge_into_predecessor(module, function, function.block("%next"))
    assert lines_of(function.entry) == ["%r = add i32 %n, 7", "br label %end"]
    assert str(function.block("%end").instructions[0]) == "%s = phi i32 [ %r, %entry ]"
    verified_text(module)


def test_records_at_the_end_of_the_first_block_stay_in_their_place() -> None:
    module = module_of(
        """
        define i32 @f(i32 %n) !dbg !4 {
        entry:
          %a = add i32 %n, 1
            #dbg_value(i32 %a, !7, !DIExpression(), !10)
          br label %next
        next:
            #dbg_value(i32 %n, !7, !DIExpression(), !10)
          ret i32 %a
        }"""
        + DEBUG_INFO
    )
    function = module.functions["@f"]
    merge_into_predecessor(module, function, function.block("%next"))
    assert [line.partition(",")[0] for line in lines_of(function.entry)] == [
        "%a = add i32 %n", "#dbg_value(i32 %a", "#dbg_value(i32 %n", "ret i32 %a",
    ]  # fmt: skip
    verified_text(module)


def test_blocks_that_cannot_be_merged_are_refused() -> None:
    module = module_of(_SWITCH)
    function = module.functions["@f"]
    for name, reason in (("%entry", "begins with it"), ("%out", "3 edges"), ("%two", "%entry may go elsewhere")):
        with pytest.raises(ValueError, match=reason):
            merge_into_predecessor(module, function, function.block(name))
    split = split_block(function, function.block("%two"), 0)
    with pytest.raises(ValueError, match="its address is taken"):
        merge_into_predecessor(module, function, split, address_taken={split.name})


def test_unreachable_blocks_go_and_records_of_their_values_are_poison() -> None:
    module = module_of(
        """
        define i32 @f(i32 %n) !dbg !4 {
        entry:
          br label %out
        dead:
          %d = add i32 %n, 1
          br label %out
        taken:
          ret i32 1
        out:
          %r = phi i32 [ %n, %entry ], [ %d, %dead ]
            #dbg_value(i32 %d, !7, !DIExpression(), !10)
          ret i32 %r
        }
        define ptr @g() {
          ret ptr blockaddress(@f, %taken)
        }"""
        + DEBUG_INFO
    )
    function = module.functions["@f"]
    assert erase_unreachable_blocks(module, function) == ["%dead"]

    assert str(function.block("%out").instructions[0]) == "%r = phi i32 [ %n, %entry ]"
    assert function.block("%out").terminator.records[0].text.startswith("#dbg_value(i32 poison, ")
    assert erase_unreachable_blocks(module, function) == []
    verified_text(module)


def test_a_slot_that_becomes_a_parameter_has_no_lifetime() -> None:
    module = module_of("""
        define i32 @f(i32 %n) {
        entry:
          %slot = alloca i32
          call void @llvm.lifetime.start.p0(ptr %slot)
          br label %rest
        rest:
          store i32 %n, ptr %slot
          %r = load i32, ptr %slot
          call void @llvm.lifetime.end.p0(ptr %slot)
          ret i32 %r
        }
        declare void @llvm.lifetime.start.p0(ptr)
        declare void @llvm.lifetime.end.p0(ptr)
        """)
    function = clone_function(module, module.functions["@f"], suffixed("@f", ".rest")).function
    # As on-stack replacement enters a function: in its middle, with what is live there.
    function.signature = replace(function.signature, parameters=parse_signature("i32 @g(i32 %n, ptr %slot)").parameters)
    function.blocks.insert(0, Block("%into", [Instruction.from_text("br label %rest")]))
    assert erase_unreachable_blocks(module, function) == ["%entry"]
    assert "lifetime" not in print_function(function)
    verified_text(module)

    original = module.functions["@f"]
    other = clone_function(module, original, suffixed("@f", ".other")).function
    replace_instruction(other, other.entry, 0, Instruction.from_text("getelementptr i8, ptr @global, i64 0"))
    replace_all_uses(original, "%slot", "@global")
    module.add_global("@global", "global i32 0")
    assert "lifetime" not in print_function(original)
    verified_text(module)
