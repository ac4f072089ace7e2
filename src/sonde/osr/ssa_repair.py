"""SSA repair: values that have got a second definition, at a new entry of their function."""

from collections.abc import Mapping
from dataclasses import dataclass

from sonde.ir import Block, Function, make_phi
from sonde.ir.analyses import DominatorTree
from sonde.ir.instruction import replace_names
from sonde.ir.names import fresh_name, is_number


@dataclass(frozen=True, slots=True)
class Redefined:
    """A value that is there from the entry on, and is made anew elsewhere."""

    value: str
    type: str
    at_entry: str
    """What it is at the end of the entry block: a name or a constant."""
    made_in: str
    """The block from whose end on, or from `made_at` on, the value itself is there."""
    made_at: int
    """Index of the instruction that makes it; -1: the block's beginning."""


def repair_ssa(function: Function, tree: DominatorTree, variables: Mapping[str, Redefined], taken: set[str]) -> None:
    """Let each use of a redefined value have what reaches it: the value, what there was at the entry, or a new phi.

    Phis are put at the iterated dominance frontier of the block that makes the value, where it is still used (pruned
    SSA). Debug records that no single value reaches say `poison`.

    Args:
        tree: dominators of the function as it is; every block is reachable.
        taken: the function's local names; new ones are added.
    Guarantee: along every path, each use has the value that was made last.
    Cost: one walk over the function, and O(blocks where it lives) for each variable.
    Source: Cytron, Ferrante, Rosen, Wegman, Zadeck, TOPLAS 1991; Cooper, Harvey, Kennedy 2001 for the frontiers.
    Differs: every block is dominated by one of the two definitions, the entry's, so that no value is ever undefined.
    """
    if not variables:
        return
    blocks = function.blocks_by_name()
    frontiers = tree.frontiers()
    uses = _uses(function, variables)
    for each in variables.values():
        _Repair(blocks, tree, frontiers, each, uses[each.value], taken).run()


@dataclass(frozen=True, slots=True)
class _Use:
    block: str
    """Where the value must be there: of a phi, the block that it comes from."""
    at: int
    """Of a phi, beyond the end of that block."""
    pieces: list[str]
    piece: int
    is_record: bool = False


_BEYOND = 1 << 60


def _uses(function: Function, variables: Mapping[str, Redefined]) -> dict[str, list[_Use]]:
    found: dict[str, list[_Use]] = {value: [] for value in variables}
    for block in function.blocks:
        for at, instruction in enumerate(block.instructions):
            pieces = instruction.pieces
            for piece in range(1, len(pieces), 2):
                name = pieces[piece]
                if name not in found:
                    continue
                if instruction.opcode == "phi":
                    source = pieces[piece + 2]
                    # The result of an invoke is there on its normal edge.
                    is_after_invoke = variables[name].made_in == block.name and variables[name].made_at == -1
                    if not is_after_invoke:
                        found[name].append(_Use(source, _BEYOND, pieces, piece))
                else:
                    found[name].append(_Use(block.name, at, pieces, piece))
            for record in instruction.records:
                for piece in range(1, len(record.pieces), 2):
                    if record.pieces[piece] in found:
                        found[record.pieces[piece]].append(_Use(block.name, at, record.pieces, piece, is_record=True))
    return found


@dataclass(slots=True)
class _Repair:
    blocks: Mapping[str, Block]
    tree: DominatorTree
    frontiers: Mapping[str, tuple[str, ...]]
    variable: Redefined
    uses: list[_Use]
    taken: set[str]

    def run(self) -> None:
        variable = self.variable
        outside = [each for each in self.uses if not self._is_after_definition(each)]
        if not outside:
            return
        joins = self._iterated_frontier()
        live = self._live_in([each.block for each in outside if not each.is_record])
        at_start = dict.fromkeys(joins, "poison")
        phis: list[tuple[str, str]] = []
        for join in joins:
            if join in live:
                at_start[join] = self._new_name()
                phis.append((join, at_start[join]))
        reaching: dict[str, str] = {}
        flow = self.tree.flow
        for join, name in phis:
            # A switch may lead here several times: one entry for each edge.
            sources = [flow.names[each] for each in flow.predecessor_numbers[flow.number_of[join]]]
            edges = [(self._at_end(source, at_start, reaching), source) for source in sources]
            self.blocks[join].instructions.insert(0, make_phi(name, variable.type, edges))
        for use in outside:
            if use.at == _BEYOND:
                value = self._at_end(use.block, at_start, reaching)
            else:
                value = self._at_start(use.block, at_start, reaching)
            if use.is_record:
                replace_names(use.pieces, {variable.value: value})
            else:
                use.pieces[use.piece] = value

    def _is_after_definition(self, use: _Use) -> bool:
        return use.block == self.variable.made_in and use.at > self.variable.made_at

    def _iterated_frontier(self) -> list[str]:
        found: dict[str, None] = {}
        waiting = [self.variable.made_in]
        while waiting:
            for join in self.frontiers[waiting.pop()]:
                if join not in found:
                    found[join] = None
                    waiting.append(join)
        return list(found)

    def _live_in(self, used_in: list[str]) -> set[str]:
        """The blocks at whose beginning the value is still needed, whichever it is."""
        flow, found = self.tree.flow, set[str]()
        waiting = list(used_in)
        while waiting:
            block = waiting.pop()
            if block in found:
                continue
            found.add(block)
            for before in flow.predecessor_numbers[flow.number_of[block]]:
                name = flow.names[before]
                if name != self.variable.made_in:
                    waiting.append(name)
        return found

    def _at_start(self, block: str, at_start: Mapping[str, str], reaching: dict[str, str]) -> str:
        """What there is at the beginning of a block."""
        passed = []
        at = block
        while True:
            if at in at_start:
                value = at_start[at]
                break
            if at in reaching:
                value = reaching[at]
                break
            passed.append(at)
            above = self.tree.immediate(at)
            if above is None:
                value = self.variable.at_entry
                break
            if above == self.variable.made_in:
                value = self.variable.value
                break
            at = above
        for each in passed:
            reaching[each] = value
        return value

    def _at_end(self, block: str, at_start: Mapping[str, str], reaching: dict[str, str]) -> str:
        if block == self.variable.made_in:
            return self.variable.value
        return self._at_start(block, at_start, reaching)

    def _new_name(self) -> str:
        stem = self.variable.value
        stem = f"%n{stem[1:]}" if is_number(stem) else stem
        wanted = f'{stem[:-1]}.join"' if stem.endswith('"') else f"{stem}.join"
        name = fresh_name(wanted, self.taken)
        self.taken.add(name)
        return name
