"""From files to modules."""

import ctypes
from pathlib import Path

import pytest

from sonde.base.errors import InputError, MissingCapability, UsageError
from sonde.base.steps import Steps
from sonde.jit import check_source, compile_file, compile_files
from sonde.jit.compilers import find_compiler
from sonde.jit.runtime import runtime_module
from sonde.llvm.linking_jit import LinkingJit

_LOOP = "int sum(int n) { int total = 0; for (int i = 0; i < n; i++) total += i * n; return total; }\n"


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_c_is_fit_to_be_optimised(tmp_path: Path) -> None:
    module = compile_file(_file(tmp_path, "x.c", _LOOP))
    assert "alloca" in module.text() and "optnone" not in module.text() and "noinline" not in module.text()
    module.optimize(2)
    assert "alloca" not in module.text()


def test_a_level_gives_what_an_object_file_would_be_made_of(tmp_path: Path) -> None:
    path = _file(tmp_path, "x.c", _LOOP)
    assert "alloca" not in compile_file(path, level=2).text()
    assert "optnone" in compile_file(path, level=0).text()


def test_who_waits_is_told_of_each_file_and_shows_the_warnings(tmp_path: Path) -> None:
    class Told(Steps):
        def __init__(self) -> None:
            self.log = list[object]()

        def done(self, count: int, total: int) -> None:
            self.log.append((count, total))

        def say(self, text: str) -> None:
            self.log.append("unused" in text)

    steps = Told()
    compile_files([_file(tmp_path, "x.c", _LOOP), _file(tmp_path, "y.c", "static int unused;")], ["-Wall"], steps=steps)
    assert steps.log == [(1, 2), True, (2, 2)]


def test_an_error_of_the_compiler_is_plain_text_also_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with pytest.raises(InputError) as caught:
        compile_file(_file(tmp_path, "x.c", "int main(void) { return y; }\n"))
    assert "x.c:1:" in caught.value.message and "\x1b" not in caught.value.message


def test_names_and_lines_are_kept_when_asked_for(tmp_path: Path) -> None:
    path = _file(tmp_path, "x.c", _LOOP)
    assert "%total" in compile_file(path, names=True).text() and "%total" not in compile_file(path).text()
    assert "DILocation" in compile_file(path, debug=True).text() and "DILocation" not in compile_file(path).text()


def test_files_come_back_in_order_whatever_they_are(tmp_path: Path) -> None:
    text = _file(tmp_path, "b.ll", "define i32 @b() {\n  ret i32 1\n}\n")
    bitcode = tmp_path / "c.bc"
    bitcode.write_bytes(compile_file(_file(tmp_path, "c.c", "int c(void) { return 2; }")).bitcode())
    cxx = _file(tmp_path, "d.cpp", 'extern "C" int d() { return 3; }')
    modules = compile_files([_file(tmp_path, "a.c", "int a(void) { return 0; }"), text, bitcode, cxx])
    assert [module.functions() for module in modules] == [["a"], ["b"], ["c"], ["d"]]
    assert modules[0].name == str(tmp_path / "a.c")


def test_the_compilers_words_are_passed_on_with_the_path_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _file(tmp_path, "x.c", "int f(void) { return y; }")
    with pytest.raises(InputError) as refusal:
        compile_file("x.c")
    assert refusal.value.slug == "does-not-compile"
    assert refusal.value.message.startswith("cannot compile 'x.c':\nx.c:1:22: error: use of undeclared identifier 'y'")


def test_long_complaints_are_cut(tmp_path: Path) -> None:
    path = _file(tmp_path, "x.c", "\n".join(f"int f{k}(void) {{ return undeclared_{k}; }}" for k in range(100)))
    with pytest.raises(InputError) as refusal:
        compile_file(path, ["-ferror-limit=0"])
    lines = refusal.value.message.splitlines()
    assert len(lines) == 42 and lines[-1].startswith("... and ")


def test_a_path_that_looks_like_an_option_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _file(tmp_path, "-x.c", "int f(void) { return 1; }")
    assert compile_file("-x.c").functions() == ["f"]


@pytest.mark.parametrize(
    ("name", "slug"), [("none.c", "no-such-source"), ("folder.c", "no-such-source"), ("x.txt", "unknown-source")]
)
def test_what_is_no_source_is_refused(name: str, slug: str, tmp_path: Path) -> None:
    (tmp_path / "folder.c").mkdir()
    with pytest.raises((InputError, UsageError)) as refusal:
        check_source(tmp_path / name)
    assert refusal.value.slug == slug


def test_results_do_not_depend_on_the_cpu_having_fused_operations(tmp_path: Path) -> None:
    path = _file(tmp_path, "x.c", "double f(double a, double b, double c) { return a * b + c; }")
    assert "fma" not in compile_file(path, level=2).assembly(2)
    assert "contract" not in compile_file(path, level=2).text()


def test_external_variables_are_reached_through_a_table(tmp_path: Path) -> None:
    text = "@far = external dso_local global i32\ndefine i32 @f() {\n  %v = load i32, ptr @far\n  ret i32 %v\n}\n"
    module = compile_file(_file(tmp_path, "x.ll", text))
    assert "dso_local" not in module.text() and "far@GOTPCREL" in module.assembly(2)


def test_invalid_ir_is_refused(tmp_path: Path) -> None:
    text = "define i32 @f() {\n  br label %b\na:\n  %x = add i32 1, 1\n  br label %b\nb:\n  ret i32 %x\n}"
    with pytest.raises(InputError) as refusal:
        compile_file(_file(tmp_path, "x.ll", text))
    assert refusal.value.slug == "invalid-ir"


def test_debug_information_that_breaks_rules_is_left_out_with_a_warning(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (
        "define i32 @f() !dbg !2 {\n  ret i32 0, !dbg !4\n}\n"
        "!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n"
        '!0 = !{i32 2, !"Debug Info Version", i32 3}\n'
        "!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !5, emissionKind: FullDebug)\n"
        '!2 = distinct !DISubprogram(name: "f", file: !5, spFlags: DISPFlagDefinition, unit: !1)\n'
        '!3 = distinct !DISubprogram(name: "g", file: !5, spFlags: DISPFlagDefinition, unit: !1)\n'
        "!4 = !DILocation(line: 1, scope: !3)\n"
        '!5 = !DIFile(filename: "f.c", directory: "/")\n'
    )
    path = _file(tmp_path, "f.ll", text)
    assert "dbg" not in compile_file(path).text()
    said = capfd.readouterr().err
    assert said.startswith(f"warning: debug information of '{path}' is left out: LLVM's verifier says !dbg attachment")


@pytest.mark.parametrize(
    ("output", "fact"), [("clang version 99.0.0", "it is clang 99"), ("cc 1.0", "it is not clang")]
)
def test_a_compiler_that_will_not_do_is_refused(
    output: str, fact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = _file(tmp_path, "cc", f"#!/bin/sh\necho '{output}'\n")
    command.chmod(0o755)
    monkeypatch.setenv("SONDE_CC", str(command))
    with pytest.raises(MissingCapability, match=fact) as refusal:
        find_compiler()
    assert refusal.value.slug == "no-c-compiler"


def test_without_a_compiler_the_hint_is_to_install_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SONDE_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sonde.jit.compilers.find_spec", lambda name: None)
    with pytest.raises(MissingCapability) as refusal:
        find_compiler()
    assert refusal.value.hint == "python -m pip install 'sonde[c]'"


def test_a_clang_on_the_path_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SONDE_CC", raising=False)
    monkeypatch.setattr("sonde.jit.compilers.find_spec", lambda name: None)
    for name, version in [("clang", 99), ("clang-15", 15)]:
        _file(tmp_path, name, f"#!/bin/sh\necho 'clang version {version}.0.1'\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler().command == (str(tmp_path / "clang-15"),)


HIDDEN_C = '__attribute__((visibility("hidden"))) extern int far;\nint *where(void) { return &far; }\n'
HIDDEN_LL = "@far = external hidden global i32\ndefine ptr @where() {\n  ret ptr @far\n}\n"


@pytest.mark.parametrize(("name", "text"), [("x.c", HIDDEN_C), ("x.ll", HIDDEN_LL)])
def test_what_is_hidden_may_lie_anywhere(tmp_path: Path, name: str, text: str) -> None:
    module = compile_file(_file(tmp_path, name, text))
    jit = LinkingJit()
    nowhere_near = 0x12345
    library = jit.link("far", [module.object(2)], ["where"], {"far": nowhere_near})
    assert ctypes.CFUNCTYPE(ctypes.c_void_p)(library.addresses["where"])() == nowhere_near
    jit.close()


def test_the_end_of_a_cpp_program_is_told_by_a_handle_that_may_lie_anywhere(tmp_path: Path) -> None:
    module = compile_file(_file(tmp_path, "x.cpp", "struct A { ~A(); };\nstatic A a;\nA::~A() {}\n"))
    assert "__dso_handle" in module.declarations() and not module.declares_hidden()
    assert not runtime_module().declares_hidden()
