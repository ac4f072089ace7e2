"""Who refers to a function or global variable."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sonde.ir.analyses.place import Place
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.module import Module
from sonde.ir.names import globals_in


class GlobalUse(NamedTuple):
    """An instruction that names a global."""

    function: Function
    instruction: Instruction
    place: Place


@dataclass(frozen=True, slots=True)
class GlobalUses:
    """The uses of every global name of a module. It is not kept up to date when one edits.

    >>> from sonde.ir.parse import parse_module
    >>> module = parse_module("@a = global ptr @b\\n@b = global i8 0\\ndefine ptr @f() {\\n  ret ptr @a\\n}\\n")
    >>> uses = GlobalUses.of(module)
    >>> [str(use.instruction) for use in uses.instructions("@a")], uses.globals("@b"), uses.is_used("@f")
    (['ret ptr @a'], ['@a'], False)
    """

    _instructions: Mapping[str, list[GlobalUse]]
    _globals: Mapping[str, list[str]]
    _functions: Mapping[str, list[Function]]
    _metadata: Mapping[str, list[int]]

    @classmethod
    def of(cls, module: Module) -> "GlobalUses":
        """Look at all text of a module once."""
        instructions: dict[str, list[GlobalUse]] = {}
        in_globals: dict[str, list[str]] = {}
        functions: dict[str, list[Function]] = {}
        metadata: dict[str, list[int]] = {}
        for value in module.globals.values():
            for name in dict.fromkeys(globals_in(value.text)):
                in_globals.setdefault(name, []).append(value.name)
        for number, text in module.metadata.items():
            if "@" in text:
                for name in dict.fromkeys(globals_in(text)):
                    metadata.setdefault(name, []).append(number)
        for function in module.functions.values():
            for name in dict.fromkeys(globals_in(function.signature.suffix)):
                functions.setdefault(name, []).append(function)
            for block in function.blocks:
                for index, instruction in enumerate(block.instructions):
                    if any("@" in piece for piece in instruction.pieces):
                        for name in dict.fromkeys(globals_in(instruction.text)):
                            use = GlobalUse(function, instruction, Place(block.name, index))
                            instructions.setdefault(name, []).append(use)
        return cls(instructions, in_globals, functions, metadata)

    def instructions(self, name: str) -> list[GlobalUse]:
        """The instructions that name it, each once, in the order of the text."""
        return self._instructions.get(name, [])

    def globals(self, name: str) -> list[str]:
        """The variables, aliases and ifuncs whose text names it."""
        return self._globals.get(name, [])

    def functions(self, name: str) -> list[Function]:
        """The functions that name it in their own line: as personality, prefix or prologue data."""
        return self._functions.get(name, [])

    def metadata(self, name: str) -> list[int]:
        """Numbers of the metadata nodes that name it; they are no uses."""
        return self._metadata.get(name, [])

    def is_used(self, name: str) -> bool:
        """Whether an instruction, a global or a function uses it."""
        return name in self._instructions or name in self._globals or name in self._functions
