"""Locations for the code of probes, so that who reads debug information can tell it from the program's own."""

import re

from sonde.ir import Function, Module
from sonde.ir.metadata import fields_of

_OWN = re.compile(r"!dbg !([0-9]+)")


class ProbePlaces:
    """A function that debug information describes, and that is inlined into every function with probes.

    Functions without debug information have none of it: no instruction in them may have a location.

    >>> module = Module(metadata={
    ...     1: '!DIFile(filename: "a.c", directory: "/src")',
    ...     2: 'distinct !DICompileUnit(language: DW_LANG_C, file: !1)',
    ...     3: 'distinct !DISubprogram(name: "f", file: !1, line: 7, unit: !2)'})
    >>> from sonde.ir import parse_signature
    >>> ProbePlaces(module, "(probe)").suffix(Function(parse_signature("void @f() !dbg !3")))
    ', !dbg !7'
    >>> module.metadata[7]
    '!DILocation(line: 1, scope: !5, inlinedAt: !6)'
    """

    def __init__(self, module: Module, name: str) -> None:
        self._module, self._name = module, name
        self._type: int | None = None
        self._probes: dict[str, int] = {}
        """Compile unit -> the function there."""
        self._suffixes: dict[str, str] = {}

    def suffix(self, function: Function) -> str:
        """What stands at the end of an instruction of a probe in a function."""
        if function.name not in self._suffixes:
            self._suffixes[function.name] = self._place(function)
        return self._suffixes[function.name]

    def _place(self, function: Function) -> str:
        found = _OWN.search(function.signature.suffix)
        if found is None:
            return ""
        own = int(found.group(1))
        unit = fields_of(self._module.metadata[own]).get("unit", "null")
        if unit == "null":
            return ""
        # The place of the call is a node of its own, or the calls of several probes would be one.
        scope = self._probe(own, unit) if unit not in self._probes else self._probes[unit]
        call = self._module.add_metadata(f"distinct !DILocation(line: 0, scope: !{own})")
        place = self._module.add_metadata(f"!DILocation(line: 1, scope: !{scope}, inlinedAt: !{call})")
        return f", !dbg !{place}"

    def _probe(self, like: int, unit: str) -> int:
        file = fields_of(self._module.metadata[like]).get("file", "null")
        if self._type is None:
            self._type = self._module.add_metadata("!DISubroutineType(types: null)")
        self._probes[unit] = self._module.add_metadata(
            f'distinct !DISubprogram(name: "{self._name}", scope: {file}, file: {file}, line: 1, type: !{self._type}, '
            f"spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: {unit})"
        )
        return self._probes[unit]
