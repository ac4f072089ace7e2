"""`sonde vm run` does what the same program does when a system's compiler and linker have built it."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from measuring import SONDE, environment
from sonde.jit import link_program
from sonde.jit.compilers import find_compiler
from sweeps import rare

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
_PATIENCE_S = 600
_ENDINGS = (
    "return", "exit", "_exit", "quick_exit", "abort", "segv", "overflow", "divide", "trap", "kill", "term", "pipe",
    "int", "handled", "recovers", "pthread_exit", "thread-exit", "fork", "plain",
)  # fmt: skip
_CRASHES = {
    "abort": "SIGABRT",
    "segv": "SIGSEGV in main",
    "overflow": "SIGSEGV in overflow",
    "divide": "SIGFPE in main",
    "trap": "SIGILL in main",
}

Build = Callable[..., Path]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds an executable from files of `programs_in_c`, once."""
    built: dict[tuple[str, ...], Path] = {}

    def make(*names: str) -> Path:
        if names not in built:
            path = tmp_path_factory.mktemp("ahead") / "program"
            compiler = find_compiler()
            driver = ["--driver-mode=g++"] if names[0].endswith(".cpp") else []
            objects = []
            for name in names:
                objects.append(str(path.with_suffix("." + name + ".o")))
                command = [*compiler.command, *driver, "-O2", "-w", "-fPIE", "-ffp-contract=off", "-c"]
                subprocess.run([*command, str(_PROGRAMS / name), "-o", objects[-1]], check=True)
            linker = "g++" if driver else "gcc"
            subprocess.run([linker, "-pie", *objects, "-lm", "-lpthread", "-o", str(path)], check=True)
            built[names] = path
        return built[names]

    return make


def _vm_run(*words: str | Path, **given: object) -> "subprocess.CompletedProcess[bytes]":
    return _run([*SONDE, "vm", "run", *map(str, words)], **given)


def _run(command: list[str], **given: object) -> "subprocess.CompletedProcess[bytes]":
    settings: dict[str, object] = {"stdin": subprocess.DEVNULL, "env": environment(), "timeout": _PATIENCE_S, **given}
    if "input" in settings:
        del settings["stdin"]
    return subprocess.run(command, capture_output=True, check=False, **settings)  # type: ignore[call-overload, no-any-return]  # forwarded


@pytest.mark.parametrize("how", _ENDINGS)
def test_a_program_ends_as_it_ends_alone(how: str, build: Build) -> None:
    alone = _run([str(build("endings.c")), how])
    ours = _vm_run(_PROGRAMS / "endings.c", "--", how)
    assert (ours.returncode, ours.stdout) == (alone.returncode, alone.stdout)
    said = ours.stderr.decode()
    if how in _CRASHES:
        assert said == f"sonde: '{_PROGRAMS / 'endings.c'}' was killed by {_CRASHES[how]}\n"
    else:
        assert said == ""


_IN_C, _IN_CXX = ("language.c", "language_2.c"), ("classes.cpp", "classes_2.cpp")
_BUILDS = [(level, names) for level in ("-O0", "-O1", "-O2", "-O3") for names in (_IN_C, _IN_CXX)]
"""C++, which takes ten times as long to compile, at the level at which most is done to it."""


@pytest.mark.parametrize(
    ("level", "names"), rare(_BUILDS, [("-O0", _IN_C), ("-O1", _IN_C), ("-O2", _IN_C), ("-O3", _IN_CXX)])
)
def test_a_program_says_what_it_says_alone(names: tuple[str, ...], level: str, build: Build) -> None:
    words = b"a bb ccc\n"
    alone = _run([str(build(*names))], input=words)
    ours = _vm_run(level, *(_PROGRAMS / name for name in names), input=words)
    assert ours.stdout.decode() == alone.stdout.decode()
    assert (ours.returncode, ours.stderr) == (alone.returncode, b"")
    assert alone.returncode in (0, 46) and len(alone.stdout) > 200


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C++ program in one module, so that it is compiled once for all of its runs."""
    path = tmp_path_factory.mktemp("classes") / "classes.bc"
    path.write_bytes(link_program([_PROGRAMS / "classes.cpp", _PROGRAMS / "classes_2.cpp"], ["-w"]).module.bitcode())
    return path


@pytest.mark.parametrize("how", ["uncaught", "noexcept", "exit"])
def test_exceptions_that_nobody_catches_end_a_program_as_alone(how: str, build: Build, classes: Path) -> None:
    alone = _run([str(build("classes.cpp", "classes_2.cpp")), how])
    ours = _vm_run(classes, "-lstdc++", "--", how)
    assert (ours.returncode, ours.stdout) == (alone.returncode, alone.stdout)
    assert ours.stderr.startswith(alone.stderr)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", None])
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_program_finds_the_surroundings_that_it_finds_alone(
    locale: str | None, unbuffered: bool, build: Build
) -> None:
    given = {name: value for name, value in environment().items() if not name.startswith(("LC_", "LANG"))}
    given.update({"LANG": locale} if locale else {}, **({"PYTHONUNBUFFERED": "1"} if unbuffered else {}))
    with Path("/dev/null").open() as extra:
        settings = {"input": b"text\nmore", "env": given, "pass_fds": (extra.fileno(),)}
        alone = _run([str(build("surroundings.c")), "a", "b c", ""], **settings)
        ours = _vm_run(_PROGRAMS / "surroundings.c", "--", "a", "b c", "", **settings)
    expected = alone.stdout.replace(os.fsencode(build("surroundings.c")), os.fsencode(_PROGRAMS / "surroundings.c"))
    assert ours.stdout.decode() == expected.decode()
    assert (ours.returncode, ours.stderr) == (alone.returncode, alone.stderr)


def test_ignored_signals_stay_ignored(build: Build) -> None:
    command = [*SONDE, "vm", "run", str(_PROGRAMS / "surroundings.c")]
    outputs = []
    for words in (command, [str(build("surroundings.c"))]):
        shell = ["sh", "-c", 'trap "" INT QUIT; exec "$@"', "sh", *words]
        outputs.append([line for line in _run(shell).stdout.splitlines() if line.startswith(b"signal")])
    assert outputs[0] == outputs[1]
    assert len(outputs[1]) == 2


def test_closed_streams_stay_closed(build: Build) -> None:
    command = [*SONDE, "vm", "run", str(_PROGRAMS / "endings.c"), "--", "return"]
    for closed in (">&-", "<&-", "2>&-", "<&- >&- 2>&-"):
        assert _run(["sh", "-c", f'"$@" {closed}', "sh", *command]).returncode == 7


def test_a_reader_that_leaves_ends_the_program(tmp_path: Path) -> None:
    source = tmp_path / "yes.c"
    source.write_text('#include <stdio.h>\nint main(void) { for (;;) puts("y"); }')
    shell = ["bash", "-c", '"$@" | head -2; echo ${PIPESTATUS[0]}', "bash", *SONDE, "vm", "run", str(source)]
    assert _run(shell).stdout == b"y\ny\n141\n"


@pytest.mark.parametrize("to_the_group", [False, True])
def test_a_signal_reaches_the_program_once(tmp_path: Path, to_the_group: bool) -> None:
    source = tmp_path / "waits.c"
    source.write_text(
        "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        "static volatile int count; static void on(int number) { count++; }\n"
        'int main(void) { signal(SIGINT, on); puts("ready"); fflush(stdout);\n'
        "  for (int i = 0; i < 100 && !count; i++) usleep(50000); usleep(300000); return 10 + count; }\n"
    )
    command = [*SONDE, "vm", "run", str(source)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, env=environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        if to_the_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            os.kill(process.pid, signal.SIGINT)
        assert process.wait(_PATIENCE_S) == 11


def test_a_program_that_never_ends_is_stopped_from_the_keyboard(tmp_path: Path) -> None:
    source = tmp_path / "forever.c"
    source.write_text("int main(void) { for (volatile int i = 0;; i++); }")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(sys.executable, [*SONDE, "vm", "run", str(source)], environment())
    time.sleep(1.5)  # until it runs; an early Ctrl-C ends it too, with another code
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) in (-signal.SIGINT, 130)


def test_a_terminal_is_the_programs(tmp_path: Path) -> None:
    source = tmp_path / "asks.c"
    source.write_text(
        "#include <stdio.h>\n#include <unistd.h>\n"
        'int main(void) { char name[99]; printf("name? "); fgets(name, 99, stdin); printf("hello %s", name);\n'
        "  return isatty(0) && isatty(1) && tcgetpgrp(0) == getpgrp() ? 4 : 5; }\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(sys.executable, [*SONDE, "vm", "run", str(source)], environment())
    shown = b""
    while b"name? " not in shown:
        shown += os.read(terminal, 100)
    os.write(terminal, b"Ada\n")
    while b"hello Ada" not in shown:
        shown += os.read(terminal, 100)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 4
    os.close(terminal)


def test_the_heap_is_that_of_a_new_process(tmp_path: Path) -> None:
    # What compiling left free lies here and there; a new process has its objects side by side, in order.
    (tmp_path / "heap.c").write_text("""
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
          char *last = 0;
          int back = 0;
          for (int i = 0; i < 5000; i++) {
            char *here = malloc(16 + i * 37 % 480);
            back += here < last;
            last = here;
          }
          printf("%d backwards", back);
          return 0;
        }""")
    done = _vm_run("heap.c", "-O1", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (b"0 backwards", b"", 0)


def test_modules_of_llvm_are_programs_too(tmp_path: Path) -> None:
    command = [*find_compiler().command, "-O1", "-fPIE", "-w", "-emit-llvm"]
    text, bitcode = tmp_path / "language.ll", tmp_path / "language_2.bc"
    subprocess.run([*command, "-S", str(_PROGRAMS / "language.c"), "-o", str(text)], check=True)
    subprocess.run([*command, "-c", str(_PROGRAMS / "language_2.c"), "-o", str(bitcode)], check=True)
    assert _vm_run(text, bitcode).stdout == _vm_run(_PROGRAMS / "language.c", _PROGRAMS / "language_2.c").stdout


def test_ir_for_a_fixed_place_runs_anywhere(tmp_path: Path) -> None:
    source = tmp_path / "fixed.c"
    source.write_text('#include <stdio.h>\nint main(void) { fputs("from afar\\n", stdout); return !environ_is(); }\n'
                      "extern char **environ; int environ_is(void) { return environ != 0; }\n")  # fmt: skip
    text = tmp_path / "fixed.ll"
    options = ["-O1", "-fno-pic", "-fno-pie", "-w", "-std=gnu89", "-S", "-emit-llvm"]
    subprocess.run([*find_compiler().command, *options, str(source), "-o", str(text)], check=True)
    assert "external dso_local" in text.read_text()
    done = _vm_run(text)
    assert (done.returncode, done.stdout) == (0, b"from afar\n")


def test_options_reach_the_compiler_and_libraries_are_linked(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "number.h").write_text("int number(void);\n")
    source = tmp_path / "uses.c"
    source.write_text("#include <number.h>\nint main(void) { return number() + EXTRA + __STDC_VERSION__ / 201112L; }\n")
    library = tmp_path / "number.c"
    library.write_text("int number(void) { return 40; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", str(library), "-o", str(tmp_path / "libnumber.so")], check=True)
    words = ("-I", tmp_path / "include", "-DEXTRA=1", "-std=c11", source, f"-L{tmp_path}", "-lnumber")
    assert _vm_run(*words).returncode == 42


def test_warnings_are_said_and_nothing_is_left_behind(tmp_path: Path) -> None:
    source = tmp_path / "warns.c"
    source.write_text("int main(void) { int x = 1; x == 2; return x; }")
    given = {**environment(), "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    given.pop("XDG_CACHE_HOME", None)
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    done = _vm_run(source, env=given, cwd=tmp_path)
    assert done.returncode == 1 and b"warns.c:1:31: warning:" in done.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["home", "tmp", "warns.c"]


_NO_MAIN = "int f(void) { return 1; }"
_REFUSALS = {
    "empty.c": ("", 1, "cannot run '{}': no function 'main' is defined"),
    "no_main.c": (_NO_MAIN, 1, "cannot run '{}': no function 'main' is defined"),
    "wrong.c": ("int main(void) { return y; }", 1, "{}:1:25: error: use of undeclared identifier 'y'"),
    "missing.c": (
        "int nobody_has_this(void); int main(void) { return nobody_has_this(); }",
        1,
        "cannot link '{0}': nothing defines 'nobody_has_this' (used in {0})",
    ),
    "missing.cpp": (
        "namespace n { struct S { int f(int) const; }; } int main() { return n::S().f(1); }",
        1,
        "nothing defines 'n::S::f(int) const' (used in {})",
    ),
    "syntax.ll": ("define i32 @main() {\n  ret i32 oops\n}\n", 1, "cannot read LLVM IR '{}' at line 2, column 11"),
    "invalid.ll": (
        "define i32 @main() {\n  br label %b\na:\n  %x = add i32 1, 1\n  br label %b\nb:\n  ret i32 %x\n}\n",
        1,
        "cannot use the module '{}': LLVM's verifier says Instruction does not dominate all uses!",
    ),
    "newer.ll": ('!llvm.ident = !{{!0}}\n!0 = !{{!"clang version 99.1.0"}}\nnew words\n', 1, "was written by LLVM 99"),
    "other.ll": ('target triple = "aarch64-linux-gnu"\ndefine i32 @main() {\n ret i32 0\n}\n', 1, "this machine is"),
    "garbage.bc": ("BC\xc0\xde not bitcode", 1, "cannot read LLVM bitcode '{}'"),
    "empty.bc": ("", 1, "cannot read LLVM bitcode '{}': it is empty"),
    "program.py": ("print()", 2, "cannot tell what '{}' is"),
}


@pytest.mark.parametrize("name", _REFUSALS)
def test_what_cannot_run_is_refused(name: str, tmp_path: Path) -> None:
    text, code, said = _REFUSALS[name]
    (tmp_path / name).write_text(text.replace("{{", "{").replace("}}", "}"), encoding="latin-1")
    done = _vm_run(name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, b"")
    assert said.format(name) in done.stderr.decode()


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.c").mkdir()
    for words, code, said in [
        (["none.c"], 1, "cannot read 'none.c': no such file"),
        (["folder.c"], 1, "cannot read 'folder.c': it is a folder"),
        ([], 2, "no file was named"),
        (["x.c", "-q"], 2, "there is no option '-q'"),
        (["x.c", "-I"], 2, "'-I' is followed by nothing"),
    ]:
        done = _vm_run(*words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (code, b"")
        assert said in done.stderr.decode()


def test_libraries_and_compilers_that_are_not_there_are_named(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main(void) { return 0; }")
    done = _vm_run(source, "-lno_such_thing")
    assert done.returncode == 1 and b"cannot link with -lno_such_thing: there is no libno_such_thing.so" in done.stderr
    for named in ("no-such-compiler", "gcc"):
        done = _vm_run(source, env={**environment(), "SONDE_CC": named})
        assert done.returncode == 3 and f"cannot compile with '{named}'".encode() in done.stderr


def test_two_mains_are_too_many() -> None:
    done = _vm_run(_PROGRAMS / "endings.c", _PROGRAMS / "surroundings.c")
    assert done.returncode == 1
    assert b"cannot link" in done.stderr and b"'main'" in done.stderr


def test_a_crash_before_the_program_began_is_not_the_programs(tmp_path: Path) -> None:
    source, compiler = tmp_path / "x.c", tmp_path / "cc"
    source.write_text("int main(void) { return 0; }")
    # A compiler that kills whoever waits for it stands for an LLVM that crashes.
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "clang version 15.0" && exit\nkill -SEGV $PPID\n')
    compiler.chmod(0o755)
    done = _vm_run(source, env={**environment(), "SONDE_CC": str(compiler)})
    assert done.returncode == 1
    assert f"cannot compile '{source}': LLVM itself was killed by SIGSEGV".encode() in done.stderr


def test_without_llvm_the_hint_is_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "llvmlite").mkdir()
    (tmp_path / "llvmlite" / "__init__.py").write_text("raise ImportError('not here')")
    source = tmp_path / "x.ll"
    source.write_text("define i32 @main() {\n  ret i32 0\n}\n")
    done = _vm_run(source, env={**environment(), "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 3
    assert b"hint: python -m pip install 'sonde[llvm]'" in done.stderr
