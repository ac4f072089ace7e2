"""The control-flow graph of a code object."""

from bisect import bisect_right
from dataclasses import dataclass
from types import CodeType
from typing import NamedTuple, Self

from sonde.flow import Edge, FlowGraph
from sonde.instruments.paths.sources.bytecode.instructions import (
    Instruction,
    Protected,
    instructions_of,
    protected_ranges,
)

_ALWAYS_JUMPS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
_WAITS_AGAIN = "JUMP_BACKWARD_NO_INTERRUPT"
_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})
_ENDS = _RETURNS | {"RAISE_VARARGS", "RERAISE"}

_NEVER_RAISES = frozenset(
    (
        *("NOP", "LOAD_CONST", "STORE_FAST", "POP_TOP", "COPY", "SWAP", "PUSH_NULL", "PUSH_EXC_INFO", "POP_EXCEPT"),
        *("RETURN_CONST", "RETURN_VALUE", "END_FOR", "JUMP_FORWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
    )
)
"""Nothing of these runs code that raises into the function."""


class CodeBlock(NamedTuple):
    """Instructions that run one after the other, and are entered at the first."""

    start: int
    """Offset of the first instruction, in bytes."""
    end: int
    """Offset behind the last."""
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class CodeGraph:
    """Blocks of a code object, in the order of their instructions, and the edges between them.

    Edges leave a block in this order: to the block behind it, to where it jumps, then those of exceptions, by handler.
    Two more blocks have no instructions: `returned`, to which an edge leads where the function returns, and `outside`,
    for exceptions without a handler. What waits for another generator or an awaitable (`SEND` and what follows until it
    is sent to again) is one block: no loop of the program.
    """

    blocks: tuple[CodeBlock, ...]
    flow: FlowGraph
    exceptional: frozenset[Edge]
    """Edges that exceptions take."""
    protected: tuple[Protected, ...]

    @classmethod
    def of(cls, code: CodeType) -> Self:
        """The graph of a code object of this interpreter. Cost: O(instructions * log(handlers))."""
        instructions = instructions_of(code)
        protected = protected_ranges(code)
        blocks = _blocks(instructions, protected)
        number = {block.start: at for at, block in enumerate(blocks)}
        successors: list[list[int]] = []
        exceptional = set[Edge]()
        for at, block in enumerate(blocks):
            after = _normal_successors(at, block, number, len(blocks))
            raised = sorted(_handlers(block, protected, number, len(blocks) + 1))
            exceptional.update(Edge(at, len(after) + place) for place in range(len(raised)))
            successors.append([*after, *raised])
        return cls(blocks, FlowGraph.of([*successors, [], []]), frozenset(exceptional), protected)

    @property
    def returned(self) -> int:
        """The block that stands for the end of the function."""
        return len(self.blocks)

    @property
    def outside(self) -> int:
        """The block that stands for where exceptions lead that leave the function."""
        return len(self.blocks) + 1

    def block_at(self, offset: int) -> int:
        """The number of the block in which an instruction is."""
        return bisect_right(self.blocks, offset, key=lambda block: block.start) - 1

    def handler_at(self, offset: int) -> int:
        """The block to which an exception in an instruction leads."""
        entry = _entry_at(self.protected, offset)
        return self.outside if entry is None else self.block_at(entry.handler)

    def waits_at(self, block: int) -> int | None:
        """Where a block that ends by waiting sends again: the offset of `SEND`."""
        *others, last = self.blocks[block].instructions
        sends = (each.start for each in others if each.name == "SEND" and each.start == last.target)
        return next(sends, None) if last.name == _WAITS_AGAIN else None

    def normal_edges(self, block: int) -> list[Edge]:
        """The edges of a block that are not taken by exceptions."""
        edges = (Edge(block, place) for place in range(len(self.flow.successors[block])))
        return [edge for edge in edges if edge not in self.exceptional]

    def exception_edge(self, block: int, handler: int) -> Edge | None:
        """The edge that an exception takes from a block to a handler; None where nothing can raise."""
        for place, target in enumerate(self.flow.successors[block]):
            if target == handler and Edge(block, place) in self.exceptional:
                return Edge(block, place)
        return None


def block_lines(code: CodeType, graph: CodeGraph) -> list[tuple[int, ...]]:
    """(n_blocks,) lines of the source of each block, ascending."""
    lines: list[set[int]] = [set() for _ in graph.blocks]
    for start, end, line in code.co_lines():
        if line is not None:
            for block in range(graph.block_at(start), graph.block_at(end - 1) + 1):
                lines[block].add(line)
    return [tuple(sorted(each)) for each in lines]


def _waits(instructions: tuple[Instruction, ...]) -> dict[int, tuple[int, int]]:
    """Of what waits: offset of `SEND` -> offsets behind the jump that leads back to it, and of what follows."""
    sends = {each.start: each for each in instructions if each.name == "SEND"}
    waits = {}
    for each in instructions:
        if each.name == _WAITS_AGAIN and each.target in sends:
            after = sends[each.target].target
            assert after is not None
            waits[each.target] = (each.end, after)
    return waits


def _blocks(instructions: tuple[Instruction, ...], protected: tuple[Protected, ...]) -> tuple[CodeBlock, ...]:
    waits = _waits(instructions)
    leaders = {0, *(entry.handler for entry in protected)}
    for each in instructions:
        if each.target is not None and each.target not in waits:
            leaders.add(each.target)
        if each.name in _ENDS or (each.target is not None and each.start not in waits):
            leaders.add(each.end)
    # Where an exception leads into the middle of waiting, it is not a part of it.
    inside = {offset for start, (end, _) in waits.items() for offset in range(start + 1, end)}
    starts = sorted(leaders - inside)
    blocks = []
    for start, end in zip(starts, [*starts[1:], instructions[-1].end], strict=True):
        within = tuple(each for each in instructions if start <= each.start < end)
        if within:
            blocks.append(CodeBlock(start, end, within))
    return tuple(blocks)


def _normal_successors(at: int, block: CodeBlock, number: dict[int, int], returned: int) -> list[int]:
    last = block.instructions[-1]
    if last.name in _RETURNS:
        return [returned]
    if last.name in _ENDS:
        return []
    if last.name == _WAITS_AGAIN and last.target not in number:
        (send,) = (each for each in block.instructions if each.start == last.target)
        assert send.target is not None
        return [number[send.target]]
    if last.target is None:
        return [at + 1]
    target = number[last.target]
    return [target] if last.name in _ALWAYS_JUMPS else [at + 1, target]


def _handlers(block: CodeBlock, protected: tuple[Protected, ...], number: dict[int, int], outside: int) -> set[int]:
    found = set()
    for each in block.instructions:
        if each.name not in _NEVER_RAISES:
            entry = _entry_at(protected, each.offset)
            found.add(outside if entry is None else number[entry.handler])
    return found


def _entry_at(protected: tuple[Protected, ...], offset: int) -> Protected | None:
    """Ranges are disjoint, and ascend."""
    at = bisect_right(protected, offset, key=lambda entry: entry.start) - 1
    return protected[at] if at >= 0 and offset < protected[at].end else None
