"""Commands of C compilers: what they compile, and with which options."""

from pathlib import Path

import pytest

from sonde.instruments.decisions.capture.c_command import c_command
from sonde.instruments.decisions.capture.compilers import recognises


@pytest.mark.parametrize(
    ("words", "sources", "options"),
    [
        ("-O2 -c a.c -o a.o", ["a.c"], ["-O2"]),
        ("a.c b.cc x.o libz.a -lm -L lib -Wl,-s -o prog -Iinc -I inc2", ["a.c", "b.cc"], ["-Iinc", "-I", "inc2"]),
        ("-MD -MF a.d -MT x -MMD -c a.c -oa.o -save-temps -shared -fPIC", ["a.c"], ["-fPIC"]),
        ("-include cfg.c -Xclang -add-plugin -mllvm -inline-threshold=5 a.c",
         ["a.c"], ["-include", "cfg.c", "-Xclang", "-add-plugin", "-mllvm", "-inline-threshold=5"]),
        ("-fsave-optimization-record=yaml -foptimization-record-file=x.yaml -c a.c -emit-llvm", ["a.c"], []),
        ("-D X.c a.c -target x86_64-linux-gnu", ["a.c"], ["-D", "X.c", "-target", "x86_64-linux-gnu"]),
    ],
)  # fmt: skip
def test_what_is_compiled_and_how(words: str, sources: list[str], options: list[str]) -> None:
    command = c_command(words.split())

    assert [source for source, _ in command.sources] == sources
    assert command.options == options


def test_a_language_goes_for_the_files_after_it() -> None:
    command = c_command(["-x", "c++", "a.txt", "-x", "none", "b.txt", "c.c", "-xc", "d"])

    assert command.sources == [("a.txt", "c++"), ("c.c", None), ("d", "c")]


@pytest.mark.parametrize(
    ("words", "level", "debug"),
    [
        ("-O2 a.c -g", "-O2", "-g"),
        ("-O3 -O0 -gdwarf-4 a.c", "-O0", ""),
        ("-Os -g -g0 a.c", "-Os", "-g0"),
        ("a.c", "", ""),
    ],
)
def test_the_last_level_and_debug_option_count(words: str, level: str, debug: str) -> None:
    command = c_command(words.split())

    assert (command.level, command.debug) == (level, debug)


def test_words_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("-O2 'a b.c' -DX=\"1 2\"", encoding="utf-8")

    command = c_command([f"@{tmp_path}/words", "-c"])

    assert command.sources == [("a b.c", None)]
    assert command.options == ["-O2", "-DX=1 2"]


@pytest.mark.parametrize("words", ["-E a.c", "-fsyntax-only a.c", "-M a.c", "--version"])
def test_some_commands_make_no_code(words: str) -> None:
    assert not c_command(words.split()).makes_code


@pytest.mark.parametrize(
    ("command", "is_known"),
    [
        ("clang -c a.c", True),
        ("/usr/bin/clang++-19 a.cc", True),
        ("x86_64-linux-gnu-clang a.c", True),
        ("zig cc a.c", True),
        ("zig build", False),
        ("python3 -m ziglang c++ a.cc", True),
        ("python3 a.py", False),
        ("gcc -c a.c", True),  # to say that it is not
        ("cc a.c", True),
        ("rustc -O m.rs", True),
        ("cargo build --release", True),
        ("cargo +nightly test", True),
        ("cargo fmt", False),
        ("prog.c -O2 -- x", True),
        ("-O2 prog.ll", True),
        ("-O2 -- prog.ll", False),
        ("java -jar x.jar", False),
        ("make", False),
    ],
)
def test_compilers_are_known_by_their_commands(command: str, is_known: bool) -> None:
    assert recognises(command.split()) == is_known
