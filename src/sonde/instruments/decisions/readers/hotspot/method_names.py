"""Names in a compilation log: whole ones, and the numbers that stand for them within one task."""

import re
from collections.abc import Mapping

from sonde.instruments.decisions.java_names import java_class_name, java_method_name, java_type_name
from sonde.instruments.decisions.readers.hotspot.elements import integer

_ADDRESS = re.compile(r"/0x[0-9a-f]+")


def whole_name(text: str) -> str:
    """Name a method that the log writes out: class, name and descriptor, parted by spaces.

    >>> whole_name("java.util.HashMap get (Ljava/lang/Object;)Ljava/lang/Object;")
    'java.util.HashMap.get(Object)'
    """
    parts = text.split(" ")
    return java_method_name(*parts) if len(parts) == 3 else text


def without_address(name: str) -> str:
    """A name without where in memory the hidden class in it is, which no two runs have in common.

    >>> without_address("App$$Lambda$85/0x00007fe9740350c0.run()")
    'App$$Lambda$85.run()'
    """
    return _ADDRESS.sub("", name)


class TaskNames:
    """What the numbers in one task stand for."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}
        self._methods: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        """Method -> bytes of its bytecode."""

    def learn(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Take a `type`, `klass` or `method` element."""
        number = attributes.get("id", "")
        if kind != "method":
            self._types[number] = attributes.get("name", number)
            return
        holder = self._types.get(attributes.get("holder", ""))
        if holder is None:  # a name without its class could be that of any
            return
        parameters = ", ".join(
            java_type_name(self._types.get(each, "?")) for each in attributes.get("arguments", "").split()
        )
        self._methods[number] = f"{java_class_name(holder)}.{attributes.get('name', '?')}({parameters})"
        size = integer(attributes.get("bytes", ""))
        if size is not None:
            self.sizes[number] = size

    def method(self, number: str) -> str | None:
        """The name of a method; None: the task does not tell it. Whole names are taken too."""
        return self._methods.get(number) or (whole_name(number) if " " in number else None)

    def type(self, number: str) -> str:
        """The name of a class, `unknown` if the task does not tell it; whole names are taken too."""
        return java_class_name(self._types.get(number, "unknown" if number.isdigit() else number))
