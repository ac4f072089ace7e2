"""Versions of one function, side by side, and which of them runs."""

from dataclasses import dataclass, field

from sonde.base.errors import UsageError
from sonde.ir import Function, Module
from sonde.ir.edits import suffixed
from sonde.jit.engine import LoadedCode

BASE = "base"
"""The version that a program is loaded with."""


@dataclass(slots=True, eq=False)
class MachineCode:
    """A version's machine code, loaded."""

    address: int
    size_bytes: int
    library: LoadedCode
    """What holds it, perhaps with other code."""


@dataclass(slots=True, eq=False)
class Version:
    """One way to run a function."""

    name: str
    symbol: str
    """What its body is called in IR and object files, with sigil."""
    module: Module
    """Holds the body under `symbol`, and what it needs to be compiled."""
    level: int
    """0 to 3: how hard the code generator tries."""
    recipe: tuple[str, ...] = ()
    """The passes that were run on it, in order."""
    origin: str = ""
    """The version that it was made from; empty for the base."""
    code: MachineCode | None = None
    """None while it is not compiled."""

    @property
    def body(self) -> Function:
        return self.module.functions[self.symbol]


@dataclass(slots=True, eq=False)
class ManagedFunction:
    """A function that is called through its slot."""

    name: str
    """With sigil; the name of its stub."""
    unit: str
    """The program that it was loaded with."""
    versions: dict[str, Version] = field(default_factory=dict)
    active: str = BASE
    stub: int = 0
    """Address that all references use; 0 while the program is not linked."""
    slot: int = 0
    """Address of the pointer to the active version's code."""
    parts: list[MachineCode] = field(default_factory=list)
    """Code of parts of it that are no versions: continuations."""

    def version(self, name: str) -> Version:
        """The version of that name.

        Raises:
            UsageError: `no-such-version`.
        """
        if name not in self.versions:
            raise UsageError(
                f"cannot find a version '{name}' of '{self.name[1:]}': it has {', '.join(self.versions)}",
                slug="no-such-version",
                hint=f"versions {self.name[1:]}",
            )
        return self.versions[name]


def body_name(function: str, version: str) -> str:
    """What the body of a version is called: a name that no compiler makes, and that LLVM prints without quotes."""
    return suffixed(function, f"-{version}")
