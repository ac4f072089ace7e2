"""The path register as values: phis where ways with different values meet, additions only before them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from sonde.flow import Edge, PathNumbering, ProbePlacement
from sonde.ir import Block, Function, Instruction, make_phi
from sonde.passes.path_counters import Register

_SELDOM = 0.5
"""An edge that is taken less often than this, of the times that its block runs, gets a block for its addition."""


@dataclass(slots=True)
class PathRegister:
    """The register of one function, before and after each block.

    No instruction is needed where the register is set, or changed on the way to a block that is reached by one edge:
    the change is added where the value is used. What is left are additions before phis.
    """

    function: Function
    blocks: list[Block]
    """By the numbers of the graph."""
    numbering: PathNumbering
    placement: ProbePlacement
    handed_over: Collection[int]
    """Blocks where all paths that come there end: they have the register of those paths at their beginning."""
    frequency: Mapping[Edge, float]
    split: Callable[[int, int], Block | None]
    """Puts a block on the edges from one to another; None where that cannot be done."""
    taken: set[str]
    begins: dict[int, Register] = field(default_factory=dict)
    """Block -> the register when it begins; where paths are handed over, that of those."""
    _into: dict[int, dict[int, Edge]] = field(default_factory=dict)
    _entering: dict[str, list[str]] = field(default_factory=dict)
    """Block -> those that lead there, once for each edge, as the function is now."""
    _sums: dict[tuple[str, Register], str] = field(default_factory=dict)
    _phis: dict[int, str] = field(default_factory=dict)

    def place(self) -> None:
        """Work out all values, and put the phis and additions in."""
        for edge in self.numbering.graph.edges():
            self._into.setdefault(self.numbering.graph.target(edge), {})[edge.source] = edge
        for block in self.numbering.graph.order:
            self._begin(block)
        for each in self.function.blocks:
            for after in each.successors():
                self._entering.setdefault(after, []).append(each.name)
        for block, name in self._phis.items():
            incoming = {source: self._along(edge) for source, edge in self._into[block].items()}
            self._put_phi(block, name, incoming)

    def at_end(self, block: int) -> Register:
        """The register when a block ends."""
        if block in self.handed_over:
            return Register(None, self.placement.starts[block])
        return self.begins[block]

    def _begin(self, block: int) -> None:
        if block == 0:
            self.begins[block] = Register(None, self.placement.starts[block])
            return
        position = self.numbering.graph.position
        values = set[Register | None]()
        for source, edge in self._into[block].items():
            if position[source] >= position[block] and not self._is_set(edge):
                values.add(None)  # not known yet, and not the same as others
            else:
                values.add(self._along(edge))
        if len(values) == 1 and None not in values:
            self.begins[block] = values.pop() or Register(None, 0)
            return
        name = f"%path.r{block}"
        while name in self.taken:
            name += "."
        self.taken.add(name)
        self._phis[block] = name
        self.begins[block] = Register(name, 0)

    def _is_set(self, edge: Edge) -> bool:
        """Whether an edge sets the register, whatever it was."""
        if edge.source in self.numbering.ending:
            return True
        return edge in self.numbering.cut and self.numbering.graph.target(edge) not in self.handed_over

    def _along(self, edge: Edge) -> Register:
        """The register after an edge."""
        if self._is_set(edge):
            return Register(None, self.placement.starts[self.numbering.graph.target(edge)])
        if edge in self.numbering.cut:
            return self.at_end(edge.source).plus(self.placement.ends[edge])
        return self.at_end(edge.source).plus(self.placement.increments.get(edge, 0))

    def _put_phi(self, number: int, name: str, incoming: Mapping[int, Register]) -> None:
        target = self.blocks[number]
        entering = self._entering[target.name]
        values: dict[str, str] = {}  # by names of blocks
        for source, register in incoming.items():
            block = self.blocks[source]
            if register.base is None or not register.added:
                values[block.name] = str(register.added) if register.base is None else register.base
                continue
            if self._is_seldom(self._into[number][source]) and (edge := self.split(source, number)) is not None:
                at = entering.index(block.name)
                entering[:] = [*entering[:at], edge.name, *(each for each in entering[at:] if each != block.name)]
                block = edge
            values[block.name] = self._sum(block, register)
        # What else leads here are blocks on edges that set the register, and code that is never reached.
        otherwise = str(self.placement.starts.get(number, 0))
        entries = [(values.get(block, otherwise), block) for block in entering]
        target.instructions.insert(0, make_phi(name, "i64", entries))

    def _is_seldom(self, edge: Edge) -> bool:
        after = self.numbering.graph.successors[edge.source]
        others = sum(self.frequency[Edge(edge.source, place)] for place in range(len(after)))
        return len(after) > 1 and self.frequency[edge] < _SELDOM * others

    def _sum(self, block: Block, register: Register) -> str:
        """The register as a value at the end of a block."""
        key = (block.name, register)
        if key not in self._sums:
            name = f"{register.base}.at{len(self._sums)}"
            while name in self.taken:
                name += "."
            self.taken.add(name)
            text = f"add i64 {register.base}, {register.added}"
            block.instructions.insert(len(block.instructions) - 1, Instruction.from_text(text, name))
            self._sums[key] = name
        return self._sums[key]
