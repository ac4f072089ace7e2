"""What the agent needs to follow paths by events of `sys.monitoring`: numbers in arrays.

Between two branches, everything is determined: a *chain* of edges. An event says which way a branch goes, and so which
chain comes; what it does is done when the next event comes, since an exception may end it anywhere.

A branch is *silent* where the next event tells which way it went: it needs no event. That of a `for` loop is, where
there are others in its body, and runs as fast as without probes then.
"""

from array import array
from itertools import chain as joined
from typing import NamedTuple

from sonde.flow import Edge
from sonde.instruments.paths.sources.bytecode.code_graph import CodeGraph
from sonde.instruments.paths.sources.bytecode.instructions import UNIT
from sonde.instruments.paths.sources.bytecode.numbered_code import NumberedCode, loop_depths

ADDS, EMITS, ENDS = range(3)
"""What a step does with the register: as `step_kind` of native/path_agent/event_tables.h."""

_NO_SITE = -1
_ENDS_IN, _SILENT = 4, 5
"""Columns of `chains`."""
_BLOCK = 4
"""Column of `sites`."""


class EventTables(NamedTuple):
    """Arrays of a routine; the names are those of `sn_routine_tables` in native/path_agent/event_tables.h."""

    block_of: bytes
    """(n_units,) int32."""
    site_of: bytes
    """(n_units,) int32, number of the branch, also where its way is noted; -1 where there is none."""
    sites: bytes
    """(n_sites, 5) int32: the unit that it may jump to, chains if it does not, and if it does, whether it is silent,
    the block that it ends."""
    chains: bytes
    """(n_chains, 6) int32: first step, number of steps, block where it begins, whether it has left it, block where it
    ends, the silent branch in which it ends; -1: none."""
    steps: bytes
    """(n_steps, 4) int64: block that the edge leads to, what it does, value, the register behind an emission."""
    raises: bytes
    """(n_exceptional, 5) int64: block, handler, value, the register behind it, chain of the handler."""
    start: int
    """The register at the beginning."""
    entry: int
    """The chain of the beginning."""
    outside: int
    """The block for exceptions that leave the function."""
    has_jumps: bool
    """Jumps that are always taken are branches, too: there is a loop without others."""


def event_tables(numbered: NumberedCode) -> EventTables:
    """The tables of a code object."""
    has_jumps = False
    while True:
        chains = _Chains(numbered, has_jumps)
        if has_jumps or not chains.is_endless:
            return chains.tables()
        has_jumps = True


class _Chains:
    def __init__(self, numbered: NumberedCode, has_jumps: bool) -> None:
        self._numbered = numbered
        self._graph: CodeGraph = numbered.graph
        self._has_jumps = has_jumps
        self.is_endless = False
        """A chain comes back to itself."""
        self._chains: list[list[int]] = []
        self._steps: list[tuple[int, int, int, int]] = []
        self._at_block: dict[int, int] = {}
        graph, flow = self._graph, numbered.graph.flow
        self._sites: list[list[int]] = []
        units = graph.blocks[-1].end // UNIT
        self._block_of, self._site_of = array("i", bytes(4 * units)), array("i", [_NO_SITE] * units)
        for number, block in enumerate(graph.blocks):
            for unit in range(block.start // UNIT, block.end // UNIT):
                self._block_of[unit] = number
            edges = graph.normal_edges(number)
            if flow.position[number] >= 0 and self._is_site(number):
                last = block.instructions[-1]
                assert last.target is not None
                self._site_of[last.offset // UNIT] = len(self._sites)
                ways = [self._after(edge) for edge in edges]
                self._sites.append([last.target // UNIT, ways[0], ways[-1], False, number])
        self._note_ways()
        self._entry = self._from_block(0)
        self._raises = []
        for edge in sorted(graph.exceptional, key=lambda edge: (edge.source, flow.target(edge))):
            if flow.position[edge.source] >= 0:
                handler = flow.target(edge)
                start = 0 if handler == graph.outside else numbered.placement.starts[handler]
                chain = 0 if handler == graph.outside else self._from_block(handler)
                self._raises.append((edge.source, handler, numbered.added_at_end(edge), start, chain))

        # A generator may be dropped without an event, and what is to be done at the next would be lost.
        if not any(each.name == "YIELD_VALUE" for block in graph.blocks for each in block.instructions):
            self._silence()

    def tables(self) -> EventTables:
        """The result."""
        return EventTables(
            self._block_of.tobytes(),
            self._site_of.tobytes(),
            array("i", joined.from_iterable(self._sites)).tobytes(),
            array("i", joined.from_iterable(self._chains)).tobytes(),
            array("q", joined.from_iterable(self._steps)).tobytes(),
            array("q", joined.from_iterable(self._raises)).tobytes(),
            self._numbered.placement.starts[0],
            self._entry,
            self._graph.outside,
            self._has_jumps,
        )

    def _note_ways(self) -> None:
        """From 3.14 on, instructions that follow a branch note its way, and where a tool is told of each instruction
        their events are told to be their own, not of the branch."""
        follows = {each.start: each for block in self._graph.blocks for each in block.instructions}
        for block in self._graph.blocks:
            last = block.instructions[-1]
            site = self._site_of[last.offset // UNIT]
            if site == _NO_SITE or last.target is None:
                continue
            over, behind = follows.get(last.end), follows.get(last.target)
            noting = [over] if over and over.name == "NOT_TAKEN" else []
            if last.name == "FOR_ITER" and behind and behind.name == "END_FOR":
                iterator = follows.get(behind.end)
                noting += [iterator] if iterator and iterator.name == "POP_ITER" else []
            for each in noting:
                self._site_of[each.offset // UNIT] = site

    def _silence(self) -> None:
        """Choose silent branches, of inner loops first: behind both ways are different blocks, and different events."""
        site_at = {}
        for number, block in enumerate(self._graph.blocks):
            site = self._site_of[block.instructions[-1].offset // UNIT]
            if site != _NO_SITE and self._sites[site][_BLOCK] == number:
                site_at[number] = site
        silent, heard = set[int](), set[int]()
        depth = loop_depths(self._graph.flow)
        for number, site in sorted(site_at.items(), key=lambda item: -depth[item[0]]):
            ways = [self._chains[chain] for chain in self._sites[site][1:3]]
            ends = {way[_ENDS_IN] for way in ways}
            blocks = [self._blocks_of(way) for way in ways]
            if (
                self._graph.blocks[number].instructions[-1].name == "FOR_ITER"
                and site not in heard
                and not ends & (silent | {number})
                and len(ends) == len(ways)
                and not blocks[0] & blocks[1]
            ):
                silent.add(number)
                heard |= {site_at[end] for end in ends if end in site_at}
                self._sites[site][3] = True
        for chain in self._chains:
            if chain[_ENDS_IN] in silent:
                chain[_SILENT] = site_at[chain[_ENDS_IN]]

    def _blocks_of(self, chain: list[int]) -> set[int]:
        first, count = chain[:2]
        return {step[0] for step in self._steps[first : first + count]}

    def _is_site(self, block: int) -> bool:
        """Whether an event tells of the end of a block."""
        if block >= len(self._graph.blocks):
            return False
        last = self._graph.blocks[block].instructions[-1]
        if len(self._graph.normal_edges(block)) > 1:
            return True
        return self._has_jumps and last.name in ("JUMP_FORWARD", "JUMP_BACKWARD")

    def _after(self, edge: Edge) -> int:
        """The chain that begins with an edge."""
        return self._chain(edge.source, [edge, *self._edges_from(self._graph.flow.target(edge))], True)

    def _from_block(self, block: int) -> int:
        """The chain that begins in a block."""
        if block not in self._at_block:
            self._at_block[block] = self._chain(block, self._edges_from(block), False)
        return self._at_block[block]

    def _chain(self, block: int, edges: list[Edge], has_left: bool) -> int:
        end = self._graph.flow.target(edges[-1]) if edges else block
        self._chains.append([len(self._steps), len(edges), block, has_left, end, _NO_SITE])
        self._steps += map(self._step, edges)
        return len(self._chains) - 1

    def _edges_from(self, block: int) -> list[Edge]:
        """Up to the next branch, or to the end."""
        edges = list[Edge]()
        seen = set[int]()
        while block < len(self._graph.blocks) and not self._is_site(block):
            if block in seen:
                self.is_endless = True
                break
            seen.add(block)
            after = self._graph.normal_edges(block)
            if not after:
                break
            edges += after
            block = self._graph.flow.target(after[0])
        return edges

    def _step(self, edge: Edge) -> tuple[int, int, int, int]:
        target, placement = self._graph.flow.target(edge), self._numbered.placement
        if target == self._graph.returned:
            return (target, ENDS, self._numbered.added_at_end(edge), 0)
        if edge in self._numbered.numbering.cut:
            return (target, EMITS, self._numbered.added_at_end(edge), placement.starts[target])
        return (target, ADDS, placement.increments.get(edge, 0), 0)
