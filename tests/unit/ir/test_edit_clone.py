"""Clones: a function beside itself, with all that is its own."""

import re

import pytest

from edited_ir import DEBUG_INFO, module_of, verified_text
from sonde.ir import Module
from sonde.ir.edits import clone_function
from sonde.ir.metadata import fields_of

_LOOP = """
    define i32 @f(i32 %n) !dbg !4 {
    entry:
        #dbg_value(i32 %n, !7, !DIExpression(), !10)
      br label %loop, !dbg !10
    loop:
      %i = phi i32 [ 0, %entry ], [ %j, %loop ]
        #dbg_value(i32 %i, !15, !DIExpression(), !12)
      %j = add i32 %i, 1, !dbg !12
      %c = icmp eq i32 %j, %n, !dbg !10
      br i1 %c, label %out, label %loop, !dbg !10, !llvm.loop !13
    out:
      ret i32 %j, !dbg !10
    }
"""

_JUMPS = """
    @table = internal TABLE [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    define ptr @f(i32 %n) {
    entry:
      %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
      %t = load ptr, ptr %p
      br label %jump
    jump:
      indirectbr ptr %t, [label %a, label %b]
    a:
      ret ptr blockaddress(@f, %b)
    b:
      EXTRA
      ret ptr null
    }
"""


def _jumps(kind: str = "constant", extra: str = "", more: str = "") -> Module:
    return module_of(_JUMPS.replace("TABLE", kind).replace("EXTRA", extra) + more)


def test_a_clone_has_debug_information_of_its_own() -> None:
    module = module_of(_LOOP + DEBUG_INFO)
    original = int(re.findall(r"!dbg !(\d+)", str(module.functions["@f"].signature))[0])

    clone = clone_function(module, module.functions["@f"], "@g")

    copy = clone.nodes[original]
    assert str(clone.function.signature) == f"internal i32 @g(i32 %n) !dbg !{copy}"
    assert module.metadata[copy].startswith("distinct !DISubprogram(") and original in module.metadata
    kinds = sorted(re.sub(r"[({].*", "", module.metadata[node]) for node in clone.nodes)
    assert kinds == [
        "!", "!DILocalVariable", "!DILocation", "!DILocation", "distinct !", "distinct !DILexicalBlock",
        "distinct !DILocation", "distinct !DISubprogram",
    ]  # fmt: skip
    (variable,) = [node for node in clone.nodes if 'name: "x"' in module.metadata[node]]
    retained = fields_of(module.metadata[copy])["retainedNodes"]
    assert module.metadata[int(retained[1:])] == f"!{{!{clone.nodes[variable]}}}"
    verified_text(module)


def test_assignments_and_loops_of_a_clone_are_not_the_originals() -> None:
    module = module_of("""
        define void @f() {
        entry:
          %x = alloca i32, !DIAssignID !0
          br label %loop
        loop:
          store i32 1, ptr %x, !DIAssignID !1, !tbaa !3
          br label %loop, !llvm.loop !2
        }
        !0 = distinct !DIAssignID()
        !1 = distinct !DIAssignID()
        !2 = distinct !{!2}
        !3 = !{!4, !4, i64 0}
        !4 = !{!"int", !5}
        !5 = !{!"root"}
        !llvm.module.flags = !{!6}
        !6 = !{i32 2, !"Debug Info Version", i32 3}""")
    clone = clone_function(module, module.functions["@f"], "@g")
    texts = [module.metadata[node] for node in clone.nodes]
    (loop,) = [copy for copy in clone.nodes.values() if module.metadata[copy] == f"distinct !{{!{copy}}}"]
    assert texts.count("distinct !DIAssignID()") == 2 and len(texts) == 3
    assert f"!llvm.loop !{loop}" in str(clone.function.block("%loop").terminator)
    verified_text(module)


def test_what_was_inlined_stays_inlined_from_the_same_function() -> None:
    module = module_of(_LOOP + DEBUG_INFO)
    clone = clone_function(module, module.functions["@f"], "@g").function

    added = clone.block("%loop").instructions[1]

    assert added.location is not None
    fields = fields_of(module.metadata[added.location])
    assert 'name: "inlined"' in module.metadata[int(fields["scope"][1:])]
    outer = fields_of(module.metadata[int(fields["inlinedAt"][1:])])
    block = fields_of(module.metadata[int(outer["scope"][1:])])
    assert f"!dbg {block['scope']}" in clone.signature.suffix


def test_recursive_calls_go_to_the_original_unless_asked() -> None:
    text = """
        define i32 @f(i32 %n) {
          %r = call i32 @f(i32 %n)
          ret i32 %r
        }"""
    module = module_of(text)
    function = module.functions["@f"]
    assert "@f(" in str(clone_function(module, function, "@g").function.entry.instructions[0])
    assert "@h(" in str(clone_function(module, function, "@h", calls_itself=True).function.entry.instructions[0])
    verified_text(module)


def test_linkage_is_as_asked_and_the_comdat_is_left() -> None:
    text = """
        $f = comdat any
        define linkonce_odr hidden void @f() unnamed_addr comdat align 16 {
          ret void
        }"""
    module = module_of(text)
    function = module.functions["@f"]
    assert str(clone_function(module, function, "@g").function.signature) == "internal void @g() unnamed_addr align 16"
    outside = clone_function(module, function, "@h", linkage="external").function
    assert str(outside.signature) == "void @h() unnamed_addr align 16"
    verified_text(module)


def test_a_clone_jumps_through_a_table_of_its_own() -> None:
    module = _jumps()

    clone = clone_function(module, module.functions["@f"], "@g")

    assert clone.tables == {"@table": "@table.1"}
    assert "blockaddress(@g, %a)" in module.globals["@table.1"].text
    assert "blockaddress(@f, %a)" in module.globals["@table"].text
    text = "\n".join(map(str, clone.function.instructions()))
    assert "@table.1" in text and "blockaddress(@g, %b)" in text and "@f" not in text
    verified_text(module)


@pytest.mark.parametrize(
    ("kind", "extra", "more", "reason"),
    [
        ("global", "store ptr null, ptr @table", "", "may be written to"),
        ("global", "call void @use(ptr @table)", "declare void @use(ptr)", "may be written to"),
        ("constant", "", "@other = global ptr @table", "used by @other as well"),
        ("constant", "", "define ptr @g() {\n ret ptr @table\n}", "used by @g as well"),
        ("constant", "store ptr blockaddress(@f, %a), ptr @kept", "@kept = global ptr null", "keeps the address"),
    ],
)
def test_what_could_jump_into_the_original_is_refused(kind: str, extra: str, more: str, reason: str) -> None:
    module = _jumps(kind, extra, "\n" + more)
    with pytest.raises(ValueError, match=reason):
        clone_function(module, module.functions["@f"], "@clone")
    assert "@clone" not in module.functions and "@table.1" not in module.globals


@pytest.mark.parametrize(
    "extra",
    [
        "%q = load ptr, ptr @table",
        "%s = alloca ptr\n store ptr blockaddress(@f, %a), ptr %s",
        "%s = alloca [2 x ptr]\n call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr @table, i64 16, i1 false)",
    ],
)
def test_a_table_that_can_change_but_does_not_is_copied(extra: str) -> None:
    more = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)" if "memcpy" in extra else ""
    module = _jumps("global", extra, "\n" + more)
    assert clone_function(module, module.functions["@f"], "@g").tables
    verified_text(module)


def test_names_that_are_taken_and_declarations_are_refused() -> None:
    module = module_of("@x = global i32 0\ndeclare void @d()\ndefine void @f() {\n ret void\n}")
    for name in ("@x", "@d", "@f"):
        with pytest.raises(ValueError, match=f"{name} is taken"):
            clone_function(module, module.functions["@f"], name)
    with pytest.raises(ValueError, match="@d has no blocks"):
        clone_function(module, module.functions["@d"], "@g")
