"""IR for tests of edits: read as LLVM prints it, and read again by LLVM when it was edited."""

import textwrap

from sonde.ir import Block, Module, parse_module, print_module
from sonde.llvm import LlvmModule


def module_of(text: str) -> Module:
    """Read IR that a person wrote."""
    module = LlvmModule.from_text(textwrap.dedent(text), "test.ll")
    return parse_module(module.text())


def verified_text(module: Module) -> str:
    """What LLVM makes of a module, which must verify."""
    module_again = LlvmModule.from_text(print_module(module), "test.ll")
    return module_again.text()


def lines_of(block: Block) -> list[str]:
    """A block's instructions, with the debug records before them."""
    return [line for each in block.instructions for line in (*(record.text for record in each.records), str(each))]


DEBUG_INFO = """
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!1}
    !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug, globals: !20)
    !1 = !{i32 2, !"Debug Info Version", i32 3}
    !2 = !DIFile(filename: "f.c", directory: "/src")
    !3 = !DISubroutineType(types: !{null})
    !4 = distinct !DISubprogram(name: "f", file: !2, type: !3, unit: !0, spFlags: DISPFlagDefinition, retainedNodes: !8)
    !5 = distinct !DISubprogram(name: "inlined", file: !2, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
    !6 = distinct !DILexicalBlock(scope: !4, file: !2, line: 2)
    !7 = !DILocalVariable(name: "x", scope: !6, file: !2, line: 2, type: !9)
    !8 = !{!7}
    !9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
    !10 = !DILocation(line: 2, column: 3, scope: !6)
    !11 = distinct !DILocation(line: 3, column: 3, scope: !6)
    !12 = !DILocation(line: 10, column: 1, scope: !5, inlinedAt: !11)
    !13 = distinct !{!13, !10, !14}
    !14 = !{!"llvm.loop.mustprogress"}
    !15 = !DILocalVariable(name: "y", scope: !5, file: !2, line: 9, type: !9)
    !20 = !{}
"""
"""Of a function `f` (!4): a block (!6), a variable (!7), a location (!10), something inlined (!12), a loop (!13)."""
