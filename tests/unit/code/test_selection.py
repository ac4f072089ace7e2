"""Where code is from, and which functions a reader looks at."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import replace

import pytest

from sonde.code import CodeSelection, Function, FunctionKind, near_code_names, origin_of, plain_function
from sonde.options.code_filter import CodeFilter
from sonde.options.declared import add_options, options_from


def python(name: str, file: str, module: str = "", kind: FunctionKind = "function") -> Function:
    return Function(name, module, file, 1, kind)


def test_what_runs_here_is_from_where_it_is_installed() -> None:
    assert origin_of(python("dumps", json.__file__)) == "standard library"
    assert origin_of(python("fixture", pytest.__file__)) == "installed"
    assert origin_of(python("test", __file__)) == "own"
    assert origin_of(python("_find_and_load", "<frozen importlib._bootstrap>")) == "standard library"
    assert origin_of(python("<module>", "<string>", kind="dynamic code")) == "own"
    assert origin_of(python("len", "", kind="builtin")) == "interpreter"


@pytest.mark.parametrize(
    ("file", "library", "origin"),
    [
        ("", "/lib/x86_64-linux-gnu/libc.so.6", "system"),
        ("/usr/include/c++/12/bits/stl_vector.h", "/home/ada/app", "system"),
        ("", sys.executable, "interpreter"),
        ("", "/opt/python/lib/libpython3.12.so.1.0", "interpreter"),
        ("numpy/core/loops.c", "/v/lib/python3.12/site-packages/numpy/core/_multiarray.so", "installed"),
        ("dl-reloc.c", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "system"),
        ("malloc.c", "/lib64/libc.so.6", "system"),
        ("kernel.c", "/home/ada/app", "own"),
        ("kernel.c", "/opt/ada/app", "own"),
        ("./stdlib/msort.c", "/usr/lib/x86_64-linux-gnu/libc.so.6", "system"),
        ("/build/Modules/zlibmodule.c", "/v/lib/python3.12/lib-dynload/zlib.so", "standard library"),
        ("src/kernel.c", "/usr/lib/libada.so", "own"),
        ("", "[vdso]", "system"),
        ("", "[vdso: 4711]", "system"),
        ("", "", "own"),
    ],
)
def test_machine_code_is_from_where_its_file_or_library_is(file: str, library: str, origin: str) -> None:
    assert origin_of(plain_function("native", "f", file, 1, library)) == origin


def test_classes_of_the_jdk_are_not_the_programs() -> None:
    assert origin_of(plain_function("java", "java.util.HashMap.get", "", 0)) == "standard library"
    assert origin_of(plain_function("java", "org.example.Main.main", "", 0)) == "own"


def test_patterns_add_to_one_another_and_exclusion_wins() -> None:
    parse, visit = python("Parser.parse", "/a/black/parse.py", "black.parse"), python("visit", "/a/blib2/v.py", "blib2")
    assert CodeSelection().is_everything and CodeSelection().has(parse)
    both = CodeSelection(include=("black", "blib2"), exclude=("parse",))
    assert [both.has(parse), both.has(visit)] == [False, True]
    assert both.words() == "only 'black', 'blib2', without 'parse'"


def test_c_and_cpp_names_are_meant_without_their_parameters() -> None:
    push = plain_function("native", "std::vector<int>::push(int const&)", "vector.h", 3)
    assert CodeSelection(include=("push",)).has(push) and not CodeSelection(include=("ush",)).has(push)


def test_what_fits_nothing_has_neighbours() -> None:
    functions = [python("Parser.parse", "/a/grammar.py", "app.grammar"), python("emit", "/a/out.py", "app.out")]
    assert near_code_names(functions, ["prase", "gramar.py"]) == ["parse", "grammar.py"]
    assert near_code_names(functions, ["zzz"]) == []


def test_the_options_of_all_kinds_are_read_from_words() -> None:
    parser = ArgumentParser()
    add_options(parser, CodeFilter)
    words = ["--mine", "--include", "a", "--include", "b.*", "--from", "main", "--exclude", "c"]
    asked = options_from(CodeFilter, parser.parse_args(words))
    assert asked == CodeFilter(mine=True, include=("a", "b.*"), exclude=("c",), from_="main")
    assert asked.selection == CodeSelection(True, ("a", "b.*"), ("c",))
    assert options_from(CodeFilter, parser.parse_args([])) == CodeFilter()


def test_code_that_was_compiled_from_a_string_is_from_where_its_package_is() -> None:
    def generated(module: str, file: str = "<string>") -> Function:
        return Function("__eq__", module, file, 2)

    nodes = Function("visit", "black.nodes", "/v/lib/python3.12/site-packages/black/nodes.py", 1)
    mixed = [Function("f", "plugins.one", "/home/ada/plugins/one.py", 1), replace(nodes, module="plugins.two")]
    own, of_library = generated("app.model"), generated("black.mode")
    unknown, of_script, of_several = (
        generated("cattrs", "<cattrs generated>"),
        generated("__main__"),
        generated("plugins"),
    )
    functions = [nodes, *mixed, Function("main", "app", "/home/ada/app/__init__.py", 1), own, of_library]

    mine = CodeSelection(mine=True).among([*functions, unknown, of_script, of_several])

    assert mine == {mixed[0], functions[3], own, unknown, of_script, of_several}
    assert CodeSelection(mine=True).among([of_library]) == {of_library}, "nothing else of its package is known"
