"""Programs as they were loaded, and what is compiled of them at first."""

from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir import Function, Module, print_module
from sonde.ir.edits import extract_functions
from sonde.jit.engine import LoadedCode
from sonde.llvm import LlvmModule
from sonde.machine.inlining import may_be_inlined, must_be_inlined
from sonde.machine.stubs import stub_module
from sonde.machine.versions import BASE, body_name

SHARED = ("linkonce", "linkonce_odr", "weak", "weak_odr", "available_externally", "common")
"""Linkages of what several units may define: it is taken from the first."""


class UnitObjects(NamedTuple):
    """A unit's object files."""

    still: bytes
    """Variables, stubs and slots."""
    bodies: bytes
    """The base versions."""


@dataclass(slots=True, eq=False)
class Unit:
    """A program, or a part of one, as it was loaded."""

    name: str
    module: Module
    """Not optimised. Its symbols have names that are unique in the machine."""
    level: int
    """The level of the base versions, 0 to 3."""
    objects: UnitObjects | None = None
    """None while the base versions are not compiled."""
    code: LoadedCode | None = None
    """None while it is not linked; units that were linked together share it."""


def own_functions(module: Module) -> list[Function]:
    """The functions that a unit defines; `available_externally` bodies are copies of what is defined elsewhere."""
    return [each for each in module.defined_functions() if not each.signature.prefix.startswith("available_externally")]


def is_shared(function: Function) -> bool:
    return function.signature.prefix.partition(" ")[0] in SHARED


def unit_modules(unit: Unit) -> tuple[LlvmModule, LlvmModule]:
    """What stands still of a unit, and its base versions, optimised."""
    module = unit.module
    own = [function.name for function in own_functions(module)]
    bodies = {name: body_name(name, BASE) for name in own}
    still = LlvmModule.from_text(print_module(stub_module(module, bodies)), unit.name)
    candidate = may_be_inlined if unit.level else must_be_inlined
    inlinable = [function.name for function in module.defined_functions() if candidate(module, function)]
    base = extract_functions(module, own, renamed=bodies, inlinable=inlinable)
    compiled = LlvmModule.from_text(print_module(base), unit.name)
    compiled.optimize(unit.level)
    return still, compiled
