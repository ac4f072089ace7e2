"""Counters of how often loops run, in values: what is counted goes to memory where a loop is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sonde.ir import CALLS, Function, Instruction, Module, call_site, make_phi
from sonde.ir.analyses import ControlFlow, Loop, LoopForest, dominators
from sonde.ir.edits import split_edge, why_not_split_edge
from sonde.passes.call_probes import thread_word
from sonde.passes.probe_places import ProbePlaces


@dataclass(frozen=True, slots=True)
class LoopCounters:
    """Count how often the headers of natural loops run, when the optimiser is done.

    A loop has one value that is added to in its header, and no memory. Where it is left, the value is added to a word
    of the thread. A loop that is left otherwise, by `longjmp`, an exception or the end of the program, is not counted
    that time; loops in it that were left are.

    In loops with calls the word itself is added to each time: a value that is kept over calls costs more.

    Guarantee: what the program does stays the same, but for time and memory.
    Cost: an addition for each time that a header runs; five instructions where a loop is left.
    Source: the idea of counting on few edges only: Ball, Larus, ACM TOPLAS 16(4), 1994.
    Differs: branches within a loop's body are not counted. Where they are guessed right enough, loops are what
        makes estimates wrong by factors; counting branches costs memory in each iteration.

    >>> from sonde.ir import parse_module
    >>> module = parse_module('define void @f(i1 %x) {\\na:\\n  br label %l\\nl:\\n  br i1 %x, label %l, label %z\\n'
    ...     'z:\\n  ret void\\n}')
    >>> LoopCounters(thread_offset=-8, first=32).insert(module, ["@f"])
    {('@f', '%l'): 0}
    >>> [each.opcode for block in module.functions["@f"].blocks[1:] for each in block.instructions]
    ['phi', 'add', 'br', 'load', 'getelementptr', 'load', 'add', 'store', 'ret']
    """

    thread_offset: int
    """Where a thread has the address of its counts, in bytes from the thread pointer; it is never null in a loop."""
    first: int
    """Where the words are, in bytes from that address."""

    def insert(
        self, module: Module, names: Sequence[str], places: ProbePlaces | None = None
    ) -> dict[tuple[str, str], int]:
        """Change functions of a module in place.

        Args:
            names: of the functions, with sigil.
            places: what the instructions that are put in have as locations.
        Returns: function and header -> number of the word.
        """
        numbers = dict[tuple[str, str], int]()
        slot = thread_word(self.thread_offset)
        for name in names:
            function = module.functions[name]
            loops = LoopForest.of(dominators(ControlFlow.of(function))).loops
            if not loops:
                continue
            suffix = "" if places is None else places.suffix(function)
            counting = _Counting(function, slot, suffix, function.local_names())
            for loop in loops:
                numbers[name, loop.header] = len(numbers)
            words = {loop.header: self.first + 8 * numbers[name, loop.header] for loop in loops}
            calling = {block.name for block in function.blocks if any(map(_is_call, block.instructions))}
            without_calls = [loop for loop in loops if calling.isdisjoint(loop.blocks)]
            values = {loop.header: counting.count(loop) for loop in without_calls}
            counting.store(without_calls, values, words)
            for loop in loops:
                if loop not in without_calls:
                    counting.count_in_memory(loop, words[loop.header])
        return numbers


@dataclass(slots=True)
class _Counting:
    """In one function."""

    function: Function
    slot: str
    suffix: str
    taken: set[str]
    _names: int = 0

    def count(self, loop: Loop) -> str:
        """Count the runs of a loop's header; the value, which holds from there on until the next."""
        old, new, inside = self._new("before"), self._new("runs"), set(loop.blocks)
        header = next(each for each in self.function.blocks if each.name == loop.header)
        incoming = [
            (new if block.name in inside else "0", block.name)
            for block in self.function.blocks
            for after in block.successors()
            if after == loop.header
        ]
        header.instructions.insert(0, make_phi(old, "i64", incoming))
        header.instructions.insert(header.first_insertion_point(), self._text(f"add i64 {old}, 1", new))
        return new

    def count_in_memory(self, loop: Loop, word: int) -> None:
        """Count the runs of a loop's header in its word."""
        header = next(each for each in self.function.blocks if each.name == loop.header)
        at = header.first_insertion_point()
        header.instructions[at:at] = self._adding([""], {"": "1"}, {"": word})

    def store(self, loops: Sequence[Loop], values: Mapping[str, str], words: Mapping[str, int]) -> None:
        """Add values to their words where loops are left."""
        blocks = {each.name: each for each in self.function.blocks}
        arriving: dict[str, set[str]] = {}
        for block in self.function.blocks:
            for after in block.successors():
                arriving.setdefault(after, set()).add(block.name)
        here: dict[str, list[str]] = {}
        on_edges: dict[tuple[str, str], list[str]] = {}
        for loop in loops:
            inside = set(loop.blocks)
            for target in dict.fromkeys(each.target for each in loop.exits):
                if arriving[target] <= inside:
                    here.setdefault(target, []).append(loop.header)
            for source, target in dict.fromkeys((each.source, each.target) for each in loop.exits):
                can_split = why_not_split_edge(blocks[source], blocks[target]) is None
                if not arriving[target] <= inside and can_split and not blocks[target].is_landing_pad:
                    on_edges.setdefault((source, target), []).append(loop.header)
        for target, headers in here.items():
            at = blocks[target].first_insertion_point()
            blocks[target].instructions[at:at] = self._adding(headers, values, words)
        for (source, target), headers in on_edges.items():
            between = split_edge(self.function, blocks[source], blocks[target], None, taken=self.taken)
            at = between.first_insertion_point()
            between.instructions[at:at] = self._adding(headers, values, words)

    def _adding(self, headers: Sequence[str], values: Mapping[str, str], words: Mapping[str, int]) -> list[Instruction]:
        here, made = self._new("here"), list[Instruction]()
        made.append(self._text(f"load ptr, {self.slot}", here))
        for header in headers:
            place, old, new = (self._new(each) for each in ("place", "old", "new"))
            made += [
                self._text(f"getelementptr i8, ptr {here}, i64 {words[header]}", place),
                self._text(f"load i64, ptr {place}", old),
                self._text(f"add i64 {old}, {values[header]}", new),
                self._text(f"store i64 {new}, ptr {place}"),
            ]
        return made

    def _text(self, text: str, result: str | None = None) -> Instruction:
        return Instruction.from_text(text + self.suffix, result)

    def _new(self, name: str) -> str:
        while True:
            self._names += 1
            found = f"%loops.{name}{self._names}"
            if found not in self.taken:
                self.taken.add(found)
                return found


def _is_call(instruction: Instruction) -> bool:
    if instruction.opcode not in CALLS:
        return False
    site = call_site(instruction)
    return not (site.is_intrinsic or site.is_assembler)
