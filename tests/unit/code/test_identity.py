"""Functions that two instruments tell of under different names are one, whichever of them is asked first."""

import pytest

from sonde.code import Function, FunctionIndex
from sonde.events.code_naming import function_of_code

QUALIFIED = [
    "parse.<locals>.<genexpr>",
    "Parser.parse.<locals>.<listcomp>",
    "outer.<locals>.inner.<locals>.<dictcomp>",
    "<genexpr>",
    "<setcomp>",
    "outer.<locals>.inner",
    "outer.<locals>.<lambda>",
    "Parser.parse",
]


@pytest.mark.parametrize("qualified", QUALIFIED)
@pytest.mark.parametrize("module", ["app", ""])
def test_a_name_of_cpython_and_what_people_call_it_are_one_function(qualified: str, module: str) -> None:
    for_people = function_of_code(qualified, module, "/srv/app.py", 7, 0x3)
    of_cpython = Function(qualified, "", "app.py", 7)

    for known, asked in ((for_people, of_cpython), (of_cpython, for_people)):
        others = [function_of_code(other, "app", "/srv/app.py", 7, 0x3) for other in QUALIFIED if other != qualified]
        assert FunctionIndex([known]).find(asked) == 0
        assert FunctionIndex([*others, known]).find(asked) == len(others)
        assert FunctionIndex(others).find(asked) is None


def test_on_another_line_or_in_another_function_it_is_another_one() -> None:
    known = FunctionIndex([function_of_code("parse.<locals>.<genexpr>", "app", "/srv/app.py", 7, 0x3)])

    assert known.find(Function("parse.<locals>.<genexpr>", "", "app.py", 8)) is None
    assert known.find(Function("load.<locals>.<genexpr>", "", "app.py", 7)) is None
    assert known.find(Function("parse.<locals>.<listcomp>", "", "app.py", 7)) is None


def test_a_function_that_is_called_like_its_module_is_not_the_module() -> None:
    inside = function_of_code("app.<locals>.<genexpr>", "app", "/srv/app.py", 7, 0x3)

    assert FunctionIndex([inside]).find(Function("app.<locals>.<genexpr>", "", "app.py", 7)) == 0
