"""Each of our own passes on the cases it is about. That programs do the same is the contract's and the oracle's."""

from sonde.ir import parse_module
from sonde.llvm import LlvmModule
from sonde.passes import (
    ChangeLog,
    EliminateCommonSubexpressions,
    EliminateDeadCode,
    HoistLoopInvariants,
    Pass,
)


def run(each: Pass, body: str, *, head: str = "i32 @f(i32 %x, i32 %y, ptr %p)") -> tuple[list[str], list[str]]:
    """What is left of a function, block by block, and what the log says."""
    module = parse_module(LlvmModule.from_text(f"define {head} {{\n{body}\n}}", "test").text())
    log = ChangeLog(each.name)
    function = module.functions["@f"]
    each.run(module, function, log)
    text = [line for block in function.blocks for line in (f"{block.name}:", *map(str, block.instructions))]
    return text, [str(change).removeprefix(f"{each.name}: @f: ") for change in log]


def test_what_is_computed_again_is_computed_once() -> None:
    text, log = run(
        EliminateCommonSubexpressions(),
        "a:\n %u = add i32 %x, %y\n %v = add i32 %y, %x\n %w = sub i32 %u, %v\n ret i32 %w",
    )
    assert text == ["%a:", "%u = add i32 %x, %y", "%w = sub i32 %u, %u", "ret i32 %w"]
    assert log == ["%v replaced by %u"]


def test_the_order_of_operands_can_be_made_to_matter() -> None:
    body = "a:\n %u = add i32 %x, %y\n %v = add i32 %y, %x\n %w = sub i32 %u, %v\n ret i32 %w"
    assert run(EliminateCommonSubexpressions(commute=False), body)[1] == []


def test_a_difference_is_not_taken_for_its_opposite() -> None:
    body = "a:\n %u = sub i32 %x, %y\n %v = sub i32 %y, %x\n %w = add i32 %u, %v\n ret i32 %w"
    assert run(EliminateCommonSubexpressions(), body)[1] == []


def test_what_is_kept_promises_what_both_did() -> None:
    text, log = run(
        EliminateCommonSubexpressions(),
        "a:\n %u = add nuw nsw i32 %x, 1\n %v = add nsw i32 %x, 1\n %w = mul i32 %u, %v\n ret i32 %w",
    )
    assert text[1] == "%u = add nsw i32 %x, 1"
    assert log == ["%u changed to add nsw i32 %x, 1", "%v replaced by %u"]


def test_a_leader_stands_only_for_what_it_dominates() -> None:
    body = """a:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %t, label %e
t:
  %u = mul i32 %x, %y
  br label %j
e:
  %v = mul i32 %x, %y
  br label %j
j:
  %r = phi i32 [ %u, %t ], [ %v, %e ]
  %w = mul i32 %x, %y
  %s = add i32 %r, %w
  ret i32 %s"""
    assert run(EliminateCommonSubexpressions(), body)[1] == []


def test_chains_are_found_and_phis_of_loops_follow() -> None:
    body = """a:
  br label %l
l:
  %i = phi i32 [ 0, %a ], [ %n2, %l ]
  %n1 = add i32 %i, 1
  %n2 = add i32 %i, 1
  %m1 = mul i32 %n1, 3
  %m2 = mul i32 %n2, 3
  %c = icmp eq i32 %m1, %m2
  br i1 %c, label %l, label %o
o:
  ret i32 %m2"""
    text, log = run(EliminateCommonSubexpressions(), body)
    assert log == ["%n2 replaced by %n1", "%m2 replaced by %m1"]
    assert "%i = phi i32 [ 0, %a ], [ %n1, %l ]" in text and text[-1] == "ret i32 %m1"


def test_loads_and_calls_are_not_taken_for_equal() -> None:
    body = "a:\n %u = load i32, ptr %p\n %v = load i32, ptr %p\n %f = freeze i32 %x\n %g = freeze i32 %x\n ret i32 %v"
    assert run(EliminateCommonSubexpressions(), body)[1] == []


LOOP = """a:
  br label %l
l:
  %i = phi i32 [ 0, %a ], [ %n, %l ]
  %k = mul i32 %x, %y
  %m = add i32 %k, 7
  %q = udiv i32 %x, %y
  %h = udiv i32 %x, 3
  %t = add i32 %i, %m
  %v = load i32, ptr %p
  %n = add i32 %t, %q
  %c = icmp slt i32 %n, %h
  br i1 %c, label %l, label %o
o:
  %r = add i32 %x, %y
  ret i32 %r"""


def test_what_does_not_change_is_computed_before_the_loop() -> None:
    text, log = run(HoistLoopInvariants(), LOOP)
    assert text[:5] == [
        "%a:",
        "%k = mul i32 %x, %y",
        "%m = add i32 %k, 7",
        "%h = udiv i32 %x, 3",
        "br label %l",
    ]
    assert log == ["%k moved from %l to %a", "%m moved from %l to %a", "%h moved from %l to %a"]


def test_no_more_is_moved_than_was_asked_for() -> None:
    assert run(HoistLoopInvariants(most=1), LOOP)[1] == ["%k moved from %l to %a"]
    assert run(HoistLoopInvariants(most=0), LOOP)[1] == []


def test_a_loop_without_a_block_before_it_is_left_alone() -> None:
    body = """a:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %l, label %o
l:
  %k = mul i32 %x, %y
  %d = icmp eq i32 %k, 0
  br i1 %d, label %l, label %o
o:
  ret i32 %x"""
    assert run(HoistLoopInvariants(), body)[1] == []


def test_what_only_feeds_itself_is_dead() -> None:
    body = """a:
  br label %l
l:
  %i = phi i32 [ 0, %a ], [ %n, %l ]
  %u = phi i32 [ 0, %a ], [ %w, %l ]
  %w = add i32 %u, %i
  %n = add i32 %i, 1
  %c = icmp slt i32 %n, %x
  br i1 %c, label %l, label %o
o:
  ret i32 %i"""
    text, log = run(EliminateDeadCode(), body)
    assert log == ["%u deleted", "%w deleted"]
    assert not any("%u" in line or "%w" in line for line in text)


def test_effects_stay_and_loads_may() -> None:
    loads = "%u = load i32, ptr %p\n %v = load volatile i32, ptr %p"
    body = f"a:\n {loads}\n %w = alloca i32\n store i32 %x, ptr %p\n ret i32 0"
    assert run(EliminateDeadCode(), body)[1] == ["%u deleted", "%w deleted"]
    assert run(EliminateDeadCode(keep_loads=True), body)[1] == ["%w deleted"]


def test_records_of_what_is_deleted_say_poison_and_stay() -> None:
    text = """
define i32 @f(i32 %x) !dbg !4 {
  %y = add i32 %x, 1, !dbg !9
    #dbg_value(i32 %y, !8, !DIExpression(), !9)
  %z = add i32 %y, 1, !dbg !9
    #dbg_value(i32 %z, !8, !DIExpression(), !9)
  ret i32 %x, !dbg !9
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!8 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 3, type: !13)
!9 = !DILocation(line: 4, column: 7, scope: !4)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"""
    module = parse_module(LlvmModule.from_text(text, "test").text())
    EliminateDeadCode().run(module, module.functions["@f"], ChangeLog("test"))
    (only,) = module.functions["@f"].entry.instructions

    assert [record.text.partition(",")[0] for record in only.records] == ["#dbg_value(i32 poison"] * 2
