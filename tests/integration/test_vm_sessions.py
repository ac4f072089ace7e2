"""The shell with LLVM: the example sessions run as they say, and what crashes is named down to the line."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from measuring import SONDE, environment
from sonde.instruments.vm.verb.shell.workbench import Workbench as AskedWorkbench
from sonde.osr import OsrWorkbench

EXAMPLES = Path(__file__).parents[2] / "examples" / "vm"
PROGRAM = """\
#include <stdlib.h>
#include <string.h>
int counter;
int boom(int x) {
    return *(int *)(long)x;
}
int deep(int x) { volatile int a[100]; a[x % 100] = x; return deep(x + 1) + a[x % 100]; }
int divide(int a, int b) { return a / b; }
static inline int inner(int x) { return *(volatile int *)(long)x; }
int outer(int x) { return inner(x) + 1; }
int length(int x) { return (int)strlen((char *)(long)x); }
int count(void) { return ++counter; }
int main(int argc, char **argv) { return argc > 1 ? boom(atoi(argv[1])) : 3; }
"""


def run_session(script: str, folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run commands after `load bad.c`."""
    (folder / "bad.c").write_text(PROGRAM)
    (folder / "session.txt").write_text(f"load bad.c\n{script}")
    command = [*SONDE, "vm", *options, "session.txt"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment(), check=False
    )


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.txt")), ids=lambda path: path.stem)
def test_the_example_sessions_run(script: Path) -> None:
    done = subprocess.run(
        [*SONDE, "vm", script.name],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert EXPECTED[script.stem](done.stdout + done.stderr), done.stdout + done.stderr


def test_the_workbench_has_all_that_the_shell_asks_for() -> None:
    asked = {name for name in vars(AskedWorkbench) if not name.startswith("_")}

    assert asked - set(dir(OsrWorkbench)) == set()


def says_all(*texts: str) -> "re.Pattern[str]":
    return re.compile(".*".join(map(re.escape, texts)), re.DOTALL)


EXPECTED = {
    "look": says_all("5 functions", "is_ascending", "for.cond", "define", "@is_ascending", "address").search,
    "optimise": says_all(
        "385 : i64", "  fast  ", "base       O2", "333833500", "333833500", "333833500", "now runs"
    ).search,
    "switch_while_it_runs": says_all("started", "* fast", "20000 of 20000 in order", "exited 0", "10 of 10").search,
    "replace": says_all(
        "4 live values",
        "counter 100",
        "inline %compare",
        "1 : i32",
        "10 of 10 in order",
        "10     1  isord@osr",
        "333833500 : i64",
        "1     1  sum_of_squares@watched",
        "osr.fire:",
        "entry.osr:",
        "100 calls",
        "100 calls",
    ).search,
    "crash": says_all("1 : i32", "killed by SIGSEGV", "in compare_longs", "@base at", "isord.c:8", "load, opt").search,
}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("call boom(1)", r"SIGSEGV .*, in boom@base at .*bad\.c:5"),
        ("call deep(1)", r"SIGSEGV .*, in deep@base at .*bad\.c:7"),
        ("call divide(1, 0)", r"SIGFPE .*, in divide@base at .*bad\.c:8"),
        ("call outer(1)", r"SIGSEGV .*, in inner(\.bad)?@base at .*bad\.c:9"),
        ("run 1", r"SIGSEGV .*, in boom@base at .*bad\.c:5"),
        ("call length(1)", r"SIGSEGV \([^)]*\)$"),  # in the C library, of which nothing is known
    ],
)
def test_a_crash_is_told_with_function_version_and_line(command: str, said: str, tmp_path: Path) -> None:
    done = run_session(f"{command}\n", tmp_path)

    assert done.returncode == 1
    assert re.search(said, done.stderr.splitlines()[-1]), done.stderr


def test_the_second_crash_is_told_as_well_as_the_first(tmp_path: Path) -> None:
    done = run_session("- run 1\n- run 2\n- call boom(3)\n- call boom(4)\n", tmp_path)

    assert done.returncode == 0
    assert done.stderr.count("in boom@base") == 4
    assert done.stderr.count("started anew") == 1  # a program that runs by itself takes nothing along


def test_variables_last_from_call_to_call_and_begin_anew_after_a_crash(tmp_path: Path) -> None:
    done = run_session("call count()\ncall count()\n- call boom(1)\ncall count()\n", tmp_path)

    assert done.stdout.splitlines()[1:] == ["1 : i32", "2 : i32", "1 : i32"]


def test_an_address_is_found_again(tmp_path: Path) -> None:
    done = run_session("- call boom\naddress boom\n", tmp_path, "--json")

    _, refused, found = map(json.loads, done.stdout.splitlines())
    assert refused["error"]["slug"] == "argument-count"
    assert found["result"]["addresses"][0]["version"] == "base"


def test_a_program_that_does_not_compile_is_told_in_the_compilers_words(tmp_path: Path) -> None:
    (tmp_path / "broken.c").write_text("int f(void) { return 1 }\n")
    done = run_session("load broken.c\n", tmp_path)

    assert done.returncode == 1
    assert "session.txt:2: " in done.stderr
    assert "broken.c:1:" in done.stderr
    assert "expected ';'" in done.stderr


REFUSED = {
    "call bom(1)": "boom",
    "opt boom srao": "sroa",
    "switch boom@fst": "base",
    "call boom(1, 2)": "2 arguments",
    'call boom("x")': '"x"',
    "load bad.txt": "bad.txt",
    "library nothing_of_that_name": "nothing_of_that_name",
    "unload bd": "bad",
}


def test_what_is_unknown_is_quoted_and_something_near_is_named(tmp_path: Path) -> None:
    *commands, last = REFUSED
    done = run_session("".join(f"- {each}\n" for each in commands) + f"{last}\n", tmp_path)

    assert done.returncode in (1, 2)
    _, *told = re.split(r"^sonde: session\.txt:(\d+): cannot ", done.stderr, flags=re.MULTILINE)
    assert told[::2] == [str(line) for line in range(2, 2 + len(REFUSED))], done.stderr
    for said, text in zip(REFUSED.values(), told[1::2], strict=True):
        assert said in text
