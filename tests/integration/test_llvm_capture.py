"""Capturing real compilations: nothing is different but that there are remarks."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from measuring import run_sonde
from sonde.base.errors import MissingCapability, UsageError
from sonde.instruments.decisions.capture import CaptureOptions, capture
from sonde.instruments.decisions.model import CallSite, DecisionRun
from sonde.instruments.decisions.readers import RunPlace
from sonde.instruments.decisions.readers.llvm import LLVM
from sonde.jit.compilers import find_compiler

LIBRARY = "int twice(int x) { return x * 2; }\n"
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
int twice(int);
static int square(int x) { return x * x + 1; }
int main(int count, char **words) {
  long sum = 0;
  for (int i = 0; i < 20000000; i++) sum += square(i ^ (int)sum);
  printf("%d %ld %d\\n", twice(count), sum, getchar());
  return count > 1 ? atoi(words[1]) : 0;
}
"""


def zig() -> str:
    spec = find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("there is no zig: the package ziglang is not installed")
    return str(Path(spec.submodule_search_locations[0]) / "zig")


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name}")
    return found


def read(folder: Path) -> DecisionRun:
    return LLVM.read(RunPlace(folder), None)


def inlined(run: DecisionRun, method: str) -> list[str | None]:
    def names(site: CallSite) -> list[str | None]:
        return [each.method for each in site.children if each.inlined] + [
            n for each in site.children for n in names(each)
        ]

    (unit,) = (each for each in run.units if each.method == method)
    return names(unit.load().inlining)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "twice.c").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_several_sources_are_compiled_and_linked_as_without(program: Path) -> None:
    command = [zig(), "cc", "-O2", "main.c", "lib/twice.c", "-o", "prog", "-MD", "-MF", "deps"]
    subprocess.run(command, check=True, capture_output=True)
    before = (program / "prog").read_bytes()

    said: list[str] = []
    exit_code = capture(command, program / "run", say=said.append)

    assert exit_code == 0
    assert (program / "prog").read_bytes() == before
    assert sorted(path.name for path in program.iterdir()) == ["deps", "lib", "main.c", "prog", "run"]
    assert any("-g" in line for line in said)
    run = read(program / "run")
    assert {(unit.method, unit.version) for unit in run.units} >= {("main", "main"), ("twice", "lib/twice")}
    assert "square" in inlined(run, "main")
    manifest = RunPlace(program / "run").manifest
    assert manifest is not None
    assert (manifest.kind, manifest.record) == ("llvm", program / "run" / "remarks")
    assert "clang" in (manifest.compiler or "")


def test_a_compiler_that_fails_fails_as_without(program: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (program / "main.c").write_text("int main( {\n", encoding="utf-8")

    exit_code = capture([zig(), "cc", "-c", "main.c"], program / "run", say=lambda _: None)

    assert exit_code == 1
    assert "main.c:1:11: error" in capfd.readouterr().err
    assert not (program / "run").exists()


def test_another_compiler_is_refused(program: Path) -> None:
    with pytest.raises(UsageError) as refused:
        capture([tool("gcc"), "-c", "main.c"], program / "run")

    assert refused.value.slug == "no-remarks-compiler"


@pytest.mark.parametrize("words", [["-E", "main.c"], ["main.o"]])
def test_a_command_that_compiles_nothing_is_refused(program: Path, words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        capture(["clang", *words], program / "run")

    assert refused.value.slug == "nothing-compiled"


RUST = 'fn step(x: u64) -> u64 { x.wrapping_mul(31) }\nfn main() { println!("{}", (0..9).map(step).sum::<u64>()); }\n'


def test_rustc_makes_what_it_makes_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rustc = tool("rustc")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.rs").write_text(RUST, encoding="utf-8")
    subprocess.run([rustc, "-O", "m.rs"], check=True)
    before = (tmp_path / "m").read_bytes()

    exit_code = capture([rustc, "-O", "m.rs"], tmp_path / "run", say=lambda _: None)

    assert exit_code == 0
    assert (tmp_path / "m").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "m.rs", "run"]
    assert any(unit.method == "m::main" for unit in read(tmp_path / "run").units)


def test_cargo_runs_the_program_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cargo = tool("cargo")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text(RUST, encoding="utf-8")
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n', encoding="utf-8"
    )
    (tmp_path / "build.rs").write_text("fn main() {}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    exit_code = capture([cargo, "run", "--release", "--offline", "-q"], tmp_path / "run", say=lambda _: None)

    assert exit_code == 0
    assert capfd.readouterr().out == "1116\n"
    methods = {unit.method for unit in read(tmp_path / "run").units}
    assert "m::main" in methods
    assert not any("build_script" in method for method in methods)


def test_a_program_that_sonde_runs_is_captured_with_times(program: Path) -> None:
    try:
        find_compiler()
    except MissingCapability as missing:
        pytest.skip(str(missing))
    said: list[str] = []

    done = subprocess.run(
        [sys.executable, "-c", "import sys; from pathlib import Path; "
         "from sonde.instruments.decisions.capture import capture; sys.exit(capture(sys.argv[2:], Path(sys.argv[1])))",
         str(program / "run"), "main.c", "lib/twice.c", "-O2", "--", "37"],
        input=b"A", capture_output=True, check=False,
    )  # fmt: skip

    assert done.returncode == 37
    assert done.stdout.split()[0::2] == [b"4", b"65"]
    assert sorted(path.name for path in program.iterdir()) == ["lib", "main.c", "run"]
    run = read(program / "run")
    assert "square" in inlined(run, "main")
    if b"there are no times" in done.stderr:
        pytest.skip("perf does not work here")
    assert run.profile is not None
    assert max(run.units, key=lambda unit: unit.period).method == "main"
    assert sum(unit.period for unit in run.units) > 0.5 * run.profile.total
    assert said == []


@pytest.mark.parametrize(("source", "exit_code"), [("main.c", 0), ("broken.c", 1)])
def test_without_llvmlite_a_program_is_recorded_and_not_run(program: Path, source: str, exit_code: int) -> None:
    try:
        find_compiler()
    except MissingCapability as missing:
        pytest.skip(str(missing))
    (program / "no" / "llvmlite").mkdir(parents=True)
    (program / "no" / "llvmlite" / "__init__.py").write_text("raise ImportError('none here')\n", encoding="utf-8")
    (program / "broken.c").write_text("int main( {\n", encoding="utf-8")

    done = run_sonde(
        "decisions", "capture", "-o", "run", "--", source, "-O2", cwd=program, PYTHONPATH=str(program / "no")
    )

    assert done.returncode == exit_code
    assert done.stdout == ""
    assert "not run, so there are no times: cannot use LLVM: none here" in done.stderr
    if exit_code == 0:
        assert "square" in inlined(read(program / "run"), "main")


NUMBA = """\
MODULE = '''
define internal i64 @_ZN8__main__5innerB2v1B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx(i64 %x) {
  %y = mul i64 %x, 3
  ret i64 %y
}
define i64 @_ZN8__main__1gB2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx(i64 %x) {
  %y = call i64 @_ZN8__main__5innerB2v1B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx(i64 %x)
  ret i64 %y
}
'''
class CPUCodeLibrary:
    _final_module = MODULE
    def _optimize_final_module(self):
        print("optimized")
"""


def test_modules_of_numba_are_optimized_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for Numba that has what is wrapped of it."""
    try:
        find_compiler()
    except MissingCapability as missing:
        pytest.skip(str(missing))
    (tmp_path / "numba" / "core").mkdir(parents=True)
    for name in ("numba/__init__.py", "numba/core/__init__.py"):
        (tmp_path / name).touch()
    (tmp_path / "numba" / "core" / "codegen.py").write_text(NUMBA, encoding="utf-8")
    (tmp_path / "prog.py").write_text(
        "import os, sys\nfrom numba.core import codegen\ncodegen.CPUCodeLibrary()._optimize_final_module()\n"
        "print([each for each in sys.path if 'numba_child' in each], 'sitecustomize' in sys.modules)\nsys.exit(5)\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)

    exit_code = capture([sys.executable, "prog.py"], tmp_path / "run", CaptureOptions(kind="llvm"), say=lambda _: None)

    assert exit_code == 5
    assert capfd.readouterr().out == "optimized\n[] False\n"
    run = read(tmp_path / "run")
    assert inlined(run, "__main__::g(long long)") == ["__main__::inner(long long)"]
    assert {unit.id for unit in run.units} >= {"_ZN8__main__1gB2v2B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dEx"}
