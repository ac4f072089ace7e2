"""Where in the original an optimised function's code comes from: its own function, and every call that was inlined."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from sonde.ir.bookkeeping.marks import Marks
from sonde.ir.metadata import fields_of, kind_of
from sonde.ir.module import Module
from sonde.ir.names import unquoted

_SUBPROGRAM = re.compile(r"(?:^| )!dbg !([0-9]+)")


class Origin(NamedTuple):
    """A numbered thing of the original, in one of the copies that inlining made of it."""

    instance: int
    """Index into `Instances.all`."""
    number: int


class Instance(NamedTuple):
    """A function as it stands in an optimised function: by itself, or inlined."""

    function: str
    """Of the original, with sigil."""
    caller: int | None
    """The instance into which it was inlined; None for the optimised function itself."""
    call: int
    """The number of the call there; 0 for the optimised function itself."""


@dataclass(slots=True)
class MarkedMetadata:
    """What the metadata of an optimised module says of our marks: whose lines and variables they are."""

    marks: Marks
    module: Module
    _scopes: dict[int, str | None] = field(default_factory=dict)
    _variables: dict[int, tuple[int, bool] | None] = field(default_factory=dict)
    _locations: dict[int, tuple[str, int, int | None] | None] = field(default_factory=dict)

    def function_of(self, suffix: str) -> str | None:
        """The marked function that a function of the optimised module was made from, by what its signature ends in."""
        match = _SUBPROGRAM.search(suffix)
        return self._scope(int(match.group(1))) if match else None

    def variable(self, node: int) -> tuple[int, bool] | None:
        """The number that a variable stands for, and whether it stands for a value; None if it is not ours."""
        if node not in self._variables:
            fields = fields_of(self.module.metadata[node])
            is_ours = self._scope(int(fields["scope"][1:])) is not None
            self._variables[node] = (int(fields["line"]), fields["name"].startswith('"%')) if is_ours else None
        return self._variables[node]

    def location(self, node: int) -> tuple[str, int, int | None] | None:
        """Function, number (0 if there is none) and inlinedAt node of a location; None if it is not ours."""
        if node not in self._locations:
            fields = fields_of(self.module.metadata[node])
            function = self._scope(int(fields["scope"][1:]))
            outer = int(fields["inlinedAt"][1:]) if "inlinedAt" in fields else None
            self._locations[node] = None if function is None else (function, int(fields.get("line", 0)), outer)
        return self._locations[node]

    def _scope(self, node: int) -> str | None:
        """The marked function of a scope."""
        if node not in self._scopes:
            text = self.module.metadata[node]
            fields = fields_of(text)
            if kind_of(text) == "DISubprogram":
                name = _unescaped(fields["name"])
                self._scopes[node] = name if name in self.marks.functions else None
            else:
                self._scopes[node] = self._scope(int(fields["scope"][1:]))
        return self._scopes[node]


@dataclass(slots=True)
class Instances:
    """The instances of one optimised function, found as their locations are met."""

    metadata: MarkedMetadata
    all: list[Instance]
    _by_node: dict[tuple[int, str], int | None] = field(default_factory=dict)
    _callees: dict[Origin, list[int]] = field(default_factory=dict)

    def origin(self, location: int) -> Origin | None:
        """What an instruction or record with this location comes from; None if that is not known."""
        found = self.metadata.location(location)
        if found is None:
            return None
        function, number, outer = found
        instance = self._instance(outer, function)
        return None if instance is None else Origin(instance, number)

    def _instance(self, node: int | None, function: str) -> int | None:
        if node is None:
            return 0 if self.all[0].function == function else None
        key = (node, function)
        if key not in self._by_node:
            call = self.origin(node)
            self._by_node[key] = None
            if call is not None and call.number:  # else LLVM no longer knows which call it was
                self._by_node[key] = len(self.all)
                self._callees.setdefault(call, []).append(len(self.all))
                self.all.append(Instance(function, call.instance, call.number))
        return self._by_node[key]

    def callees_of(self, call: Origin) -> list[int]:
        """The instances that were inlined for a call, as far as they are known: several where it was copied before."""
        return self._callees.get(call, [])

    def call_path(self, instance: int) -> list[int]:
        """The instance, the one into which it was inlined, and so on."""
        path = [instance]
        while (caller := self.all[path[-1]].caller) is not None:
            path.append(caller)
        return path


def _unescaped(quoted_text: str) -> str:
    r"""A string of the metadata. Names have a sigil, which `unquoted` drops, and perhaps quotes of their own."""
    return "@" + unquoted("@" + quoted_text)[1:] if "\\" in quoted_text else quoted_text[1:-1]
