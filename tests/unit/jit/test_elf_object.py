"""Object files: read whole, or refused in one sentence."""

import struct
from itertools import pairwise

import pytest

from sonde.base.errors import InputError
from sonde.jit.elf_object import ElfObject
from sonde.llvm import LlvmModule

IMAGE = LlvmModule.from_text(
    """
    @counter = thread_local global i32 0, !dbg !5
    define i32 @first() section ".text.a" !dbg !8 { ret i32 1, !dbg !10 }
    define internal i32 @second() section ".text.b" !dbg !11 { ret i32 2, !dbg !12 }
    define weak i32 @third() section ".text.a" { ret i32 3 }
    @llvm.compiler.used = appending global [1 x ptr] [ptr @second], section "llvm.metadata"
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!3, !4}
    !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug, globals: !13)
    !1 = !DIFile(filename: "a.c", directory: "/src")
    !3 = !{i32 2, !"Debug Info Version", i32 3}
    !4 = !{i32 7, !"Dwarf Version", i32 4}
    !5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
    !6 = distinct !DIGlobalVariable(name: "counter", scope: !0, file: !1, line: 1, type: !7, isDefinition: true)
    !7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
    !8 = distinct !DISubprogram(name: "first", file: !1, line: 3, unit: !0, type: !9, spFlags: DISPFlagDefinition)
    !9 = !DISubroutineType(types: !{!7})
    !10 = !DILocation(line: 4, column: 2, scope: !8)
    !11 = distinct !DISubprogram(name: "second", file: !1, line: 6, unit: !0, type: !9, spFlags: DISPFlagDefinition)
    !12 = !DILocation(line: 7, column: 2, scope: !11)
    !13 = !{!5}
    """,
    "a.ll",
).object(2)
MACHINE_AT, SECTION_COUNT_AT, TYPE_AT = 0x12, 0x3C, 0x10


def changed(at: int, value: int) -> bytes:
    return IMAGE[:at] + struct.pack("<H", value) + IMAGE[at + 2 :]


def test_each_code_section_has_a_place_of_its_own() -> None:
    code = ElfObject(IMAGE, "a.o").code

    spans = sorted((each.place, each.place + each.size) for each in code.values())
    assert {each.name for each in code.values()} >= {".text", ".text.a", ".text.b"}
    assert spans[0][0] > 0
    assert all(one[1] < other[0] for one, other in pairwise(spans))


def test_symbols_have_section_offset_size_and_rank() -> None:
    image = ElfObject(IMAGE, "a.o")

    found = {each.name: each for each in image.symbols if each.is_function}

    assert {name: (image.code[each.section].name, each.rank) for name, each in found.items()} == {
        "first": (".text.a", 0),
        "second": (".text.b", 2),
        "third": (".text.a", 1),
    }
    assert found["third"].offset >= found["first"].offset + found["first"].size > 0


def test_debug_sections_refer_to_the_layout() -> None:
    image = ElfObject(IMAGE, "a.o")
    lines = image.debug_section(".debug_line")
    assert lines is not None

    # DW_LNE_set_address: 0, length 9, opcode 2, the address.
    set_addresses = {
        struct.unpack_from("<Q", lines, at + 3)[0] for at in range(len(lines) - 10) if lines[at : at + 3] == b"\0\t\2"
    }

    starts = {
        image.code[each.section].place + each.offset for each in image.symbols if each.name in ("first", "second")
    }
    assert set_addresses == starts


def test_a_section_that_is_not_there_is_none() -> None:
    assert ElfObject(IMAGE, "a.o").debug_section(".debug_nothing") is None


@pytest.mark.parametrize(
    ("image", "fact"),
    [
        (b"", "it is cut off or damaged"),
        (b"\x7fELF", "it is cut off or damaged"),
        (b"int main(void) { return 0; }" * 9, "it is not 64-bit little-endian ELF"),
        (b"\x7fELF\x01\x01" + IMAGE[6:], "it is not 64-bit little-endian ELF"),
        (b"\x7fELF\x02\x02" + IMAGE[6:], "it is not 64-bit little-endian ELF"),
        (changed(TYPE_AT, 3), "it is linked already, or a core dump"),
        (changed(MACHINE_AT, 243), r"it is for machine 243, known are 62 \(x86-64\) and 183 \(AArch64\)"),
        (changed(SECTION_COUNT_AT, 0), "it has no sections, or too many"),
        (IMAGE[: len(IMAGE) // 2], "it is cut off or damaged"),
    ],
)
def test_what_is_no_such_object_is_refused(image: bytes, fact: str) -> None:
    with pytest.raises(InputError, match=f"^cannot read the object 'a.o': {fact}$") as refusal:
        ElfObject(image, "a.o")

    assert refusal.value.slug == "bad-object"


def test_what_is_linked_has_the_places_that_it_says() -> None:
    with pytest.raises(InputError, match="it is no program and no shared library"):
        ElfObject(IMAGE, "a.o", linked=True)
    linked = ElfObject(changed(TYPE_AT, 3), "a.so", linked=True)
    assert {section.place for section in linked.code.values()} == {0}  # as this one never was
    assert [each.offset for each in linked.symbols] == [each.offset for each in ElfObject(IMAGE, "a.o").symbols]
