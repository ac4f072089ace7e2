"""What people call a function, from what CPython says of its code object."""

import pytest

from sonde.events import FUNCTION_KINDS, Function, FunctionTable, function_of_code

OPTIMIZED = 0x3
BUILTIN = 0x8000_0000


@pytest.mark.parametrize(
    ("name", "file", "flags", "kind", "label"),
    [
        ("work", "app.py", OPTIMIZED, "function", "work"),
        ("Task.run", "app.py", OPTIMIZED, "function", "Task.run"),
        ("<lambda>", "app.py", OPTIMIZED, "lambda", "lambda:9"),
        ("Task.run.<locals>.<lambda>", "app.py", OPTIMIZED, "lambda", "Task.run.lambda:9"),
        ("Task.key.<lambda>", "app.py", OPTIMIZED, "lambda", "Task.key.lambda:9"),
        ("work.<locals>.<listcomp>", "app.py", OPTIMIZED, "comprehension", "list comprehension in work"),
        ("work.<locals>.<setcomp>", "app.py", OPTIMIZED, "comprehension", "set comprehension in work"),
        ("<dictcomp>", "app.py", OPTIMIZED, "comprehension", "dict comprehension in app"),
        ("work.<locals>.<genexpr>", "app.py", OPTIMIZED, "generator expression", "generator expression in work"),
        ("Task", "app.py", 0, "class body", "class Task"),
        ("work.<locals>.Inner", "app.py", 0, "class body", "class work.<locals>.Inner"),
        ("<module>", "app.py", 0, "module", "<module app>"),
        ("<module>", "<frozen importlib._bootstrap>", 0, "module", "<module app>"),
        ("<module>", "<string>", 0, "dynamic code", "<code string>"),
        ("<module>", "<attrs generated init app.C>", 0, "dynamic code", "<code attrs generated init app.C>"),
    ],
)
def test_a_code_object_gets_a_kind_and_a_label(name: str, file: str, flags: int, kind: str, label: str) -> None:
    function = function_of_code(name, "app", file, 9, flags)

    assert (function.kind, function.label) == (kind, label)
    assert function.place == f"{file}:9"
    assert function.kind in FUNCTION_KINDS


@pytest.mark.parametrize(
    ("name", "module", "label"),
    [("len", "builtins", "len"), ("list.append", "", "list.append"), ("dumps", "_json", "_json.dumps")],
)
def test_a_c_function_has_its_module_but_no_place(name: str, module: str, label: str) -> None:
    function = function_of_code(name, module, "ignored.py", 9, BUILTIN)

    assert function == Function(label, module, "", 0, "builtin")
    assert function.place == "(built-in)"


def test_a_comprehension_outside_any_function_is_named_by_what_is_known() -> None:
    assert function_of_code("<listcomp>", "", "app.py", 1, OPTIMIZED).label == "list comprehension in app.py"
    assert function_of_code("<module>", "", "app.py", 1, 0).label == "<module <module>>"


def test_equal_functions_have_one_number_in_order_of_appearance() -> None:
    first, second = Function("f", "m", "m.py", 1), Function("f", "m", "m.py", 2)
    table = FunctionTable([second])

    assert [table.number(each) for each in (first, second, Function("f", "m", "m.py", 1))] == [1, 0, 1]
    assert (list(table), len(table)) == ([second, first], 2)
