"""What commands of compilers do, told by their words."""

from pathlib import Path

import pytest

from sonde.instruments.contexts.sources.builds.compiler_words import CompilerCommand, read_compiler_command


def read(line: str, *, is_cxx: bool = False) -> CompilerCommand:
    return read_compiler_command(line.split(), is_cxx=is_cxx)


@pytest.mark.parametrize(
    ("line", "sources", "is_compiling", "links"),
    [
        ("-O2 -c a.c -o build/a.o", ["a.c"], True, False),
        ("-o app a.c b.cpp c.o -lm", ["a.c", "b.cpp"], True, True),
        ("-o app a.o b.a -lm", [], False, True),
        ("-shared -fPIC -o liba.so a.o", [], False, True),
        ("-r -o all.o a.o b.o", [], False, False),
        ("-E a.c", ["a.c"], False, False),
        ("-S a.c", ["a.c"], False, False),
        ("-M a.c", ["a.c"], False, False),
        ("-MM a.c", ["a.c"], False, False),
        ("-Wp,-MM,a.d a.c", ["a.c"], False, False),
        ("-Wp,-MMD,a.d -c a.c", ["a.c"], True, False),
        ("-c start.S", [], False, False),
        ("-c start.s -o start.o", [], False, False),
        ("-c -x assembler-with-cpp a.c", [], False, False),
        ("-c -x c a.inc", ["a.inc"], True, False),
        ("-c -", [], False, False),
        ("--version", [], False, False),
        ("-v", [], False, False),
        ("-c -include a.c -I b.c -D c.c -MF d.c e.c", ["e.c"], True, False),
        ("-c -fsanitize=address a.c", ["a.c"], False, False),
        ("-fopenmp a.c -o a", ["a.c"], False, True),
    ],
)
def test_what_a_command_does(line: str, sources: list[str], is_compiling: bool, links: bool) -> None:
    command = read(line)
    assert [each.path for each in command.sources] == sources
    assert (command.is_compiling, command.links) == (is_compiling, links)


def test_languages_are_told_by_the_compiler_and_by_names() -> None:
    assert [each.language for each in read("-c a.c b.cc").sources] == ["c", "c++"]
    assert [each.language for each in read("-c a.c", is_cxx=True).sources] == ["c++"]
    assert [each.language for each in read("-x c++ a.h -x none b.c").sources] == ["c++", "c"]


def test_what_needs_the_real_compiler_is_said_of_files_of_c_only() -> None:
    assert read("-c -fsanitize=address a.c").reason == "-fsanitize=address needs the real compiler"
    assert not read("-fopenmp a.o").sources
    assert not read("-E a.c").reason


@pytest.mark.parametrize(
    "path", ["conftest.c", "ztest123.c", "CMakeFiles/CMakeTmp/testCCompiler.c", "x/CMakeScratch/src.c"]
)
def test_questions_of_configure_are_left_alone(path: str) -> None:
    assert read(f"-c {path}").is_probe and not read("-c tested.c").is_probe


def test_options_of_the_linker_and_outputs_are_left_out_when_compiling() -> None:
    command = read("-O2 -flto -DX=1 -I include -c a.c -o a.o -L lib -lm -Wl,-z,now -pthread")
    assert command.options(command.sources[0]) == ["-O2", "-DX=1", "-I", "include", "-pthread"]
    assert command.object_of(command.sources[0]) == "a.o"


def test_dependencies_are_written_where_the_compiler_would() -> None:
    command = read("-MMD -c src/a.c -o build/a.o")
    assert command.options(command.sources[0]) == ["-MMD", "-MF", "build/a.d", "-MT", "build/a.o"]
    command = read("-MD -c src/a.c")
    assert command.options(command.sources[0]) == ["-MD", "-MF", "a.d", "-MT", "a.o"]
    command = read("-MD -MT x -MF y -c a.c")
    assert command.options(command.sources[0]) == ["-MD", "-MT", "x", "-MF", "y"]


def test_a_program_of_sources_is_linked_of_their_objects() -> None:
    command = read("-O2 -MMD -MF a.d -x c a.inc b.o -o app -lm")
    objects = {command.sources[0].word: "/tmp/0.o"}
    assert command.with_objects(objects) == ["-O2", "/tmp/0.o", "b.o", "-o", "app", "-lm"]


def test_words_of_response_files_count(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("-c 'a b.c' -o \"a b.o\"\n", encoding="ascii")
    command = read_compiler_command([f"@{tmp_path / 'words'}"], is_cxx=False)
    assert (command.sources[0].path, command.output) == ("a b.c", "a b.o")
