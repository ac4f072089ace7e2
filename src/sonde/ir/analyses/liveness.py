"""Liveness: which values may still be used."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sonde.ir.analyses.control_flow import ControlFlow
from sonde.ir.analyses.phi_uses import phi_uses
from sonde.ir.analyses.place import Place
from sonde.ir.block import Block
from sonde.ir.function import Function


@dataclass(frozen=True, slots=True)
class Liveness:
    """The values of a function that are live, at any point of it: those that some path from there on uses.

    A phi uses a value on the edge from the block that the phi names, and yields its own on all edges into its block;
    see `Place`. Debug records use nothing. The result of an `invoke` begins to be live on its normal edge.

    Guarantee: a value is live at a place exactly if a path of the control flow leads from there to a use without
        passing what makes the value.

    The answers hold until the function is edited.
    """

    flow: ControlFlow
    values: tuple[str, ...]
    """Every parameter and result; sets are numbers whose bit i stands for value i."""
    number_of: Mapping[str, int]
    _blocks: Mapping[str, Block]
    _live_in: tuple[int, ...]
    _phi_results: tuple[int, ...]
    _edge_uses: Mapping[tuple[int, int], int]
    """(source, target) -> what the phis of the target take from the source."""

    @classmethod
    def of(cls, function: Function, flow: ControlFlow | None = None) -> "Liveness":
        """Work it out, for unreachable blocks too.

        Cost: one walk over the instructions, and O(edges * values / word size) for each pass over the blocks; passes
            are as many as loops are nested, and two more, where loops have one entry each.
        """
        flow = flow or ControlFlow.of(function)
        values = [parameter.name for parameter in function.parameters]
        values += (each.result for each in function.instructions() if each.result is not None)
        number_of = {value: number for number, value in enumerate(values)}
        phi_results, edge_uses = _phis(function, flow, number_of)
        live_in = _solve(function, flow, number_of, phi_results, edge_uses)
        return cls(
            flow, tuple(values), number_of, function.blocks_by_name(), tuple(live_in), tuple(phi_results), edge_uses
        )

    def live_in(self, block: str) -> frozenset[str]:
        """At the beginning of a block, its phis done."""
        return self._named(self._live_in[self.flow.number_of[block]])

    def live_out(self, block: str) -> frozenset[str]:
        """At the end of a block, its terminator done: what is live on any edge that leaves it."""
        return self._named(self._out(self.flow.number_of[block]))

    def live_on_edge(self, source: str, target: str) -> frozenset[str]:
        """Between two blocks, the phis of the second not yet done.

        Raises:
            ValueError: there is no such edge.
        """
        from_, to = self.flow.number_of[source], self.flow.number_of[target]
        if to not in self.flow.successor_numbers[from_]:
            raise ValueError(f"no edge leads from {source} to {target}")
        return self._named(self._on_edge(from_, to))

    def live_before(self, place: Place) -> frozenset[str]:
        """Right before an instruction. Cost: O(instructions between there and the end of the block + the answer)."""
        instructions = self._blocks[place.block].instructions
        index = max(place.at, self._blocks[place.block].first_after_phis())
        live = set(self.live_out(place.block))
        for instruction in reversed(instructions[index:]):
            live.discard(instruction.result or "")
            live.update(used for used in instruction.pieces[1::2] if used in self.number_of)
        return frozenset(live)

    def throughout(self, block: str) -> Iterator[tuple[Place, frozenset[str]]]:
        """The places of a block from its end to its beginning, each with what is live there. Of the places among
        phis, which are one, only the last.
        """
        instructions = self._blocks[block].instructions
        live = set(self.live_out(block))
        yield Place(block, len(instructions)), frozenset(live)
        for index in range(len(instructions) - 1, self._blocks[block].first_after_phis() - 1, -1):
            live.discard(instructions[index].result or "")
            live.update(used for used in instructions[index].pieces[1::2] if used in self.number_of)
            yield Place(block, index), frozenset(live)

    def is_live_before(self, value: str, place: Place) -> bool:
        """Whether it may still be used there."""
        return value in self.live_before(place)

    def _on_edge(self, source: int, target: int) -> int:
        return self._live_in[target] & ~self._phi_results[target] | self._edge_uses.get((source, target), 0)

    def _out(self, block: int) -> int:
        live = 0
        for target in self.flow.successor_numbers[block]:
            live |= self._on_edge(block, target)
        return live

    def _named(self, bits: int) -> frozenset[str]:
        values = self.values
        found = []
        while bits:
            lowest = bits & -bits
            found.append(values[lowest.bit_length() - 1])
            bits ^= lowest
        return frozenset(found)


def _phis(
    function: Function, flow: ControlFlow, number_of: Mapping[str, int]
) -> tuple[list[int], dict[tuple[int, int], int]]:
    """The results of each block's phis, and what they use on each edge."""
    results = [0] * len(function.blocks)
    uses: dict[tuple[int, int], int] = {}
    for number, block in enumerate(function.blocks):
        for phi in block.phis():
            assert phi.result
            results[number] |= 1 << number_of[phi.result]
            for _, value, source in phi_uses(phi):
                if value in number_of:
                    edge = flow.number_of[source], number
                    uses[edge] = uses.get(edge, 0) | 1 << number_of[value]
    return results, uses


def _solve(
    function: Function,
    flow: ControlFlow,
    number_of: Mapping[str, int],
    phi_results: list[int],
    edge_uses: Mapping[tuple[int, int], int],
) -> list[int]:
    """What is live at the beginning of each block, its phis done."""
    made, used = [], []
    for block in function.blocks:
        block_made: set[str] = set()
        block_used: set[str] = set()  # before it is made here, if it is
        for instruction in block.instructions[block.first_after_phis() :]:
            for name in instruction.pieces[1::2]:
                if name in number_of and name not in block_made:
                    block_used.add(name)
            if instruction.result is not None:
                block_made.add(instruction.result)
        made.append(_bits(block_made, number_of))
        used.append(_bits(block_used, number_of))
    # What phis take is live on one edge into them only, and does not change.
    taken = [0] * len(used)
    for (source, _), bits in edge_uses.items():
        taken[source] |= bits
    live_in = [0] * len(used)
    order = [*(number for number in range(len(used)) if flow.position[number] < 0), *reversed(flow.order)]
    is_waiting = bytearray(b"\1" * len(used))
    is_changing = True
    while is_changing:
        is_changing = False
        for number in order:
            if not is_waiting[number]:
                continue
            is_waiting[number] = 0
            live = taken[number]
            for target in flow.successor_numbers[number]:
                live |= live_in[target] & ~phi_results[target]
            live = live & ~made[number] | used[number]
            if live != live_in[number]:
                live_in[number] = live
                for before in flow.predecessor_numbers[number]:
                    is_waiting[before] = 1
                    is_changing = True
    return live_in


def _bits(names: set[str], number_of: Mapping[str, int]) -> int:
    bits = 0
    for name in names:
        bits |= 1 << number_of[name]
    return bits
