"""Modules: what LLVM compiles as one."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sonde.ir.function import Function
from sonde.ir.global_value import GlobalValue
from sonde.ir.signature import parse_signature


@dataclass(slots=True, eq=False)
class Module:
    """A module of LLVM IR. What this model does not look into is carried as text."""

    header: list[str] = field(default_factory=list)
    """Lines carried verbatim: target, data layout, assembler text, comdats, summaries."""
    types: dict[str, str] = field(default_factory=dict)
    """Named struct -> body, or `opaque`."""
    globals: dict[str, GlobalValue] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    """Definitions and declarations, by name with sigil."""
    attribute_groups: dict[int, str] = field(default_factory=dict)
    """`#0` -> its text in braces."""
    named_metadata: dict[str, str] = field(default_factory=dict)
    """`!llvm.ident` -> `!{!3}`."""
    metadata: dict[int, str] = field(default_factory=dict)
    """`!12` -> its text."""

    def defined_functions(self) -> Iterator[Function]:
        return (function for function in self.functions.values() if function.blocks)

    def declare(self, signature_text: str) -> Function:
        """The function of that name, declared if the module does not have it.

        Args:
            signature_text: as after `declare`.
        """
        signature = parse_signature(signature_text)
        return self.functions.setdefault(signature.name, Function(signature))

    def add_global(self, name: str, text: str) -> GlobalValue:
        """Add a global under a name that must be free.

        Raises:
            ValueError: the name is taken.
        """
        if name in self.globals or name in self.functions:
            raise ValueError(f"{name} is taken")
        self.globals[name] = GlobalValue(name, text)
        return self.globals[name]

    def add_metadata(self, text: str) -> int:
        """Add a node, and return its number."""
        number = next(reversed(self.metadata), -1) + 1
        while number in self.metadata:
            number += 1
        self.metadata[number] = text
        return number

    def global_names(self) -> set[str]:
        """Every name that is taken by a function, variable, alias or ifunc."""
        return {*self.globals, *self.functions}
