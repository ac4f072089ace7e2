"""Attributes of elements as values of the model."""

from collections.abc import Mapping

from sonde.instruments.decisions.model import NO_OFFSET, Value
from sonde.instruments.decisions.readers.hotspot.elements import integer

_NODES = frozenset({"debug_id", "idx", "nodes", "inline_id", "lock_id", "box_id", "obj_id", "bad_id"})
_COUNTS = frozenset({"count", "total", "cnt", "mcount"})
UNSTABLE = _NODES | _COUNTS | {"stamp", "index", "compile_id"}
"""Attributes that say nothing of what was decided, and differ between runs that decided the same."""


def properties(attributes: Mapping[str, str]) -> tuple[tuple[str, Value], ...]:
    """Those that say what was decided."""
    return tuple((key, value_of(value)) for key, value in attributes.items() if key not in UNSTABLE and key != "id")


def value_of(text: str) -> Value:
    """A number, or text."""
    number = integer(text)
    return text if number is None else number


def number_of(attributes: Mapping[str, str], key: str) -> int:
    """A bytecode index or another number; -1: there is none."""
    number = integer(attributes.get(key, ""))
    return NO_OFFSET if number is None else number
