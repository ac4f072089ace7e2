"""Code objects of CPython 3.11 to 3.13 that trace their paths.

A rewritten function has an activation (`sonde._path_agent`) at the bottom of its stack, where it is no variable, and
`LOAD_FAST` reaches it by the number behind those of the variables. `del activation[probe]` lets a probe act on it: that
is the cheapest way into C, two opcodes once the first two are joined.

A function that takes one path in each activation, since it has no loop and handles no exception, needs none: the
register is an integer in that place, and `del whole[register]` counts the activation and its path.

Exceptions of a block go to a landing of its own, which tells the path that was cut, and on to where they went before.
"""

import sys
from array import array
from collections.abc import Callable, Hashable
from types import CodeType
from typing import NamedTuple, Protocol

from sonde.flow import Edge
from sonde.instruments.paths.sources.bytecode.code_graph import CodeGraph
from sonde.instruments.paths.sources.bytecode.code_writing import Label, Landing, Op, Position, write_code
from sonde.instruments.paths.sources.bytecode.instructions import UNIT, Instruction
from sonde.instruments.paths.sources.bytecode.numbered_code import NumberedCode

_OPERANDS = 3
"""What the stack needs besides: the activation, and the operands of a probe."""
_LANDED = 5
"""What it needs where an exception leaves the function: a place and the exception besides these three."""
_ADD = 0
"""Of `BINARY_OP`."""
_LOOP_ENDS = ("END_FOR",) if sys.version_info < (3, 13) else ("END_FOR", "POP_TOP")
"""Where a `for` loop leads when it is exhausted; it jumps over them, from 3.12 on."""
NO_ORIGIN = -(1 << 31)
"""Of an instruction that stands for none of the original."""
_NOWHERE: Position = (None, None, None, None)


class Probes(Protocol):
    """What the agent makes; constants of rewritten code."""

    def routine(self, number: int, start: int) -> object:
        """`~routine` is a new activation, whose register is `start`."""

    def add(self, value: int) -> object:
        """Adds to the register."""

    def emit(self, value: int, start: int) -> object:
        """The path ends: its number is the register and `value`. The register is `start` then."""

    def end(self, value: int) -> object:
        """The path ends, and the activation with it."""

    def whole(self, number: int, value: int) -> object:
        """Counts an activation that took one path: the register, which it is given, and `value`."""

    def lose(self, start: int) -> object:
        """It is not known which path ends."""


class Rewritten(NamedTuple):
    """A code object that does what another does."""

    code: CodeType
    origins: bytes
    """(n_units,) int32, offsets in the other, in bytes. Of a probe: `~offset` of what comes next, or `NO_ORIGIN`."""


def rewrite(
    code: CodeType, numbered: NumberedCode, number: int, probes: Probes, consts: tuple[object, ...]
) -> Rewritten:
    """The code with probes.

    Args:
        number: of the routine.
        consts: its constants, rewritten themselves.
    """
    return _Rewriting(code, numbered, number, probes, consts).rewritten()


class _Rewriting:
    def __init__(
        self, code: CodeType, numbered: NumberedCode, number: int, probes: Probes, consts: tuple[object, ...]
    ) -> None:
        self._code = code
        self._numbered = numbered
        self._graph = numbered.graph
        self._placement = numbered.placement
        self._number = number
        self._takes_one_path = not numbered.numbering.cut
        self._probes = probes
        self._consts = list(consts)
        self._const_numbers: dict[Hashable, int] = {}
        self._local = len(code.co_varnames) + len(_cells(code))
        self._positions = list(code.co_positions())
        self._entries = {entry.handler: entry for entry in self._graph.protected}
        self._resume = next(each for each in self._graph.blocks[0].instructions if each.name == "RESUME")
        self._exhausted = _exhausted_loops(self._graph)
        self._labels = [Label() for _ in self._graph.blocks]
        self._landings: dict[tuple[int | None, int, Position], Landing] = {}
        self._items: list[Op | Label] = []
        self._tail: list[Op | Label] = []

    def rewritten(self) -> Rewritten:
        """The result."""
        for block in range(len(self._graph.blocks)):
            self._write_block(block)
        written = write_code([*self._items, *self._tail], self._code.co_firstlineno)
        code = self._code.replace(
            co_code=written.code,
            co_consts=tuple(self._consts),
            co_stacksize=max(self._code.co_stacksize + _OPERANDS, _LANDED),
            co_exceptiontable=written.exceptions,
            co_linetable=written.lines,
        )
        return Rewritten(code, array("i", written.origins).tobytes())

    def _write_block(self, number: int) -> None:
        block, edges = self._graph.blocks[number], self._graph.normal_edges(number)
        waits_at = self._graph.waits_at(number)
        again, behind = Label(), Label()
        self._items.append(self._labels[number])
        for each in block.instructions[:-1]:
            target = None
            if each.start == waits_at:
                self._items.append(again)
                target = behind if self._graph.flow.target(edges[0]) == number + 1 else self._jump(each, edges[0])
            self._copy(number, each, target)
            self._begin_behind(number, each)
        last = block.instructions[-1]
        if waits_at is not None:
            self._copy(number, last, again)
            self._items.append(behind)
            if self._graph.flow.target(edges[0]) == number + 1:
                self._probe(last, self._at(edges[0]), block.end)
        elif self._graph.flow.position[number] < 0:
            # Nothing leads here.
            self._copy(number, last, None if last.target is None else self._labels[self._graph.flow.target(edges[-1])])
        elif not edges:
            self._leave(number, last)
        elif self._graph.flow.target(edges[0]) == self._graph.returned:
            self._probe(last, self._end(self._numbered.added_at_end(edges[0])), last.start)
            self._copy(number, last)
        elif last.target is None:
            self._copy(number, last)
            self._begin_behind(number, last)
            self._probe(last, self._at(edges[0]), block.end)
        elif len(edges) == 1:
            self._probe(last, self._at(edges[0]), last.start)
            self._copy(number, last, self._labels[self._graph.flow.target(edges[0])])
        else:
            self._copy(number, last, self._jump(last, edges[1]))
            self._probe(last, self._at(edges[0]), block.end)

    def _leave(self, number: int, last: Instruction) -> None:
        """Copy what always raises. What is raised again out of the function needs no landing."""
        edge = self._graph.exception_edge(number, self._graph.outside)
        if last.name == "RERAISE" and edge is not None and self._graph.handler_at(last.offset) == self._graph.outside:
            self._probe(last, self._end(self._numbered.added_at_end(edge)), last.start)
            self._append(last, last.argument, None)
        else:
            self._copy(number, last)

    def _begin_behind(self, block: int, each: Instruction) -> None:
        """What is to be done behind the first RESUME, and where a `for` loop comes out of its last instruction."""
        if each is self._resume:
            self._begin(each)
        exhausted, end = self._exhausted.get(block, (None, None))
        if exhausted is not None and each.end == end:
            self._probe(each, self._at(exhausted), each.end)

    def _jump(self, last: Instruction, edge: Edge) -> Label:
        """Where a conditional jump leads: to the block, or to a probe behind all blocks."""
        to = self._graph.flow.target(edge)
        probe = self._at(edge)
        if probe is None or to in self._exhausted:
            return self._labels[to]
        label, landing = Label(), self._lost(last)  # a landing may be written behind all blocks, too
        position, next_ = self._position(last), ~self._graph.blocks[to].start
        self._tail.append(label)
        self._write_probe(self._tail, probe, position, landing, next_)
        if "BACKWARD" in last.name:  # what jumped back looks for signals then
            jump = Op("JUMP_BACKWARD", self._labels[to], position, landing, last.offset, last.start)
        else:
            jump = Op("JUMP_BACKWARD_NO_INTERRUPT", self._labels[to], position, landing, next_, next_)
        self._tail.append(jump)
        return label

    def _at(self, edge: Edge) -> int | None:
        """The constant of the probe of an edge."""
        target = self._graph.flow.target(edge)
        if edge in self._numbered.numbering.cut:
            return self._emit(self._numbered.added_at_end(edge), self._placement.starts[target])
        value = self._placement.increments.get(edge, 0)
        if not value:
            return None
        return self._const(("add", value), lambda: value if self._takes_one_path else self._probes.add(value))

    def _end(self, value: int) -> int:
        if self._takes_one_path:
            return self._const(("whole", value), lambda: self._probes.whole(self._number, value))
        return self._const(("end", value), lambda: self._probes.end(value))

    def _emit(self, value: int, start: int) -> int:
        return self._const(("emit", value, start), lambda: self._probes.emit(value, start))

    def _const(self, key: Hashable, make: Callable[[], object]) -> int:
        if key not in self._const_numbers:
            self._const_numbers[key] = len(self._consts)
            self._consts.append(make())
        return self._const_numbers[key]

    def _begin(self, resume: Instruction) -> None:
        """Without a line: whoever traces lines is told of the one behind the first RESUME in any case."""
        start, origin = self._placement.starts[0], ~resume.end
        if self._takes_one_path:
            begun = [("LOAD_CONST", self._const(("start", start), lambda: start))]
        else:
            routine = self._const("routine", lambda: self._probes.routine(self._number, start))
            begun = [("LOAD_CONST", routine), ("UNARY_INVERT", 0)]
        self._items += (Op(name, argument, _NOWHERE, None, origin, origin) for name, argument in begun)

    def _probe(self, near: Instruction, probe: int | None, next_: int) -> None:
        """A probe beside an instruction, before the one at offset `next_`."""
        if probe is not None:
            self._write_probe(self._items, probe, self._position(near), self._lost(near), ~next_)

    def _write_probe(
        self, items: list[Op | Label], probe: int, position: Position, landing: Landing | None, origin: int
    ) -> None:
        for name, argument in self._steps(probe):
            items.append(Op(name, argument, position, landing, origin, origin))

    def _steps(self, probe: int) -> tuple[tuple[str, int], ...]:
        register, constant = ("LOAD_FAST", self._local), ("LOAD_CONST", probe)
        if not self._takes_one_path:
            return register, constant, ("DELETE_SUBSCR", 0)
        if isinstance(self._consts[probe], int):
            return register, constant, ("BINARY_OP", _ADD), ("STORE_FAST", self._local)
        return constant, register, ("DELETE_SUBSCR", 0)

    def _copy(self, block: int, each: Instruction, target: Label | None = None) -> None:
        assert each.target is None or target is not None
        argument = each.argument if target is None else target
        # Up to the first RESUME, the activation is not on the stack.
        landing = self._landing(block, each) if each.offset > self._resume.offset else None
        self._append(each, argument, landing)

    def _append(self, each: Instruction, argument: int | Label, landing: Landing | None) -> None:
        self._items.append(Op(each.name, argument, self._position(each), landing, each.offset, each.start))

    def _position(self, each: Instruction) -> Position:
        return self._positions[each.offset // UNIT]

    def _landing(self, block: int, each: Instruction) -> Landing | None:
        handler = self._graph.handler_at(each.offset)
        edge = self._graph.exception_edge(block, handler)
        if edge is None or self._graph.flow.position[block] < 0:
            return self._lost(each)
        value = self._numbered.added_at_end(edge)
        if handler != self._graph.outside:
            return self._landing_at(each, block, handler, self._emit(value, self._placement.starts[handler]))
        return self._landing_at(each, block, handler, self._end(value))

    def _lost(self, each: Instruction) -> Landing | None:
        """Of what raises only when signals or other threads make it raise."""
        handler = self._graph.handler_at(each.offset)
        if handler == self._graph.outside:
            return None
        start = self._placement.starts.get(handler)
        if start is None:  # nothing that may raise leads there
            entry = self._entries[self._graph.blocks[handler].start]
            return Landing(self._labels[handler], entry.depth + 1, entry.keeps_place)
        return self._landing_at(each, None, handler, self._const(("lose", start), lambda: self._probes.lose(start)))

    def _landing_at(self, raising: Instruction, block: int | None, handler: int, probe: int) -> Landing:
        position, origin = self._position_of_landing(raising, handler)
        key = (block, handler, position)
        found = self._landings.get(key)
        if found is None:
            label = Label()
            self._tail.append(label)
            self._write_probe(self._tail, probe, position, None, origin)
            if handler == self._graph.outside:
                self._tail.append(Op("RERAISE", 1, position, None, origin, origin))
                found = Landing(label, 1, True)
            else:
                entry = self._entries[self._graph.blocks[handler].start]
                target = self._labels[handler]
                self._tail.append(Op("JUMP_BACKWARD_NO_INTERRUPT", target, position, None, origin, origin))
                found = Landing(label, entry.depth + 1, entry.keeps_place)
            self._landings[key] = found
        return found

    def _position_of_landing(self, raising: Instruction, handler: int) -> tuple[Position, int]:
        """No line, or that of the handler where whoever traces lines would see no change; and the origin."""
        if handler == self._graph.outside:
            return _NOWHERE, NO_ORIGIN
        first = self._graph.blocks[handler].instructions[0]
        line = self._position(first)[0]
        is_same = line == self._position(raising)[0]
        return (line, None, None, None) if is_same else _NOWHERE, ~first.start


def _exhausted_loops(graph: CodeGraph) -> dict[int, tuple[Edge, int]]:
    """Blocks where exhausted `for` loops lead -> the edge, and the offset within them that it jumps to (3.12, 3.13)."""
    found = {}
    for number, block in enumerate(graph.blocks):
        if block.instructions[-1].name == "FOR_ITER":
            edge = graph.normal_edges(number)[1]
            target = graph.flow.target(edge)
            ends = graph.blocks[target].instructions[: len(_LOOP_ENDS)]
            if ends[0].name == _LOOP_ENDS[0]:
                assert tuple(each.name for each in ends) == _LOOP_ENDS
                found[target] = (edge, ends[-1].end)
    return found


def _cells(code: CodeType) -> set[str]:
    """Cells and free variables that have a place of their own: parameters keep theirs."""
    return {*code.co_cellvars, *code.co_freevars} - set(code.co_varnames)
