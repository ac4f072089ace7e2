"""From an object and the addresses of some symbols to a map of all functions that can be known."""

import sys

import pytest

from sonde.base.errors import InternalError, MissingCapability
from sonde.events import CodeFrame, CodeMap
from sonde.jit.object_code import ObjectCode
from sonde.llvm import LlvmModule

IMAGE = LlvmModule.from_text(
    """
    module asm ".text"
    module asm ".type bare,@function"
    module asm "bare: nop"
    module asm "nop"
    module asm "nop"
    define i32 @one(i32 %n) section ".text.a" !dbg !8 {
      %r = add i32 %n, 1, !dbg !11
      ret i32 %r, !dbg !10
    }
    define internal i32 @helper() section ".text.a" { ret i32 2 }
    define internal i32 @alone() section ".text.b" { ret i32 3 }
    @other_name = weak alias i32 (i32), ptr @one
    @llvm.compiler.used = appending global [2 x ptr] [ptr @helper, ptr @alone], section "llvm.metadata"
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!3, !4}
    !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: "a.c", directory: "/src")
    !3 = !{i32 2, !"Debug Info Version", i32 3}
    !4 = !{i32 7, !"Dwarf Version", i32 5}
    !5 = distinct !DISubprogram(name: "inlined", file: !1, line: 20, unit: !0, type: !9, spFlags: DISPFlagDefinition)
    !8 = distinct !DISubprogram(name: "one", file: !1, line: 3, unit: !0, type: !9, spFlags: DISPFlagDefinition)
    !9 = !DISubroutineType(types: !{})
    !10 = !DILocation(line: 5, column: 2, scope: !8)
    !11 = !DILocation(line: 21, column: 4, scope: !5, inlinedAt: !12)
    !12 = distinct !DILocation(line: 4, column: 7, scope: !8)
    """,
    "a.ll",
).object(2)


def test_one_symbol_of_a_section_tells_about_all_of_it() -> None:
    placed = ObjectCode(IMAGE).place({"one": 0x5000}, "O2")

    starts = {each.function: each.start for each in placed.ranges}
    sizes = {each.name: each.size for each in ObjectCode(IMAGE).functions}
    assert starts["one"] == 0x5000
    assert 0x5000 + sizes["one"] <= starts["helper"] <= 0x5000 + sizes["one"] + 32
    assert {each.version for each in placed.ranges} == {"O2"}
    assert sorted(placed.unmapped) == ["alone", "bare"]


def test_functions_of_sections_of_which_nothing_is_known_are_listed() -> None:
    placed = ObjectCode(IMAGE).place({"in no section": 0x5000})

    assert placed.ranges == ()
    assert sorted(placed.unmapped) == ["alone", "bare", "helper", "one"]


def test_any_name_of_a_place_will_do_but_the_most_visible_one_is_shown() -> None:
    placed = ObjectCode(IMAGE).place({"other_name": 0x5000})

    assert placed.ranges[0].function == "one"
    assert placed.ranges[0].start == 0x5000


def test_a_function_of_unknown_size_reaches_to_the_end_of_its_section() -> None:
    (bare,) = (each for each in ObjectCode(IMAGE).functions if each.name == "bare")

    assert bare.size >= 3


def test_symbols_of_one_section_that_moved_apart_are_refused() -> None:
    with pytest.raises(InternalError, match=r"cannot map section '\.text\.a': 'other_name' was loaded at 0x5001") as no:
        ObjectCode(IMAGE).place({"one": 0x5000, "other_name": 0x5001})

    assert no.value.slug == "torn-section"


def test_lines_have_inline_stacks_wherever_the_code_was_loaded() -> None:
    object_code = ObjectCode(IMAGE)
    found = []
    for start in (0x5000, 0x7F00_0000_0000):
        code = CodeMap()
        code.add(*object_code.place({"one": start}).ranges)
        location = code.lookup(start)
        assert location is not None
        found.append(location.frames)

    assert found[0] == found[1] == (CodeFrame("inlined", "/src/a.c", 21, 4), CodeFrame("one", "/src/a.c", 4, 7))


def test_functions_without_debug_information_are_named_by_their_symbol() -> None:
    code = CodeMap()
    code.add(*ObjectCode(IMAGE).place({"one": 0x5000, "alone": 0x6000}).ranges)

    location = code.lookup(0x6000)

    assert location is not None
    assert location.frames == (CodeFrame("alone"),)


def test_objects_without_debug_information_have_functions_all_the_same() -> None:
    image = LlvmModule.from_text("define i32 @f() { ret i32 1 }", "f.ll").object(0)
    code = CodeMap()
    code.add(*ObjectCode(image).place({"f": 16}).ranges)

    location = code.lookup(16)

    assert location is not None
    assert (location.function, location.frames) == ("f", (CodeFrame("f"),))


def test_functions_can_be_named_otherwise_than_their_symbols() -> None:
    code = CodeMap()
    code.add(*ObjectCode(IMAGE).place({"one": 0x5000, "alone": 0x6000}, "v2", named=lambda name: f"my {name}").ranges)

    found = [code.lookup(address) for address in (0x5000, 0x6000)]

    assert [each and each.function for each in found] == ["my one", "my alone"]
    # What debug information says stays; elsewhere the new name is used.
    assert [each and each.frames[-1].function for each in found] == ["one", "my alone"]


def test_a_name_for_two_places_tells_about_neither() -> None:
    text = 'module asm ".text\\0Af: nop\\0A.section .text.x,\\22ax\\22\\0A.globl g\\0A.type g,@function\\0Ag: nop"'
    image = LlvmModule.from_text(text + ' define internal void @h() section ".text.x" { ret void }', "f.ll").object(0)
    twice = image.replace(b"\0g\0", b"\0f\0")
    assert twice != image

    assert ObjectCode(image).place({"g": 16}).ranges != ()
    assert ObjectCode(twice).place({"f": 16}).ranges == ()


def test_an_object_may_have_no_functions() -> None:
    image = LlvmModule.from_text("@g = global i32 1", "g.ll").object(0)

    placed = ObjectCode(image).place({"g": 16})

    assert (placed.ranges, placed.unmapped) == ((), ())


def test_without_pyelftools_only_lines_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "elftools.dwarf.dwarfinfo", None)
    placed = ObjectCode(IMAGE).place({"one": 0x5000})

    with pytest.raises(MissingCapability, match="cannot read debug information") as refusal:
        placed.ranges[0].locate(0x5000)

    assert refusal.value.slug == "no-debug-reader"
    assert refusal.value.hint == "python -m pip install --upgrade 'sonde[llvm]'"


def test_a_pyelftools_that_does_not_fit_is_no_damaged_object(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise TypeError("unexpected keyword argument 'debug_types_sec'")

    monkeypatch.setattr("elftools.dwarf.dwarfinfo.DWARFInfo", refuse)

    with pytest.raises(MissingCapability, match="too old or too new: unexpected keyword") as refusal:
        ObjectCode(IMAGE).place({"one": 0x5000}).ranges[0].locate(0x5000)

    assert refusal.value.slug == "no-debug-reader"
