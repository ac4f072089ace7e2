"""Functions as the source has them: names, files and lines by debug information."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sonde.ir.function import Function
from sonde.ir.metadata import fields_of, kind_of
from sonde.ir.module import Module

_OWN = re.compile(r"!dbg !([0-9]+)")


@dataclass(frozen=True, slots=True)
class SourceFunction:
    """A function of the source."""

    symbol: str
    """What the linker calls it."""
    file: str
    """Path, made absolute by the folder that the compiler worked in."""
    line: int
    """1-based, of its name; 0 when the compiler made it up."""


def source_function(module: Module, function: Function) -> SourceFunction | None:
    """What debug information says of a function that a module defines; None: nothing.

    >>> module = Module(metadata={
    ...     1: '!DIFile(filename: "a.c", directory: "/src")',
    ...     2: 'distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 7)'})
    >>> from sonde.ir import parse_signature
    >>> source_function(module, Function(parse_signature("void @f.3() !dbg !2")))
    SourceFunction(symbol='f', file='/src/a.c', line=7)
    """
    match = _OWN.search(function.signature.suffix)
    return None if match is None else _described(module, module.metadata[int(match.group(1))])


def source_functions(module: Module) -> Iterator[SourceFunction]:
    """All that debug information describes, those among them that were inlined everywhere."""
    for text in module.metadata.values():
        if kind_of(text) == "DISubprogram":
            yield _described(module, text)


def described_function(module: Module, subprogram: int) -> SourceFunction:
    """What a `DISubprogram` says."""
    return _described(module, module.metadata[subprogram])


def _described(module: Module, text: str) -> SourceFunction:
    fields = fields_of(text)
    symbol = fields.get("linkageName") or fields.get("name") or '""'
    reference = fields.get("file", "null")
    file = fields_of(module.metadata[int(reference[1:])]) if reference != "null" else {}
    path = posixpath.join(file.get("directory", '""')[1:-1], file.get("filename", '""')[1:-1])
    return SourceFunction(symbol[1:-1], path, int(fields.get("line", 0)))
