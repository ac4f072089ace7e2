"""Which values are there at a point: those made on every path that leads to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.ir.analyses.dominators import DominatorTree
from sonde.ir.analyses.place import Place
from sonde.ir.block import Block
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction


@dataclass(frozen=True, slots=True)
class ReachingDefinitions:
    """The values that may be used at each point of a function.

    Every value is made in one place only, so what reaches a point is what dominates it. The result of an `invoke`
    reaches only what its normal edge dominates. Everything reaches what no path leads to, as LLVM has it.

    Guarantee: a value reaches a point exactly if every path from the entry to the point makes it.

    The answers hold until the function is edited.
    """

    tree: DominatorTree
    places: Mapping[str, Place | None]
    """Value -> where it is made; None for parameters."""
    _blocks: Mapping[str, Block]
    _parameters: tuple[str, ...]

    @classmethod
    def of(cls, function: Function, tree: DominatorTree) -> "ReachingDefinitions":
        """Prepare the answers.

        Args:
            tree: dominators of the function.
        """
        parameters = tuple(parameter.name for parameter in function.parameters)
        places: dict[str, Place | None] = dict.fromkeys(parameters)
        for block in function.blocks:
            for index, instruction in enumerate(block.instructions):
                if instruction.result is not None:
                    places[instruction.result] = Place(block.name, index)
        return cls(tree, places, function.blocks_by_name(), parameters)

    def reaches(self, value: str, place: Place) -> bool:
        """Whether a value is there right before an instruction. Cost: O(1); for invokes O(predecessors)."""
        made = self.places[value]
        flow = self.tree.flow
        if made is None or not flow.is_reachable(place.block):
            return True
        instruction = self._blocks[made.block].instructions[made.at]
        if instruction.opcode == "invoke":
            return self.tree.edge_dominates(made.block, _normal_target(instruction), place.block)
        if made.block == place.block:
            return made.at < place.at or instruction.opcode == "phi"
        return self.tree.dominates(made.block, place.block)

    def reaches_edge(self, value: str, source: str, target: str) -> bool:
        """Whether a value is there between two blocks, where the phis of the second take theirs."""
        made = self.places[value]
        if made is None:
            return True
        instruction = self._blocks[made.block].instructions[made.at]
        if instruction.opcode == "invoke" and made.block == source:
            is_only = self.tree.flow.successors(source).count(target) == 1
            if target == _normal_target(instruction) and is_only:
                return True
        return self.reaches(value, Place(source, len(self._blocks[source].instructions)))

    def before(self, place: Place) -> list[str]:
        """All values that reach a place: parameters, then those of dominating blocks from the entry on.

        Cost: O(instructions of the blocks that dominate it).
        """
        flow = self.tree.flow
        if not flow.is_reachable(place.block):
            return list(self.places)
        found: list[list[str]] = []
        at: str | None = place.block
        while at is not None:
            results = (each.result for each in self._blocks[at].instructions)
            found.append([value for value in results if value is not None and self.reaches(value, place)])
            at = self.tree.immediate(at)
        return [*self._parameters, *(value for values in reversed(found) for value in values)]


def _normal_target(invoke: Instruction) -> str:
    return invoke.successors()[0]
