"""Graphs of bytecode of this interpreter, and the numbers of their paths."""

import contextlib
import json.decoder
import textwrap
from types import ModuleType

import pytest

from python_code import code_of
from sonde.instruments.paths.sources.bytecode.code_graph import CodeGraph, block_lines
from sonde.instruments.paths.sources.bytecode.numbered_code import NumberedCode


def looped(items: list[int]) -> int:
    total = 0
    for item in items:
        if item > 3:
            total += item
    return total


async def waited(one: object) -> object:
    return await one  # type: ignore[misc]


def test_a_loop_has_one_retreating_edge_to_the_block_that_asks_for_the_next_item() -> None:
    graph = CodeGraph.of(looped.__code__)

    targets = {graph.flow.target(edge) for edge in graph.flow.retreating_edges()}

    assert [graph.blocks[block].instructions[-1].name for block in targets] == ["FOR_ITER"]


def test_waiting_is_no_loop() -> None:
    graph = CodeGraph.of(waited.__code__)

    assert graph.flow.retreating_edges() == []


@pytest.mark.parametrize("module", [textwrap, json.decoder, contextlib])
def test_blocks_have_all_instructions_once_and_all_lines(module: ModuleType) -> None:
    for code in code_of(module):
        graph = CodeGraph.of(code)
        at = [each.start for block in graph.blocks for each in block.instructions]

        assert at == sorted(set(at))
        assert sum(block.end - block.start for block in graph.blocks) == len(code.co_code)
        lines = {line for _, _, line in code.co_lines() if line is not None}
        assert {line for block in block_lines(code, graph) for line in block} == lines


def test_too_many_paths_are_split_so_that_each_has_a_number() -> None:
    code = textwrap.TextWrapper._wrap_chunks.__code__

    whole, split = NumberedCode.of(code), NumberedCode.of(code, most=300)

    assert not whole.is_split
    assert whole.numbering.paths > 300
    assert split.is_split
    assert split.numbering.paths <= 300
    assert whole.numbering.cut < split.numbering.cut
