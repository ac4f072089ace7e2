"""Marking a module: what gets which number, and that nothing else changes."""

import re

from sonde.ir import parse_module, print_function, print_module
from sonde.ir.bookkeeping import mark, without_debug_information
from sonde.ir.bookkeeping.marks import BEFORE_ALL
from sonde.llvm import LlvmModule

PROGRAM = """
define i32 @"odd \\22name\\22"(i32 %x, ptr %"a b") personality ptr @personality {
entry:
  %y = add nsw i32 %x, 1
  store i32 %y, ptr %"a b"
  br label %loop
loop:
  %z = load volatile i32, ptr %"a b"
  %again = icmp eq i32 %z, 0
  br i1 %again, label %loop, label %call
call:
  %r = invoke i32 @may_throw(i32 %z) to label %fine unwind label %caught
fine:
  ret i32 %r
caught:
  %p = phi i32 [ %z, %call ]
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
declare i32 @may_throw(i32)
declare i32 @personality(...)
define void @empty() {
  ret void
}
"""

WITH_DEBUG = """
define i32 @f(i32 %x) !dbg !4 {
  #dbg_value(i32 %x, !8, !DIExpression(), !9)
  %y = add i32 %x, 1, !dbg !9
  br label %l, !dbg !9
l:
  %c = icmp eq i32 %y, %x
  br i1 %c, label %l, label %o, !dbg !10, !llvm.loop !11
o:
  ret i32 %y, !dbg !10
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
!10 = !DILocation(line: 5, scope: !4)
!11 = distinct !{!11, !9, !10, !12}
!12 = !{!"llvm.loop.mustprogress"}
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"""


def printed(text: str) -> str:
    module = LlvmModule.from_text(text, "test")
    return module.text()


def test_parameters_come_first_then_instructions_in_the_order_of_the_text() -> None:
    marks = mark(parse_module(printed(PROGRAM)))
    marked = marks.functions['@"odd \\22name\\22"']

    assert [each.name for each in marked.places][:5] == ["%x", '%"a b"', "%y", None, None]
    assert marked.number_at("%loop", 0) == 6 and marked.place(6).name == "%z"
    assert marked.places[0].at == BEFORE_ALL


def test_llvm_takes_the_marks_and_keeps_every_record() -> None:
    text = print_module(mark(parse_module(printed(PROGRAM))).module)
    module = LlvmModule.from_text(text, "marked")

    assert module.text().count("#dbg_value") == text.count("#dbg_value") > 8


def test_the_result_of_an_invoke_is_recorded_where_it_arrives() -> None:
    marks = mark(parse_module(printed(PROGRAM)))
    function = marks.module.functions['@"odd \\22name\\22"']
    (record,) = function.block("%fine").instructions[0].records

    assert record.text.startswith("#dbg_value(i32 %r,")
    marked = marks.functions[function.name]
    number = marked.numbers["%r"]
    assert marked.place(number).block == "%fine" and marked.is_made_before(number, marked.number_at("%fine", 0))
    assert not marked.is_made_before(number, marked.number_at("%caught", 1))


def test_a_loop_without_phis_begins_with_a_record_of_its_own() -> None:
    marks = mark(parse_module(printed(PROGRAM)))
    records = marks.module.functions['@"odd \\22name\\22"'].block("%loop").instructions[0].records

    assert [record.text.partition(",")[0] for record in records] == ["#dbg_value(i1 true"]


def test_phis_are_recorded_after_the_landing_pad() -> None:
    marks = mark(parse_module(printed(PROGRAM)))
    *before, last = marks.module.functions['@"odd \\22name\\22"'].block("%caught").instructions

    assert [record.pieces[1] for record in last.records] == ["%p", "%pad"]
    assert not any(each.records for each in before)


def test_only_the_functions_asked_for_are_marked() -> None:
    marks = mark(parse_module(printed(PROGRAM)), ["@empty"])

    assert list(marks.functions) == ["@empty"]
    assert "#dbg" not in print_module(marks.module)


def test_what_was_there_of_debug_information_is_gone_and_the_sources_are_kept() -> None:
    marks = mark(parse_module(printed(WITH_DEBUG)))
    text = print_module(marks.module)
    LlvmModule.from_text(text, "marked")

    assert '"f.c"' not in text and text.count("DICompileUnit") == 1 and text.count('"Debug Info Version"') == 1
    (frame,) = marks.source_of("@f", marks.functions["@f"].numbers["%y"])
    assert (frame.function, frame.file, frame.line, frame.column) == ("f", "f.c", 4, 7)
    assert marks.source_of("@f", marks.functions["@f"].numbers["%c"]) == ()


def test_the_metadata_of_a_loop_keeps_all_but_its_locations() -> None:
    module = without_debug_information(parse_module(printed(WITH_DEBUG)))
    (loop,) = [text for text in module.metadata.values() if text.startswith("distinct !{")]

    assert "mustprogress" in " ".join(module.metadata.values())
    assert len(re.findall(r"![0-9]+", loop)) == 2  # itself and that


def test_the_module_that_is_marked_does_not_change() -> None:
    for text in (PROGRAM, WITH_DEBUG):
        module = parse_module(printed(text))
        before = print_module(module)
        mark(module)
        assert print_module(module) == before


def test_without_debug_information_the_code_is_that_of_the_original() -> None:
    def code(text: str) -> list[str]:
        bare = without_debug_information(parse_module(text))
        return [re.sub(r"![0-9]+", "!", print_function(each)) for each in bare.functions.values() if each.blocks]

    text = printed(PROGRAM)
    assert code(text) == code(print_module(mark(parse_module(text)).module))


def test_dominance_is_that_of_the_original() -> None:
    marked = mark(parse_module(printed(PROGRAM))).functions['@"odd \\22name\\22"']
    number = marked.numbers

    assert marked.is_made_before(number["%x"], number["%y"])
    assert marked.is_made_before(number["%y"], number["%r"])
    assert not marked.is_made_before(number["%z"], number["%y"])
    assert not marked.is_made_before(number["%z"], number["%z"])
