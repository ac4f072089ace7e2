"""Probes that count paths: a function knows on which of its acyclic paths it is, and counts the path where it ends."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from sonde.flow import Edge, ProbePlacement
from sonde.ir import Block, Function, Instruction, Module
from sonde.ir.analyses import GlobalUses
from sonde.ir.edits import split_block, split_edge, why_not_split, why_not_split_edge
from sonde.passes.call_probes import thread_word
from sonde.passes.calls_and_returns import (
    can_have_probes,
    end_points,
    forget_promises,
    returns_twice,
    switches_stacks,
)
from sonde.passes.path_counters import COUNT, THREAD, PathCounters
from sonde.passes.path_names import PathNames
from sonde.passes.path_register import PathRegister
from sonde.passes.path_rows import MANY, NO_ROW, Row, rows_of
from sonde.passes.path_sequences import FIRST_NODE, FOLLOW, FOREST, PathSequences
from sonde.passes.path_shape import PathShape
from sonde.passes.path_thread import begin_in_thread
from sonde.passes.probed_paths import FunctionPaths, ProbedPaths
from sonde.passes.unfinished_calls import left_midway

MOST_PATHS = 1 << 44
"""Of a function: a million such functions have different keys of 64 bits."""
MOST_COUNTERS = 1 << 12
"""Of a function: an array of 32 KiB, as large as the first cache of most processors. It is more than 9 of 10 functions
of the programs that were looked at need; what needs more takes few of its paths often."""
_LIKELY = '!{!"branch_weights", i32 1048575, i32 1}'
_IN_ENTRY_ONLY = ("@llvm.localescape(", "@llvm.gcroot(")


@dataclass(frozen=True, slots=True)
class PathProbes:
    """Put probes that count paths into all functions that a module defines.

    Late probes see the blocks that are left when the optimiser is done; early ones those that the source has, and cost
    what they keep the optimiser from doing.

    A path ends where the function does, where a retreating edge is taken, before a call that may return twice, and
    before what leads to addresses (`indirectbr`). A path on which the function calls what never returns is counted
    before that call, if LLVM knows; of others that are left midway it is known how many they are
    (`FunctionPaths.lost`).
    The register is a value of the function: recursion, threads and switched stacks each have their own.

    Guarantee: what the program does stays the same, but for time and memory; counts are exact.
    Cost: where a path ends, 2 instructions, and 8 with keys; on the way, additions before phis that the placement could
        not avoid; a load and a branch in functions whose address is taken.
    Source: Ball, Larus, MICRO 1996; D'Elia, PhD thesis, sections 3.2.2 and 5.2.1.
    Differs: the register is in phis from the beginning, so that no instruction sets it and most changes are added where
        the count is. In functions of many paths, those that begin where few do still have a counter each; others have
        their counts in a table by key, of which each thread finds the 4,096 seen last at once.

    >>> from sonde.ir import parse_module
    >>> module = parse_module('define void @f() {\\n  ret void\\n}')
    >>> paths = PathProbes(thread_offset=-8).insert(module)
    >>> [(each.name, each.numbering.paths, each.first) for each in paths.functions], paths.counters
    ([('@f', 1, 0)], 1)
    >>> [each.opcode for each in module.functions["@f"].entry.instructions]
    ['load', 'getelementptr', 'load', 'add', 'store', 'ret']
    """

    thread_offset: int
    """Where a thread has the address of its counts (`sn_paths_offset`) or of its forest (`sn_path_forests_offset`), in
    bytes from the thread pointer."""
    when: Literal["late", "early"] = "late"
    """Whether LLVM's passes have run on the module, or are still to run."""
    most_paths: int = MOST_PATHS
    """Functions that have more are cut at further blocks (`sonde.flow.cuts_for_limit`)."""
    most_counters: int = MOST_COUNTERS
    """Of each function: where more paths begin, they have keys."""
    is_whole: bool = True
    """Whether nothing outside of the module calls what is defined in it, but `main`, constructors, and by address."""
    with_order: bool = False
    """Whether each path is counted with those before it (`native/probes/path_forests.h`); functions are numbered in the
    order of `ProbedPaths.functions`, and `most_counters` is not needed. `sroa` then makes the code what it is to be."""

    only: Collection[str] | None = None
    """Names, with sigil, of the functions that get probes; None: all."""
    switch: int | None = None
    """With order: the address of a word; while it is 0, nothing is counted (`native/core/base/burst_page.h`)."""

    def insert(self, module: Module) -> ProbedPaths:
        """Change the module in place.

        Returns: what is counted, and where.
        """
        uses = GlobalUses.of(module)
        if self.with_order:
            module.declare(f"preserve_mostcc i64 @{FOLLOW}(ptr, i64, i32) cold nounwind")
            module.declare(f"preserve_mostcc void @{FOREST}() cold nounwind")
        else:
            module.declare(f"preserve_mostcc void @{COUNT}(i64) cold nounwind")
            module.declare(f"preserve_mostcc void @{THREAD}() cold nounwind")
        likely = module.add_metadata(_LIKELY)
        left = left_midway(module, is_whole=self.is_whole)
        probed: list[FunctionPaths] = []
        left_out: list[tuple[str, str]] = []
        counters, keys, node = 0, 1, FIRST_NODE
        for function in list(module.defined_functions()):
            if self.only is not None and function.name not in self.only:
                continue
            if reason := _why_not(module, function):
                left_out.append((function.name, reason))
                continue
            is_known = self.is_whole or "internal" in function.signature.prefix
            is_first = self.only is not None or not is_known or _is_named(uses, function.name)
            insertion = _Insertion(self, module, function, likely, is_first, function.name in left)
            paths = insertion.insert(len(probed), counters, keys, node)
            probed.append(paths)
            node += Row(0, paths.row).places
            keys += paths.numbering.paths - paths.in_array
            counters += paths.in_array + (paths.begun is not None)
        if self.when == "early":
            forget_promises(module)
        return ProbedPaths(tuple(probed), counters, tuple(left_out))


@dataclass(slots=True)
class _Insertion:
    """Probes into one function."""

    plan: PathProbes
    module: Module
    function: Function
    likely: int
    is_first: bool
    """Whether it may be the first function of a thread."""
    may_be_left: bool
    """Whether a call may end otherwise than by a return or at a landing pad."""

    def insert(self, number: int, counter: int, key: int, node: int) -> FunctionPaths:
        """Put them in.

        Args:
            number: of the function.
            counter, key, node: the first that are free.
        """
        function, taken = self.function, self.function.local_names()
        found = end_points(self.module, function, is_late=self.plan.when == "late")
        ends = {id(block.terminator): before for block, before in found}
        again = self._split_at_second_returns(taken)
        shape = PathShape.of(self.module, function, again, self.plan.most_paths)
        numbering, blocks = shape.numbering, shape.blocks
        with_order = self.plan.with_order
        rows = rows_of(numbering) if with_order else {}
        in_array = 0 if with_order else numbering.begun_within(self.plan.most_counters)
        begun = counter + in_array if again or self.may_be_left else None
        paths = FunctionPaths(
            function.name,
            numbering,
            tuple(block.name for block in blocks),
            tuple(map(_locations, blocks)),
            counter,
            in_array,
            key,
            begun,
            frozenset(number for number, block in enumerate(blocks) if block in again),
            tuple(blocks[block].name for block in sorted(shape.cut_blocks)),
            frozenset(number for number, block in enumerate(blocks) if block.is_landing_pad),
            rows.get(0, NO_ROW).words,
        )
        slot, names = thread_word(self.plan.thread_offset), PathNames(taken)
        counting: PathCounters | PathSequences
        if with_order:
            word = None if self.plan.switch is None else f"ptr inttoptr (i64 {self.plan.switch} to ptr)"
            counting = PathSequences(function, number, node, rows, slot, self.likely, names, word)
        else:
            counting = PathCounters(function, slot, self.likely, counter, in_array, key, begun, names)
        on_edges = self._split_edges(shape, taken)
        register = PathRegister(
            function,
            blocks,
            numbering,
            ProbePlacement.of(numbering, shape.frequency),
            shape.handed_over,
            shape.frequency,
            lambda source, target: _split(function, blocks[source], blocks[target], taken),
            taken,
        )
        register.place()
        for number, block in enumerate(blocks):
            if block in again:  # before a count splits it
                counting.begin_again(block, 1, number)
        self._put_counts(shape, register, counting, ends, on_edges, rows)
        for block in () if with_order else function.blocks:
            for at in range(len(block.instructions) - 1, -1, -1):
                if block.instructions[at].opcode == "call" and switches_stacks(block.instructions[at]):
                    call = Instruction.from_text(f"call preserve_mostcc void @{THREAD}()")
                    block.instructions.insert(at + 1, call)
        if isinstance(counting, PathSequences):
            counting.begin(is_first=self.is_first)
            return paths
        entry = function.entry
        counting.count_begun(entry, next(at for at, each in enumerate(entry.instructions) if each.opcode != "alloca"))
        if self.is_first:
            begin_in_thread(function, slot, THREAD, self.likely, names)
        return paths

    def _split_at_second_returns(self, taken: set[str]) -> list[Block]:
        """Let each call that may return twice begin a block; these blocks."""
        found: list[Block] = []
        for block in list(self.function.blocks):
            for at in range(len(block.instructions) - 1, -1, -1):
                each = block.instructions[at]
                if each.opcode == "call" and returns_twice(self.module, each):
                    found.append(split_block(self.function, block, at, taken=taken))
        return found

    def _split_edges(self, shape: PathShape, taken: set[str]) -> dict[Edge, Block]:
        """Where a path is counted that ends with an edge."""
        found = {}
        for edge in shape.counted_edges():
            source, target = shape.blocks[edge.source], shape.blocks[shape.numbering.graph.target(edge)]
            if len(shape.numbering.graph.successors[edge.source]) == 1:
                found[edge] = source
            else:
                found[edge] = split_edge(self.function, source, target, None, taken=taken)
        return found

    def _put_counts(
        self,
        shape: PathShape,
        register: PathRegister,
        counting: PathCounters | PathSequences,
        ends: Mapping[int, Instruction],
        on_edges: Mapping[Edge, Block],
        rows: Mapping[int, Row],
    ) -> None:
        numbering, placement = shape.numbering, register.placement
        into, at_end = shape.kinds(counting.in_array)
        # The last of a block first: when a count splits a block, what comes before stays in it.
        for edge, block in on_edges.items():
            path = register.at_end(edge.source).plus(placement.ends[edge])
            counting.put(
                block, block.terminator, path, at_end[edge.source], rows.get(numbering.graph.target(edge), NO_ROW)
            )
        for number in numbering.graph.order:
            block = shape.blocks[number]
            if number in placement.ends:
                path = register.at_end(number).plus(placement.ends[number])
                before = ends.get(id(block.terminator)) or _before_the_end(block)
                counting.put(
                    block, before, path, at_end[number], MANY if numbering.graph.successors[number] else NO_ROW
                )
            if number in shape.handed_over:
                before = block.instructions[block.first_insertion_point()]
                counting.put(block, before, register.begins[number], into[number], rows.get(number, NO_ROW))


def _why_not(module: Module, function: Function) -> str | None:
    """Why a function can have no probes; None if it can."""
    if not can_have_probes(module, function):
        return "it is not compiled here, or has no entry like others"
    for block in function.blocks:
        if any(each.opcode in ("catchswitch", "cleanuppad") for each in block.instructions):
            return "exceptions are handled in functions within it"
        for at, each in enumerate(block.instructions):
            if each.opcode != "call":
                continue
            if any(name in each.pieces[0] for name in _IN_ENTRY_ONLY):
                return "its first block must stay whole"
            if returns_twice(module, each) and (reason := why_not_split(function, block, at)):
                return reason
    return None


def _is_named(uses: GlobalUses, name: str) -> bool:
    """Whether a function is named elsewhere than where it is called."""
    if uses.globals(name) or uses.functions(name):
        return True
    return any(use.instruction.text.count(name) != _called(use.instruction, name) for use in uses.instructions(name))


def _called(instruction: Instruction, name: str) -> int:
    return int(instruction.opcode in ("call", "invoke") and f" {name}(" in instruction.text)


def _split(function: Function, source: Block, target: Block, taken: set[str]) -> Block | None:
    if target.is_landing_pad or why_not_split_edge(source, target):
        return None
    return split_edge(function, source, target, None, taken=taken)


def _before_the_end(block: Block) -> Instruction:
    """The terminator; or the call that does not return, right before it."""
    if block.terminator.opcode == "unreachable" and len(block.instructions) > 1:
        last = block.instructions[-2]
        if last.opcode == "call":
            return last
    return block.terminator


def _locations(block: Block) -> tuple[int, ...]:
    found: list[int] = []
    for each in block.instructions:
        if (location := each.location) is not None and found[-1:] != [location]:
            found.append(location)
    return tuple(found)
