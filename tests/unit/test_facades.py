"""What a facade's types and functions name can be imported from a facade."""

import importlib
import inspect
import re
import typing
from collections.abc import Iterator

import pytest

_FACADES = ("sonde.ir", "sonde.ir.analyses", "sonde.ir.bookkeeping", "sonde.ir.edits", "sonde.passes", "sonde.llvm",
            "sonde.jit", "sonde.machine", "sonde.osr")  # fmt: skip
_BELOW = ("sonde.events", "sonde.flow")
"""What these name, and export themselves."""


def exported(facade: str) -> dict[str, object]:
    module = importlib.import_module(facade)
    return {name: getattr(module, name) for name in module.__all__}


def documented(thing: object) -> Iterator[object]:
    """A function, or a class with its public methods and properties."""
    if inspect.isfunction(thing) or inspect.isclass(thing):
        yield thing
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            inner = inner.fget if isinstance(inner, property) else inner
            if not name.startswith("_") and inspect.isfunction(inner):
                yield inner


def classes_in(annotation: object) -> Iterator[type]:
    """The classes of sonde's that an annotation names, at any depth; those of `base` have no facade."""
    for part in typing.get_args(annotation):
        yield from (each for inner in (part if isinstance(part, list) else [part]) for each in classes_in(inner))
    if isinstance(annotation, type) and re.match(r"sonde\.(?!base\.)", annotation.__module__):
        yield annotation


@pytest.mark.parametrize("facade", _FACADES)
def test_what_its_types_name_is_exported(facade: str) -> None:
    everywhere = [each for name in (*_FACADES, *_BELOW) for each in exported(name).values()]
    missing = {
        f"{found.__module__}.{found.__qualname__}, named by {name}"
        for name, thing in exported(facade).items()
        for part in documented(thing)
        for field, annotation in typing.get_type_hints(part).items()
        if not field.startswith("_")
        for found in classes_in(annotation)
        if not any(each is found for each in everywhere)
    }
    assert not missing
