"""A part of a JSON document that knows where it is, so that errors can say it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from sonde.base.errors import InputError
from sonde.instruments.bench.measurements import Values

_LARGEST = 2.0**64
"""Nothing that is counted about a process gets so large."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a document.

    >>> node = Node({"runs": [{"values": [0.5, 1]}]}, "", Path("x.json"))
    >>> node["runs"][0]["values"].measured()
    array([0.5, 1. ])
    >>> node["runs"][0].place
    'runs[0]'
    """

    value: Any
    place: str
    """`benchmarks[0].runs[3]`; empty for the whole."""
    path: Path

    def __getitem__(self, key: str | int) -> "Node":
        """What must be there: the value of a key, or an item of a list."""
        if isinstance(key, int):
            return Node(self.as_list()[key], f"{self.place}[{key}]", self.path)
        if key not in self.as_object():
            self.refuse(f"has no '{key}'")
        return Node(self.value[key], self._below(key), self.path)

    def get(self, key: str) -> "Node | None":
        """The value of a key; None where there is none, or null."""
        found = self.as_object().get(key)
        return None if found is None else Node(found, self._below(key), self.path)

    def each(self) -> "Iterator[Node]":
        """The items of what must be a list."""
        for index, value in enumerate(self.as_list()):
            yield Node(value, f"{self.place}[{index}]", self.path)

    def items(self) -> "Iterator[tuple[str, Node]]":
        """Keys and values of what must be an object."""
        for key, value in self.as_object().items():
            yield key, Node(value, self._below(key), self.path)

    def as_object(self) -> dict[str, Any]:
        """The value, which must be an object."""
        if not isinstance(self.value, dict):
            self.refuse(f"is {_kind(self.value)}, not an object")
        return self.value

    def as_list(self) -> list[Any]:
        """The value, which must be a list."""
        if not isinstance(self.value, list):
            self.refuse(f"is {_kind(self.value)}, not a list")
        return self.value

    def as_text(self) -> str:
        """The value, which must be text."""
        if not isinstance(self.value, str):
            self.refuse(f"is {_kind(self.value)}, not text")
        return self.value

    def as_count(self, least: int = 1) -> int:
        """The value, which must be a whole number."""
        if type(self.value) is not int or self.value < least:
            self.refuse(f"is {_quoted(self.value)}, not a whole number from {least} on")
        return int(self.value)

    def measured(self, *, scale: float = 1.0, signed: bool = False) -> Values:
        """The values, which must be a list of measurements.

        Args:
            scale: what to multiply them with, for another unit.
            signed: whether they may be negative.
        Returns:
            (n,) float64, finite.
        Raises:
            InputError: `bad-measurement`, with the place of the first that is none.
        """
        values = self.as_list()
        if not set(map(type, values)) <= {float, int}:
            index = next(i for i, value in enumerate(values) if type(value) not in (float, int))
            self[index].refuse_value()
        try:
            array = np.array(values, dtype=np.float64)
        except OverflowError:
            index = next(i for i, value in enumerate(values) if type(value) is int and value.bit_length() > 1000)
            self[index].refuse_value()
        good = np.isfinite(array) if signed else np.isfinite(array) & (array >= 0.0)
        if not good.all():
            self[int(np.argmin(good))].refuse_value()
        return array if scale == 1.0 else array * scale

    def refuse_value(self) -> NoReturn:
        """Say that this is not a measurement."""
        raise bad_measurement(self.path, self.place, self.value)

    def refuse(self, fact: str) -> NoReturn:
        """Say what is wrong here.

        Raises:
            InputError: `corrupt-results`.
        """
        where = self.place or "the document"
        raise InputError(f"cannot read results '{self.path}': {where} {fact}", slug="corrupt-results")

    def _below(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key


def plausible(value: object) -> float | None:
    """A number that is told beside a measurement; None where it cannot have been measured.

    >>> plausible(4096), plausible("4096"), plausible(-1)
    (4096.0, None, None)
    """
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _LARGEST:
        return None
    return float(value)


def bad_measurement(path: Path, place: str, value: object) -> InputError:
    """The error for a value that cannot have been measured."""
    return InputError(
        f"cannot use results '{path}': {place} is {_quoted(value)}, which is not a measurement",
        slug="bad-measurement",
        hint="find out why; if you take it out of the file, report that you did",
    )


def _quoted(value: object) -> str:
    text = str(value)
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(value), "null")
