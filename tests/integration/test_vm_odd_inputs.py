"""What strangers hand to `sonde vm`: bytes that are no text, names that are none, what a JIT cannot do."""

import os
import subprocess
from pathlib import Path

import pytest

from measuring import SONDE, environment

_PATIENCE_S = 600


def vm(*words: str | bytes, stdin: str = "", folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*SONDE, "vm", *words], input=stdin, capture_output=True, text=True, errors="replace", cwd=folder,
        env=environment(), timeout=_PATIENCE_S, check=False,
    )  # fmt: skip


def test_llvm_text_may_hold_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    text = b'; caf\xe9\n@x = constant [2 x i8] c"\xe9\\00"\ndefine i32 @main() {\n'
    text += b"  %b = load i8, ptr @x\n  %i = zext i8 %b to i32\n  ret i32 %i\n}\n"
    (tmp_path / "latin.ll").write_bytes(text)
    assert vm("run", "latin.ll", folder=tmp_path).returncode == 0xE9


def test_a_file_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    name = b"bad\xff.c"
    (tmp_path / os.fsdecode(name)).write_text("int main(void) { return 7; }")
    assert vm("run", name, folder=tmp_path).returncode == 7


def test_a_program_is_not_taken_for_commands(tmp_path: Path) -> None:
    done = vm("gone.c", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "sonde: cannot read commands from 'gone.c': it is a program\nhint: sonde vm run gone.c,"
    )


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*SONDE, "vm", "-"], input=b"modules\n", stdout=full, stderr=subprocess.PIPE, env=environment(),
            timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    assert (done.returncode, b"cannot write to standard output" in done.stderr) == (1, True)


def test_functions_are_found_by_short_names_beside_their_lambdas_and_through_aliases(tmp_path: Path) -> None:
    (tmp_path / "names.cpp").write_text(
        "#include <algorithm>\n"
        "template <class T> T added(T a, T b) { return a + b; }\n"
        "int large(int *a, int n) { return std::count_if(a, a + n, [](int x) { return x > 10; }); }\n"
        'extern "C" int original(int x) { return x + 1; }\n'
        'extern "C" int other_name(int) __attribute__((alias("original")));\n'
        "int use() { return added(1, 2); }\n"
    )
    script = "load names.cpp\ncall large([1, 20], 2)\ncall added<int>(1, 2)\ncall other_name(4)\n"
    done = vm("-", stdin=script, folder=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["1 : i32", "3 : i32", "5 : i32"])


@pytest.mark.parametrize("words", [("run", "chosen.c"), ("-",)])
def test_code_that_is_chosen_at_the_start_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "chosen.c").write_text(
        "static int one(int x) { return x; }\nstatic void *choose(void) { return (void *)one; }\n"
        'int f(int) __attribute__((ifunc("choose")));\nint main(void) { return f(0); }\n'
    )
    done = vm(*words, stdin="load chosen.c\n", folder=tmp_path)
    assert done.returncode == 1
    assert "cannot load 'f'" in done.stderr and "ifunc" in done.stderr


def test_the_c_library_calls_the_program_by_its_name_and_knows_the_processor(tmp_path: Path) -> None:
    (tmp_path / "named.c").write_text(
        "#include <err.h>\nint main(void) { __builtin_cpu_init();\n"
        '  warnx("%d", !!__builtin_cpu_supports("sse2")); return 0; }\n'
    )
    assert vm("run", "named.c", folder=tmp_path).stderr == "named.c: 1\n"


def test_a_crash_takes_the_program_in_the_background_along_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "two.c").write_text(
        "volatile int go = 1; int main(void) { while (go) {} return 0; } int crash(int *p) { return *p; }\n"
    )
    done = vm("-", stdin="load two.c\nstart\n- call crash(null)\nmodules\n", folder=tmp_path)
    assert done.returncode == 0
    assert "the program that was started is gone with it" in done.stderr


def test_perf_is_told_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "told.c").write_text(
        '#include <unistd.h>\n#include <stdio.h>\nint main(void) { printf("%d", getpid()); }\n'
    )
    done = vm("run", "--perf", "told.c", folder=tmp_path)
    perf_map = Path(f"/tmp/perf-{done.stdout}.map")
    try:
        assert perf_map.read_text().split()[2] == "main"
        assert (tmp_path / f"jit-{done.stdout}.dump").read_bytes()[:4] == b"DTiJ"
    finally:
        perf_map.unlink(missing_ok=True)
