"""How often each block is expected to run each time the function is called, by the weights of branches."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sonde.ir.analyses.control_flow import ControlFlow, Edge
from sonde.ir.block import Block
from sonde.ir.function import Function
from sonde.ir.instruction import Instruction
from sonde.ir.module import Module

_PROF = re.compile(r", !prof !([0-9]+)")
_WEIGHT = re.compile(r"i(?:32|64) (-?[0-9]+)")
_UNWINDING = 2.0**-20
"""Share of an invoke's edge to its landing pad when nothing is known: about what LLVM takes."""


@dataclass(frozen=True, slots=True)
class BlockFrequencies:
    """Expected runs of each block and edge, for each call of the function.

    >>> flow = ControlFlow.from_successors({"%a": ["%loop"], "%loop": ["%loop", "%out"], "%out": []})
    >>> frequencies = BlockFrequencies.from_shares(flow, {"%loop": [3, 1]})
    >>> frequencies.blocks
    {'%a': 1.0, '%loop': 4.0, '%out': 1.0}
    """

    flow: ControlFlow
    blocks: Mapping[str, float]
    """0 for unreachable blocks; infinite where there is no way out, and so it is never left."""
    shares: Mapping[str, tuple[float, ...]]
    """Block -> share of each of its edges."""
    assumed: frozenset[str]
    """Blocks with several edges whose weights nobody has said: the edges have equal shares, but those to landing pads
    next to none."""

    @classmethod
    def of(cls, module: Module, function: Function, flow: ControlFlow | None = None) -> "BlockFrequencies":
        """By the `!prof` metadata of a function's terminators."""
        flow = flow or ControlFlow.of(function)
        weights = {block.name: found for block in function.blocks if (found := branch_weights(module, block))}
        invokes = {block.name for block in function.blocks if block.terminator.opcode == "invoke"}
        guessed = dict.fromkeys(invokes - weights.keys(), (1 - _UNWINDING, _UNWINDING))
        result = cls.from_shares(flow, {**weights, **guessed})
        return cls(flow, result.blocks, result.shares, result.assumed | guessed.keys())

    @classmethod
    def from_shares(
        cls, flow: ControlFlow, weights: Mapping[str, "list[int] | tuple[float, ...]"]
    ) -> "BlockFrequencies":
        """By weights of edges; equal ones for blocks that are not listed.

        Guarantee: the frequency of a block is the sum of the frequencies of the edges into it, and one more for the
            entry; that of an edge is its share of its block's.
        Cost: O(edges) and what loops add, for blocks taken out one by one; at worst O(blocks ** 3).
        Source: state reduction, Grassmann, Taksar, Heyman, Oper. Res. 33(5), 1985: nothing is ever subtracted, so no
            digits are lost where loops are long.
        Differs: runs end, so shares that leave the function are kept beside; the paper's chains never end.
        """
        shares: dict[str, tuple[float, ...]] = {}
        for name, after in zip(flow.names, flow.successor_numbers, strict=True):
            given = weights.get(name)
            total = sum(given) if given else 0
            shares[name] = (
                tuple(each / total for each in given)
                if given and total
                else (1 / len(after),) * len(after)
                if after
                else ()
            )
        assumed = frozenset(name for name, each in shares.items() if len(each) > 1 and not any(weights.get(name, ())))
        numbers = [shares[name] for name in flow.names]
        blocks = dict(zip(flow.names, _expected_visits(flow, numbers), strict=True))
        return cls(flow, blocks, shares, assumed)

    def edge(self, edge: Edge) -> float:
        """Expected times that an edge is taken."""
        share = self.shares[edge.source][edge.place]
        return self.blocks[edge.source] * share if share else 0.0


def branch_weights(module: Module, block: Block) -> list[int] | None:
    """The weights of a block's edges, as its terminator's metadata gives them; None if it does not."""
    node = _prof_node(block.terminator)
    text = module.metadata.get(node, "") if node is not None else ""
    if not text.startswith('!{!"branch_weights"'):
        return None
    weights = [int(each) & 0xFFFFFFFF for each in _WEIGHT.findall(text)]
    return weights if len(weights) == len(block.successors()) and any(weights) else None


def entry_count(module: Module, function: Function) -> int | None:
    """How often the function was called in the run that it was measured in, if it was."""
    match = re.search(r"!prof !([0-9]+)", function.signature.suffix)
    text = module.metadata.get(int(match.group(1)), "") if match else ""
    if not text.startswith('!{!"function_entry_count"'):
        return None
    count = _WEIGHT.search(text)
    return int(count.group(1)) if count else None


def _prof_node(instruction: Instruction) -> int | None:
    match = _PROF.search(instruction.pieces[-1])
    return int(match.group(1)) if match else None


def _expected_visits(flow: ControlFlow, shares: list[tuple[float, ...]]) -> list[float]:
    """(n_blocks,) how often a walk from the entry comes by."""
    count = len(flow.order)
    out: list[dict[int, float]] = [{} for _ in range(count)]  # by position in the order
    into: list[dict[int, float]] = [{} for _ in range(count)]
    ending = [0.0] * count  # share with which the walk ends
    for at, block in enumerate(flow.order):
        for target, share in zip(flow.successor_numbers[block], shares[block], strict=True):
            if share:
                to = flow.position[target]
                out[at][to] = out[at].get(to, 0.0) + share
        if not flow.successor_numbers[block]:
            ending[at] = 1.0
        for to, share in out[at].items():
            into[to][at] = share
    leaving = [0.0] * count
    for at in range(count - 1, 0, -1):  # take it out: who goes to it goes where it goes
        after = {to: share for to, share in out[at].items() if to < at}
        leaving[at] = sum(after.values()) + ending[at]
        into[at] = {before: share for before, share in into[at].items() if before < at}
        for before, share in into[at].items():
            del out[before][at]
            if not leaving[at]:
                ending[before] += share  # it never comes back
                continue
            for to, onward in after.items():
                passed = out[before].get(to, 0.0) + share * onward / leaving[at]
                out[before][to] = into[to][before] = passed
            ending[before] += share * ending[at] / leaving[at]
    visits = [0.0] * len(flow.names)
    for at, block in enumerate(flow.order):
        arriving = sum(visits[flow.order[before]] * share for before, share in into[at].items()) if at else 1.0
        left = leaving[at] if at else ending[0]
        if arriving:
            visits[block] = arriving / left if left else float("inf")
    return visits
