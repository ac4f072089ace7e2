"""What type checkers are told of `sonde` is what it has."""

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sonde

STUB = ast.parse(Path(sonde.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def functions_of(body: list[ast.stmt]) -> dict[str, list[str]]:
    """Names of functions, with those of their parameters."""
    return {
        each.name: [argument.arg for argument in (*each.args.args, *each.args.kwonlyargs)]
        for each in body
        if isinstance(each, ast.FunctionDef)
    }


def parameters_of(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def public_methods() -> Iterator[tuple[str, list[str]]]:
    for name, member in vars(sonde.Block).items():
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and (not name.startswith("_") or name in {"__init__", "__enter__", "__exit__"}):
            yield name, parameters_of(function)


def test_the_stub_has_the_functions_and_methods_that_there_are() -> None:
    (block,) = (each for each in STUB.body if isinstance(each, ast.ClassDef))
    names = set(sonde.__all__) - {"Block", "__version__"}

    assert functions_of(STUB.body) == {name: parameters_of(getattr(sonde, name)) for name in names}
    assert functions_of(block.body) == dict(public_methods())
