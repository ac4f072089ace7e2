"""Computing before a loop what is the same in each of its turns."""

from dataclasses import dataclass
from typing import ClassVar

from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.analyses import ControlFlow, Loop, LoopForest, dominators
from sonde.ir.edits import move_instruction
from sonde.passes.change_log import ChangeLog
from sonde.passes.purity import has_attachments, is_speculatable
from sonde.passes.transformation import option


@dataclass(frozen=True, slots=True)
class HoistLoopInvariants:
    """Move what only computes, from values of outside of the loop, into the block before the loop.

    Loops without such a block are left alone: LLVM's `loop-simplify` makes them. What is moved loses its location, as
    LLVM has it: in a debugger the loop would else seem to be entered before it is.

    Guarantee: the program does the same.
    Cost: O(instructions in loops * depth of loops), and a walk over the function for each that is moved.
    Source: loop-invariant code motion as in LLVM's LICM.
    Differs: neither loads nor calls nor stores are moved, and divisions only by constants.
    """

    name: ClassVar[str] = "hoist-loop-invariants"
    about: ClassVar[str] = "compute before a loop what is the same in each of its turns"

    most: int = option(1_000_000, "how many instructions to move out of each loop")

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:  # noqa: ARG002 - of the protocol
        flow = ControlFlow.of(function)
        forest = LoopForest.of(dominators(flow))
        blocks = function.blocks_by_name()
        for loop in reversed(forest.loops):  # inner ones first
            if loop.preheader is not None:
                self._hoist(function, loop, blocks, flow, log)

    def _hoist(
        self, function: Function, loop: Loop, blocks: dict[str, Block], flow: ControlFlow, log: ChangeLog
    ) -> None:
        assert loop.preheader is not None
        before = blocks[loop.preheader]
        inside = {each.result for name in loop.blocks for each in blocks[name].instructions if each.result}
        moved = 0
        for name in sorted(loop.blocks, key=lambda each: flow.position[flow.number_of[each]]):
            block = blocks[name]
            for instruction in block.instructions.copy():
                if moved == self.most:
                    return
                if not _is_invariant(instruction, inside):
                    continue
                move_instruction(
                    function, block, block.instructions.index(instruction), before, len(before.instructions) - 1
                )
                assert instruction.result is not None
                instruction.location = None
                inside.discard(instruction.result)
                moved += 1
                log.add(function.name, "moved", instruction.result, f"from {name} to {loop.preheader}")


def _is_invariant(instruction: Instruction, inside: set[str]) -> bool:
    return (
        is_speculatable(instruction)
        and not has_attachments(instruction)
        and not any(used in inside for used in instruction.uses())
    )
