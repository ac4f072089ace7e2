"""The model of IR and its analyses say what LLVM says: on random functions, on odd ones, and on whole programs."""

import random
import re
from collections import Counter
from collections.abc import Collection
from functools import cache
from pathlib import Path

import llvmlite.binding
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import llvm_printers
from example_counts import examples
from ir_programs import functions
from real_programs import linked_module
from sonde.ir import Function, Module, operands_of, parse_module, print_module, value_types
from sonde.ir.analyses import (
    BlockFrequencies,
    CallGraph,
    ControlFlow,
    DefUse,
    LoopForest,
    ReachingDefinitions,
    dominators,
    post_dominators,
)
from sonde.ir.names import unquoted
from sonde.jit import compile_file
from sonde.llvm import LlvmModule

_ODD = Path(__file__).parents[1] / "data/ir/every_instruction.ll"
_SOURCES = Path(__file__).parents[1] / "programs_in_c"


@cache
def program(name: str, level: int) -> str:
    """The text of a program's module; tests skip where it cannot be had."""
    source = _SOURCES / name
    module = compile_file(source, debug=True) if source.is_file() else linked_module(name).copy()
    module.optimize(level)
    return module.text()


@cache
def parsed_program(name: str, level: int) -> Module:
    """The same, parsed; not to be edited."""
    return parse_module(program(name, level))


_PROGRAMS = [
    *(("language.c", level) for level in (0, 2)),
    ("classes.cpp", 2),
    pytest.param("classes.cpp", 0, marks=pytest.mark.sweep),  # 2,000 functions of the library that nothing calls
    *(pytest.param("lua", level, marks=pytest.mark.sweep) for level in (0, 2)),
]
programs = pytest.mark.parametrize(("name", "level"), [*_PROGRAMS, pytest.param("sqlite", 0, marks=pytest.mark.sweep)])


def many_functions(texts: list[str]) -> str:
    """Modules of random functions as one, without debug information."""
    parts = [texts[0].partition("define ")[0]]
    for number, text in enumerate(texts):
        body = (
            text[text.index("define ") : text.index("\n}") + 3].replace("@f(", f"@f{number}(").replace(" !dbg !3", "")
        )
        parts.append("\n".join(line for line in body.split("\n") if "#dbg" not in line))
    return LlvmModule.from_text("".join(parts), "random.ll").text()


batches = st.lists(functions(), min_size=30, max_size=60).map(many_functions)
# A process for each.
few_rounds = settings(examples(0.03, unlike=list(HealthCheck)), phases=[Phase.generate])


def without_name(text: str) -> str:
    """A module's text without LLVM's comment of how it is called."""
    return text[text.index("\n") :]


def assert_printed_alike(text: str) -> None:
    again = LlvmModule.from_text(print_module(parse_module(text)), "again.ll")
    # LLVM numbers attributes otherwise in what it has read than in what it has made.
    assert without_name(again.text()) == without_name(LlvmModule.from_text(text, "once.ll").text())


def printed_functions(oracle: Collection[str], module: Module) -> list[Function]:
    """The functions that LLVM printed; nearly all: names that are very long share files."""
    defined = {unquoted(function.name): function for function in module.defined_functions()}
    found = [defined[name] for name in oracle if name in defined]
    assert len(found) >= 0.9 * len(defined)
    return found


def assert_trees_alike(text: str, module: Module) -> None:
    trees, post_trees, flows = llvm_printers.graphs(text)
    for function in printed_functions(trees.keys() & post_trees.keys() & flows.keys(), module):
        name, flow = unquoted(function.name), ControlFlow.of(function)
        assert {block: list(flow.successors(block)) for block in flow.names} == flows[name]
        tree = dominators(flow)
        assert {block: tree.immediate(block) for block in flow.reverse_post_order} == trees[name]
        if all_can_end(flow):
            tree = post_dominators(flow)
            assert {block: tree.immediate(block) for block in flow.names} == post_trees[name]


def all_can_end(flow: ControlFlow) -> bool:
    """Whether an exit can be reached from every block; where not, LLVM and we mean different ends."""
    seen: set[str] = set()
    waiting = flow.exits()
    while waiting:
        block = waiting.pop()
        if block not in seen:
            seen.add(block)
            waiting += flow.predecessors(block)
    return len(seen) == len(flow.names)


def assert_loops_alike(text: str) -> int:
    """How many loops there are."""
    text, expected = llvm_printers.simplified_loops(text)
    found = []
    for function in parse_module(text).defined_functions():
        forest = LoopForest.of(dominators(ControlFlow.of(function)))
        for loop in forest.loops:
            leaving = {edge.source for edge in loop.exits}
            found.append((loop.depth, frozenset(loop.blocks), loop.header, frozenset(loop.latches), frozenset(leaving)))
    assert Counter(found) == Counter(
        (
            int(*loop["depth"]),
            frozenset(loop["blocks"]),
            *loop["header"],
            frozenset(loop["latch"]),
            frozenset(loop.get("exiting", ())),
        )
        for loop in expected
    )
    return len(found)


@programs
def test_what_is_parsed_and_printed_is_the_same_for_llvm(name: str, level: int) -> None:
    assert_printed_alike(program(name, level))


def test_every_instruction_and_every_odd_spelling_survives() -> None:
    assert_printed_alike(LlvmModule.from_text(_ODD.read_text(), "odd.ll").text())


@given(functions())
def test_random_functions_survive(text: str) -> None:
    assert_printed_alike(LlvmModule.from_text(text, "random.ll").text())


@given(functions())
def test_random_functions_without_names_survive(text: str) -> None:
    module = LlvmModule.from_text(text, "random.ll")
    module.run_passes(["strip"])
    assert_printed_alike(module.text())


@few_rounds
@given(batches)
def test_random_functions_have_the_dominators_that_llvm_prints(text: str) -> None:
    assert_trees_alike(text, parse_module(text))


@programs
def test_programs_have_the_dominators_that_llvm_prints(name: str, level: int) -> None:
    assert_trees_alike(program(name, level), parsed_program(name, level))


@few_rounds
@given(batches)
def test_random_functions_have_the_loops_that_llvm_prints(text: str) -> None:
    assert_loops_alike(text)


@programs
def test_programs_have_the_loops_that_llvm_prints(name: str, level: int) -> None:
    assert assert_loops_alike(program(name, level)) > 1


@few_rounds
@given(batches, st.randoms(use_true_random=False))
def test_frequencies_are_those_that_llvm_prints(text: str, draw: random.Random) -> None:
    module = parse_module(text)
    for function in module.defined_functions():
        for block in function.blocks:
            weights = ", ".join(f"i32 {draw.randint(1, 20)}" for _ in block.successors())
            if len(block.successors()) > 1:
                node = module.add_metadata(f'!{{!"branch_weights", {weights}}}')
                block.terminator.pieces[-1] += f", !prof !{node}"
    text, expected = llvm_printers.block_frequencies(print_module(module))
    compared = 0
    for function in (module := parse_module(text)).defined_functions():
        flow = ControlFlow.of(function)
        found = BlockFrequencies.of(module, function, flow)
        assert not found.assumed
        # LLVM lets nothing flow into what ends in `unreachable`, and guesses where loops have no header or no end.
        is_plain = all(block.terminator.opcode not in ("unreachable", "resume") for block in function.blocks)
        if is_plain and all_can_end(flow) and not LoopForest.of(dominators(flow)).irreducible:
            compared += 1
            for name, frequency in expected[unquoted(function.name)].items():
                assert found.blocks[name] == pytest.approx(frequency, rel=2e-4)  # printed with five digits
    assert compared > 3


@programs
def test_programs_have_the_calls_that_llvm_prints(name: str, level: int) -> None:
    text = program(name, level)
    graph = CallGraph.of(module := parsed_program(name, level))
    expected = llvm_printers.call_graph(text)

    # LLVM's graph knows no aliases, and leaves out its own functions for debugging.
    named = {
        unquoted(caller): {unquoted(call.site.callee) for call in calls if call.site.callee in module.functions}
        for caller, calls in graph.calls.items()
    }
    assert {caller: expected[caller] for caller in named} == named


@programs
def test_programs_use_only_what_reaches(name: str, level: int) -> None:
    for function in parsed_program(name, level).defined_functions():
        chains, reaching = DefUse.of(function), ReachingDefinitions.of(function, dominators(ControlFlow.of(function)))
        for value in reaching.places:
            for use in chains.uses(value):
                if use.from_block is None:
                    assert reaching.reaches(value, use.place)
                else:
                    assert reaching.reaches_edge(value, use.from_block, use.place.block)


@pytest.mark.parametrize(("name", "level"), _PROGRAMS)
def test_values_and_operands_of_programs_have_the_types_that_llvm_says(name: str, level: int) -> None:
    assert_types_alike(program(name, level))


def test_every_odd_value_and_operand_has_the_type_that_llvm_says() -> None:
    assert_types_alike(LlvmModule.from_text(_ODD.read_text(), "odd.ll").text())


def assert_types_alike(text: str) -> None:
    llvm = llvmlite.binding.parse_assembly(text, llvmlite.binding.create_context())
    local_kinds = (llvmlite.binding.ValueKind.instruction, llvmlite.binding.ValueKind.argument)
    module = parse_module(text)
    for function, theirs in zip(
        module.defined_functions(), (each for each in llvm.functions if not each.is_declaration), strict=True
    ):
        types = value_types(function, module.types)
        for block, their_block in zip(function.blocks, theirs.blocks, strict=True):
            for instruction, other in zip(block.instructions, their_block.instructions, strict=True):
                assert instruction.opcode == other.opcode
                assert types.get(instruction.result or "", "void") == bare(other.type), str(instruction)
                local = [each for each in other.operands if each.value_kind in local_kinds]
                if not any(word in instruction.text for word in ("dso_local_equivalent", "no_cfi")):  # llvmlite errs
                    assert len(list(instruction.uses())) == len(local), str(instruction)
                if instruction.opcode not in ("alloca", "call", "invoke"):  # LLVM's have sizes and bundles besides
                    operands = operands_of(instruction)
                    if instruction.opcode == "phi":
                        operands = operands[: len(operands) // 2]
                    if instruction.opcode == "shufflevector":
                        del operands[2]
                    their_types = Counter(bare(operand.type) for operand in other.operands)
                    assert Counter(operand.type for operand in operands) == their_types, str(instruction)


def bare(type_: object) -> str:
    """A type as it is written where it is used: without the body of a named struct."""
    return re.sub(r'\A(%(?:"[^"]*"|\S+)) = type .*', r"\1", str(type_))
