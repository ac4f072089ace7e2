"""Leaving out what nobody needs."""

from dataclasses import dataclass
from typing import ClassVar

from sonde.ir import Function, Instruction, Module
from sonde.ir.edits import replace_many_uses
from sonde.passes.change_log import ChangeLog
from sonde.passes.purity import is_removable
from sonde.passes.removal import remove_instructions
from sonde.passes.transformation import option


@dataclass(frozen=True, slots=True)
class EliminateDeadCode:
    """Remove every instruction that computes something for no effect, in circles too.

    An instruction is needed if it has an effect, or if what is needed uses its value. Debug records need nothing; where
    they speak of a value that is gone, they say `poison`. Branches stay.

    Guarantee: the program does the same, and no instruction is left that could be removed by this rule.
    Cost: O(instructions).
    Source: mark and sweep over values; LLVM's ADCE without control dependence.
    """

    name: ClassVar[str] = "eliminate-dead-code"
    about: ClassVar[str] = "remove what computes something that nothing needs"

    keep_loads: bool = option(False, "leave loads alone, though nothing needs them")

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:  # noqa: ARG002 - of the protocol
        definitions = function.definitions()
        needed: set[str] = set()
        waiting: list[Instruction] = [each for each in function.instructions() if not self._is_removable(each)]
        while waiting:
            for used in waiting.pop().uses():
                if used not in needed and used in definitions:
                    needed.add(used)
                    waiting.append(definitions[used])
        dead = {name for name, each in definitions.items() if name not in needed and self._is_removable(each)}
        for name in definitions:
            if name in dead:
                log.add(function.name, "deleted", name)
        replace_many_uses(function, dict.fromkeys(dead, "poison"))
        remove_instructions(function, dead)

    def _is_removable(self, instruction: Instruction) -> bool:
        return is_removable(instruction) and not (self.keep_loads and instruction.opcode == "load")
