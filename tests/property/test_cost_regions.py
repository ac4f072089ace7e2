"""Costs by loops are those of the function: by guess, and by counts of headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir_programs import control_flows
from sonde.ir import SourceFrames, parse_module
from sonde.ir.analyses import (
    ControlFlow,
    CostRegion,
    LoopForest,
    UnitCosts,
    cost_regions,
    counted_costs,
    dominators,
    guessed_costs,
    guessed_frequencies,
)
from sonde.passes import LoopCounters

_COSTS = ("mul i64 %x, 3", "udiv i64 %x, 7", "add i64 %x, 1", "load i64, ptr %p")


def _text(successors: dict[str, list[str]]) -> str:
    lines = ["define i64 @f(i64 %x, ptr %p) {"]
    for number, (name, after) in enumerate(successors.items()):
        lines.append(f"{name[1:]}:")
        lines += [f"  %v{number}.{at} = {_COSTS[(number + at) % 4]}" for at in range(number % 3 + 1)]
        cases = " ".join(f"i64 {at}, label {each}" for at, each in enumerate(after[1:], 1))
        lines.append("  ret i64 %x" if not after else f"  switch i64 %x, label {after[0]} [ {cases} ]")
    return "\n".join([*lines, "}"])


@given(control_flows(entered_again=False))
def test_regions_add_up_to_the_guess_of_the_function(successors: dict[str, list[str]]) -> None:
    module = parse_module(_text(successors))
    function = module.functions["@f"]
    flow = ControlFlow.of(function)
    frequencies = guessed_frequencies(module, function, flow).blocks
    regions = cost_regions(function, SourceFrames(module), frequencies, LoopForest.of(dominators(flow)))
    expected = UnitCosts.of(function.blocks, SourceFrames(module), frequencies)
    if all(each != float("inf") for each in frequencies.values()):
        assert guessed_costs(regions).cycles == pytest.approx(expected.cycles, rel=1e-6)


@given(control_flows(entered_again=False), st.data())
def test_blocks_count_as_their_innermost_headers(successors: dict[str, list[str]], data: st.DataObject) -> None:
    module = parse_module(_text(successors))
    function = module.functions["@f"]
    flow = ControlFlow.of(function)
    frequencies, forest = guessed_frequencies(module, function, flow).blocks, LoopForest.of(dominators(flow))
    regions = cost_regions(function, SourceFrames(module), frequencies, forest)
    counts = [0, *(data.draw(st.integers(1, 1000)) for _ in forest.loops)]
    if any(not 0 < frequencies[loop.header] < float("inf") for loop in forest.loops):
        return
    runs = {"": 100.0, **{loop.header: float(count) for loop, count in zip(forest.loops, counts[1:], strict=True)}}
    weights = {
        block: frequencies[block] / (frequencies[header] if header else 1.0) * runs[header] / 100
        for block in frequencies
        for header in [forest.innermost_header.get(block, "")]
    }
    expected = UnitCosts.of(function.blocks, SourceFrames(module), weights)
    assert counted_costs(regions, 100, counts).cycles == pytest.approx(expected.cycles, rel=1e-6)


@given(control_flows(entered_again=False))
def test_counters_go_into_any_function_that_llvm_takes(successors: dict[str, list[str]]) -> None:
    from sonde.ir import print_module
    from sonde.llvm import LlvmModule

    module = parse_module(_text(successors))
    loops = len(LoopForest.of(dominators(ControlFlow.of(module.functions["@f"]))).loops)
    assert len(LoopCounters(-8, 32).insert(module, ["@f"])) == loops
    LlvmModule.from_text(print_module(module), "counted").verify()


def _region(parent: int, guessed: float, cycles: float) -> CostRegion:
    return CostRegion(f"%{parent}", parent, guessed, UnitCosts({}, cycles))


REGIONS = [_region(-1, 1.0, 1.0), _region(0, 10.0, 2.0), _region(1, 50.0, 3.0)]


@pytest.mark.parametrize(
    ("entries", "counts", "cycles"),
    [
        (0, [0, 0, 0], 1 + 20 + 150),  # never called: by guess
        (1, [0, 0, 0], 1 + 20 + 150),  # perhaps it was still running
        (100, [0, 0, 0], 1),  # loops have not run
        (100, [0, 200, 100], 1 + 4 + 3),
        (100, [0, 0, 100], 1 + 2 * 0.2 + 3),  # the outer one was never left: as often as the inner one needs it
        (100, [0, 200, 0], 1 + 4),
    ],
)
def test_loops_that_were_never_left_are_guessed_only_where_nothing_is_known(
    entries: int, counts: list[int], cycles: float
) -> None:
    assert counted_costs(REGIONS, entries, counts).cycles == pytest.approx(cycles)
