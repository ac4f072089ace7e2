"""What there is instead of what the language refuses."""

import ast
from collections.abc import Mapping, Sequence

from sonde.instruments.memory.toolkit.value_types import Kind, ValueType

ALLOWED = "advice has numbers, fields, arithmetic, comparisons, and calls of methods of the tool"
HANDLES_COMPARED = "types, methods, places, threads and objects have == and !=, and is None"

_OF_HANDLES: Mapping[Kind, str] = {
    Kind.TYPE: 'a type has .is_("Entry"); report() sees names',
    Kind.METHOD: "use it as a key: report() sees names",
    Kind.PLACE: "its line is loc.line; used as a key, report() sees names",
    Kind.THREAD: "a thread has .number; report() sees names",
    Kind.OBJECT: "only obj itself, which advice is told of, has fields",
}
_OF_CALLS: Mapping[str, str] = {
    "type": "the type of obj is the parameter before it",
    "isinstance": 'ask the parameter before obj: type.is_("Entry")',
    "id": "obj by itself can be a key, be stored, and be compared",
    "hex": 'print it so: print(f"{loc.address:#x}")',
    "str": 'print it: print(f"{loc.address}")',
    "set": "declare it in the class: seen = Set()",
    "dict": 'declare it in the class: table = Counts("hits")',
    "list": 'declare it in the class: table = Counts("hits"), with an int as key',
    **dict.fromkeys(("Set", "Counts", "Histogram", "Cache", "Output"), "declare it in the class"),
}


def of_handle(kind: ValueType) -> str | None:
    """What a type, method, place, thread or stored object has, for one who wants something else of it."""
    return _OF_HANDLES.get(kind) if isinstance(kind, Kind) else None


def of_call(called: str) -> str | None:
    """Instead of a function of Python's."""
    return _OF_CALLS.get(called)


def of_names(texts: Sequence[ast.expr]) -> str | None:
    """Instead of a comparison with these texts, if they are some."""
    asked = [
        f'type.is_("{each.value}")' for each in texts if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return f"types are asked for their names: {' or '.join(asked[:3])}" if asked else None


def of_set(name: str) -> str:
    """What a Set has."""
    return f"there are: key in self.{name}, self.{name}.add(key), len(self.{name})"


def of_row(name: str, container: str | None, columns: Sequence[str]) -> str:
    """Instead of an assignment to a row."""
    if container == "Histogram":
        return f"write self.{name}[key].add(value)"
    if container == "Set":
        return of_set(name)
    if container == "Counts":
        return f"assign to a column: self.{name}[key].{columns[0]}"
    return f'declare {name} = Counts("hits") in the class: self.{name}[key].hits += 1'
