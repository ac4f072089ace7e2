"""Where in the source an instruction comes from, through every call that was inlined."""

from dataclasses import dataclass, field

from sonde.ir.metadata import fields_of, kind_of
from sonde.ir.module import Module
from sonde.ir.source_functions import SourceFunction, described_function


@dataclass(frozen=True, slots=True)
class SourceFrame:
    """A place in the source."""

    function: str
    """Its name in the source; the linkage name when there is no other."""
    file: str
    line: int
    """0 for code that the compiler made up."""
    column: int


@dataclass(slots=True)
class SourceFrames:
    """The inline stacks of a module's locations, worked out once each.

    >>> module = Module(metadata={
    ...     1: '!DIFile(filename: "a.c", directory: "/src")',
    ...     2: 'distinct !DISubprogram(name: "f", file: !1)', 3: 'distinct !DISubprogram(name: "g", file: !1)',
    ...     4: '!DILexicalBlock(scope: !2, file: !1)', 5: '!DILocation(line: 3, column: 9, scope: !4, inlinedAt: !6)',
    ...     6: 'distinct !DILocation(line: 8, scope: !3)'})
    >>> [(frame.function, frame.line) for frame in SourceFrames(module).of(5)]
    [('f', 3), ('g', 8)]
    """

    module: Module
    _stacks: dict[int, tuple[SourceFrame, ...]] = field(default_factory=dict)
    _scopes: dict[int, tuple[str, str]] = field(default_factory=dict)
    _functions: dict[int, tuple[SourceFunction, ...]] = field(default_factory=dict)

    def of(self, location: int) -> tuple[SourceFrame, ...]:
        """The stack of a `DILocation`, innermost first."""
        if location not in self._stacks:
            fields = fields_of(self.module.metadata[location])
            function, file = self._scope(_number(fields["scope"]))
            frame = SourceFrame(function, file, int(fields.get("line", 0)), int(fields.get("column", 0)))
            outer = self.of(_number(fields["inlinedAt"])) if "inlinedAt" in fields else ()
            self._stacks[location] = (frame, *outer)
        return self._stacks[location]

    def functions_of(self, location: int) -> tuple[SourceFunction, ...]:
        """The functions of that stack, as linkers and people know them."""
        if location not in self._functions:
            fields = fields_of(self.module.metadata[location])
            outer = self.functions_of(_number(fields["inlinedAt"])) if "inlinedAt" in fields else ()
            node = _number(fields["scope"])
            while kind_of(self.module.metadata[node]) != "DISubprogram":
                node = _number(fields_of(self.module.metadata[node])["scope"])
            self._functions[location] = (described_function(self.module, node), *outer)
        return self._functions[location]

    def _scope(self, node: int) -> tuple[str, str]:
        """Function and file of a scope; the innermost file counts, so that included text keeps its own."""
        if node not in self._scopes:
            text = self.module.metadata[node]
            fields = fields_of(text)
            file = self._file(fields.get("file"))
            if kind_of(text) == "DISubprogram":
                name = fields.get("name") or fields.get("linkageName") or '""'
                self._scopes[node] = (name[1:-1], file)
            else:
                function, outer_file = self._scope(_number(fields["scope"]))
                self._scopes[node] = (function, file or outer_file)
        return self._scopes[node]

    def _file(self, reference: str | None) -> str:
        if reference is None or reference == "null":
            return ""
        return fields_of(self.module.metadata[_number(reference)])["filename"][1:-1]


def _number(reference: str) -> int:
    return int(reference[1:])
