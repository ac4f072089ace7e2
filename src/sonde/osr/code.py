"""A version of a function of a machine, and points in it by name."""

from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import Place
from sonde.machine import ManagedFunction, Version, VirtualMachine
from sonde.osr.places import place_of


@dataclass(frozen=True, slots=True)
class Code:
    """A version of a function of a machine."""

    machine: VirtualMachine
    function: ManagedFunction
    version: Version

    @property
    def body(self) -> Function:
        return self.version.body

    @property
    def name(self) -> str:
        """As people write it: `f@version`."""
        return f"{self.function.name[1:]}@{self.version.name}"

    def copied(self) -> tuple[Module, Function]:
        """A module with the body and what may be inlined into it, to be changed; and the body."""
        module = parse_module(print_module(self.machine.alone(self.function, self.version)))
        symbol = self.version.symbol
        if symbol not in module.functions or module.functions[symbol].is_declaration:
            # A base version is known by another name where it stands alone.
            symbol = next(each.name for each in module.defined_functions() if each.name.startswith(symbol))
        return module, module.functions[symbol]


def place_in(code: Code, body: Function, at: str | Place) -> Place:
    """The point of a body that a text means. Raises: UsageError `osr-place`."""
    try:
        return place_of(body, at)
    except KeyError as error:
        blocks = ", ".join(each.name for each in body.blocks[:8])
        raise UsageError(
            f"cannot find the point '{at if isinstance(at, str) else f'{at.block}+{at.at}'}' in {code.name}: it has no "
            f"such block, value or instruction; its blocks are {blocks}" + (", ..." if len(body.blocks) > 8 else ""),
            slug="osr-place",
            hint=f"ir {code.name}",
        ) from error


def free_version(f: Code) -> str:
    """A name for a further version with points."""
    number = 1
    while (name := "osr" if number == 1 else f"osr{number}") in f.function.versions:
        number += 1
    return name
