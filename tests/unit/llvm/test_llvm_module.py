"""Modules through LLVM's hands."""

import gc
import subprocess
from pathlib import Path

import pytest

from sonde.base.errors import InputError, UsageError
from sonde.llvm import ATEXIT, CONSTRUCTORS, PASS_NAMES, PIPELINE_PASSES, LlvmModule, llvm_version, require_llvm
from sonde.llvm.reading import read_text

_LOOP = """
define i32 @sum(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %dead = mul i32 %i, 3
  %t = add i32 %s, %i
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i32 %t
}

define i32 @slot(i32 %x) {
  %p = alloca i32
  store i32 %x, ptr %p
  %v = load i32, ptr %p
  ret i32 %v
}
"""


def test_text_and_bitcode_say_the_same() -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    again = LlvmModule.from_bitcode(module.bitcode(), "loop.ll")
    assert LlvmModule.from_text(again.text(), "loop.ll").functions() == ["sum", "slot"]
    assert again.text().split("define", 1)[1] == module.text().split("define", 1)[1]


def test_modules_in_a_circle_are_collected() -> None:
    for _ in range(20):
        circle: list[object] = [LlvmModule.from_text(_LOOP, "loop.ll"), LlvmModule.from_text(_LOOP, "loop.ll")]
        circle.append(circle)
        del circle
    gc.collect()  # once: it looks at all that other tests have left


def test_a_copy_shares_nothing() -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    copy = module.copy()
    copy.run_passes(["sroa"])
    assert "alloca" in module.text() and "alloca" not in copy.text()


def test_wrong_text_is_refused_with_line_and_caret() -> None:
    with pytest.raises(InputError) as refusal:
        LlvmModule.from_text("define i32 @f() {\n  ret i32 %nothing\n}", "f.ll")
    assert refusal.value.slug == "bad-ir"
    assert refusal.value.message.splitlines() == [
        "cannot read LLVM IR 'f.ll' at line 2, column 11: use of undefined value '%nothing'",
        "  ret i32 %nothing",
        "          ^",
    ]


def test_text_of_a_newer_llvm_is_told_from_wrong_text() -> None:
    newer = llvm_version()[0] + 1
    text = f'new words\n!llvm.ident = !{{!0}}\n!0 = !{{!"clang version {newer}.1.0"}}\n'
    with pytest.raises(InputError, match=f"it was written by LLVM {newer}, this is LLVM {newer - 1}") as refusal:
        LlvmModule.from_text(text, "new.ll")
    assert refusal.value.slug == "ir-version"


def test_typed_pointers_are_read_where_their_text_says_enough() -> None:
    text = "define i32 @f(i32* %p, void (i8**)* %q) {\n  %v = load i32, i32* %p\n  ret i32 %v\n}"
    assert "define i32 @f(ptr %p, ptr %q)" in LlvmModule.from_text(text, "typed.ll").text()


@pytest.mark.parametrize("ident", ["", '!llvm.ident = !{!0}\n!0 = !{!"clang version 3.4"}\n'])
def test_text_of_a_much_older_llvm_is_told_from_wrong_text(ident: str) -> None:
    text = "define i32 @f(i32* %p) {\n  %v = load i32* %p\n  ret i32 %v\n}\n" + ident
    writer = "LLVM 3" if ident else "an LLVM before 15"
    with pytest.raises(InputError, match=f"at line 2, column 18: it was written by {writer}, and") as refusal:
        LlvmModule.from_text(text, "old.ll")
    assert refusal.value.slug == "ir-version" and "llvm-as" in str(refusal.value.hint)


def test_a_star_in_a_string_or_comment_is_no_pointer() -> None:
    with pytest.raises(InputError) as refusal:
        LlvmModule.from_text('@s = constant [4 x i8] c"i8* " ; i8* %x\n@t = nonsense', "new.ll")
    assert refusal.value.slug == "bad-ir"


@pytest.mark.parametrize("data", [b"", b"BC\xc0\xde", b"not bitcode at all", b"\0" * 100])
def test_what_is_not_bitcode_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"cannot read LLVM bitcode 'x\.bc'") as refusal:
        LlvmModule.from_bitcode(data, "x.bc")
    assert refusal.value.slug == "bad-ir"


def test_a_module_for_another_machine_is_refused() -> None:
    with pytest.raises(InputError, match=r"it is for wasm32-unknown-unknown, this machine is") as refusal:
        LlvmModule.from_text('target triple = "wasm32-unknown-unknown"', "web.ll")
    assert refusal.value.slug == "other-target"


_INVALID = """
define i32 @f() {debug} {{
  br label %b
a:
  %x = add i32 1, 1
  br label %b
b:
  ret i32 %x
}}
"""
_DEBUG = """
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "f.c", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 1, spFlags: DISPFlagDefinition, unit: !1)
!4 = distinct !DISubprogram(name: "g", scope: !2, file: !2, line: 1, spFlags: DISPFlagDefinition, unit: !1)
!5 = !DILocation(line: 2, column: 1, scope: !4)
"""
_WRONG_LOCATION = """
@text = constant [9 x i8] c", !dbg !5"
define i32 @f(i32 %x) !dbg !3 {
    #dbg_value(i32 %x, !6, !DIExpression(), !5)
  %y = add i32 %x, 1, !dbg !5
  ret i32 %y
}
!6 = !DILocalVariable(name: "x", scope: !4, file: !2, line: 1)
"""


@pytest.mark.parametrize("text", [_INVALID.format(debug=""), _INVALID.format(debug="!dbg !3") + _DEBUG])
def test_the_verifiers_words_are_passed_on(text: str) -> None:
    with pytest.raises(InputError, match=r"LLVM's verifier says Instruction does not dominate all uses!\n") as refusal:
        LlvmModule.from_text(text, "f.ll")
    assert refusal.value.slug == "invalid-ir"


def test_invalid_bitcode_with_debug_information_is_refused() -> None:
    text = _INVALID.format(debug="!dbg !3") + _DEBUG
    unverified = LlvmModule(read_text(text, require_llvm().create_context(), "f.ll"), "f.ll")
    with pytest.raises(InputError, match="Instruction does not dominate all uses!") as refusal:
        LlvmModule.from_bitcode(unverified.bitcode(), "f.bc")
    assert refusal.value.slug == "invalid-ir"


def test_debug_information_that_breaks_rules_is_refused_or_left_out() -> None:
    with pytest.raises(InputError, match="attachment points at wrong subprogram") as refusal:
        LlvmModule.from_text(_WRONG_LOCATION + _DEBUG, "f.ll")
    assert refusal.value.slug == "invalid-ir"

    module = LlvmModule.from_text(_WRONG_LOCATION + _DEBUG, "f.ll", strip_invalid_debug_info=True)
    assert "attachment points at wrong subprogram" in module.stripped
    assert 'c", !dbg !5"' in module.text()
    assert module.text().count("dbg") == 1
    assert LlvmModule.from_text(module.text(), "f.ll", strip_invalid_debug_info=True).stripped == ""


def test_linking_brings_definitions_together() -> None:
    module = LlvmModule.from_text(
        "declare i32 @sum(i32)\ndefine i32 @ten() {\n %r = call i32 @sum(i32 10)\n ret i32 %r\n}", "ten.ll"
    )
    assert module.declarations() == ["sum"]
    module.link_in(LlvmModule.from_text(_LOOP, "loop.ll"))
    assert module.declarations() == [] and sorted(module.functions()) == ["slot", "sum", "ten"]


def test_linking_two_definitions_of_one_name_is_refused() -> None:
    module = LlvmModule.from_text(_LOOP, "one.ll")
    with pytest.raises(InputError, match=r"cannot link 'two\.ll' into 'one\.ll': .*multiply defined") as refusal:
        module.link_in(LlvmModule.from_text(_LOOP, "two.ll"))
    assert refusal.value.slug == "cannot-link"


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_every_level_leaves_a_valid_module(level: int) -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    module.optimize(level)
    module.verify()
    assert ("alloca" in module.text()) == (level == 0)


def test_loops_are_vectorized_from_level_2_on() -> None:
    text = """
define void @add(ptr noalias %a, ptr noalias %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %q = getelementptr inbounds float, ptr %b, i64 %i
  %x = load float, ptr %p
  %y = load float, ptr %q
  %z = fadd float %x, %y
  store float %z, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %loop, label %out
out:
  ret void
}"""
    vectorized = []
    for level in (1, 2, 3):
        module = LlvmModule.from_text(text, "add.ll")
        module.optimize(level)
        vectorized.append("x float>" in module.text())
    assert vectorized == [False, True, True]


@pytest.mark.parametrize("name", PASS_NAMES)
def test_every_named_pass_runs_and_leaves_a_valid_module(name: str) -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    module.run_passes([name])
    module.verify()


def test_passes_of_pipelines_run_alone() -> None:
    text = """
define internal i32 @triple(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define i32 @sum(i32 %n, ptr noalias %p, ptr noalias %q) {
entry:
  %slot = alloca i32
  store i32 %n, ptr %slot
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %same = mul i32 %n, 7
  %twice = mul i32 %n, 7
  %loaded = load i32, ptr %q
  %called = call i32 @triple(i32 %loaded)
  %more = add i32 %called, %same
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 %more, ptr %at
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, 4
  br i1 %goes, label %loop, label %out
out:
  %kept = load i32, ptr %slot
  %result = add i32 %kept, %twice
  ret i32 %result
}
"""
    shows = {  # whether it is there afterwards: the slot, the loop, a second product, the call, the load in the loop
        "licm": (True, True, True, True, False),
        "early-cse": (True, True, False, True, True),
        "gvn": (True, True, False, True, False),
        "mem2reg": (False, True, True, True, True),
        "inline": (True, True, True, False, True),
        "loop-unroll-full": (True, True, True, True, True),  # not before its call is inlined
    }
    for name in PIPELINE_PASSES:
        module = LlvmModule.from_text(text, "sum.ll")
        module.run_pipeline_pass(name)
        module.verify()
        after = module.text()
        before_loop, _, loop = after.partition("\nloop:")
        if name in shows:
            found = ("alloca" in after, "br i1" in after, after.count("mul i32 %n, 7") > 1, "call i32" in after,
                     "load i32, ptr %q" not in before_loop or "load i32, ptr %q" in loop)  # fmt: skip
            assert found == shows[name], name


@pytest.mark.parametrize("name", [name for name, each in PASS_NAMES.items() if each.kind == "function"])
def test_passes_of_functions_leave_other_functions_alone(name: str) -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    other = module.text().split("@slot")[1].partition("}")[0]
    module.run_passes([name], ["sum"])
    assert module.text().split("@slot")[1].partition("}")[0] == other


def test_passes_run_in_order_on_chosen_functions() -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    module.run_passes(["dce", "sroa"], ["slot"])
    assert "alloca" not in module.text() and "%dead" in module.text()


def test_unknown_passes_are_answered_with_what_comes_near() -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    for name, near in [("gvn", "newgvn"), ("mem2reg", "sroa"), ("instcombin", "instcombine")]:
        with pytest.raises(UsageError, match=f"cannot run the pass '{name}'") as refusal:
            module.run_passes([name])
        assert refusal.value.slug == "unknown-pass" and near in str(refusal.value.hint)


def test_module_passes_are_not_for_functions() -> None:
    with pytest.raises(UsageError, match="cannot run the pass 'globaldce' on functions") as refusal:
        LlvmModule.from_text(_LOOP, "loop.ll").run_passes(["globaldce"], ["sum"])
    assert refusal.value.slug == "module-pass"


def test_a_function_that_is_not_there_is_answered_with_what_comes_near() -> None:
    with pytest.raises(UsageError, match=r"cannot find a function 'sun' in 'loop\.ll'") as refusal:
        LlvmModule.from_text(_LOOP, "loop.ll").run_passes(["dce"], ["sun"])
    assert refusal.value.hint == "did you mean 'sum'?"


def test_generating_code_leaves_the_module_as_it_is() -> None:
    module = LlvmModule.from_text(_LOOP, "loop.ll")
    before = module.text()
    assert module.object(2)[:4] == b"\x7fELF"
    assert "sum:" in module.assembly(2)
    assert module.text() == before


def test_an_object_has_what_the_jit_must_not_see_under_other_names(tmp_path: Path) -> None:
    module = LlvmModule.from_text(
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
        " [{ i32, ptr, ptr } { i32 7, ptr @c, ptr null }]\n"
        "declare i32 @atexit(ptr)\n"
        "define void @c() {\n  %r = call i32 @atexit(ptr null)\n  ret void\n}",
        "c.ll",
    )
    path = tmp_path / "c.o"
    path.write_bytes(module.object(0))
    symbols = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
    assert ATEXIT in symbols and CONSTRUCTORS in symbols and " atexit" not in symbols
    assert "llvm.global_ctors" in module.text()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@a = thread_local global i32 0", True),
        ("@a = internal thread_local(initialexec) global i32 0", True),
        ("@a = external thread_local global i32", True),
        ('@"a thread_local b" = global i32 0', False),
        ('@a = constant [13 x i8] c" thread_local"', False),
    ],
)
def test_thread_locals_are_told_from_others(line: str, expected: bool) -> None:
    assert LlvmModule.from_text(line, "a.ll").has_thread_locals() == expected
