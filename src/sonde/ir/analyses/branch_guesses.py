"""Which way branches are expected to go, where nobody has measured it."""

from sonde.ir.analyses.block_frequencies import BlockFrequencies, branch_weights
from sonde.ir.analyses.control_flow import ControlFlow
from sonde.ir.analyses.dominators import dominators
from sonde.ir.analyses.loops import LoopForest
from sonde.ir.function import Function
from sonde.ir.module import Module

_STAYS = 15
"""How much likelier it is to stay in a loop than to leave it. Ball and Larus guess loops to run 10 times, LLVM 31."""
_NEVER = 2.0**-20
"""Share of what leads to where the program is given up, and of exceptions: about what LLVM takes."""


def guessed_frequencies(module: Module, function: Function, flow: ControlFlow) -> BlockFrequencies:
    """Frequencies by the weights that branches have, and else by where they lead: out of loops seldom, to the end of
    the program and to landing pads next to never.
    """
    loops = LoopForest.of(dominators(flow))
    given_up = {block.name for block in function.blocks if block.terminator.opcode == "unreachable"}
    given_up |= {block.name for block in function.blocks if block.is_landing_pad}
    weights: dict[str, list[int] | tuple[float, ...]] = {}
    for block in function.blocks:
        after = block.successors()
        if len(after) < 2:
            continue
        if measured := branch_weights(module, block):
            weights[block.name] = measured
            continue
        loop = loops.innermost(block.name)
        within = frozenset(loop.blocks) if loop is not None else frozenset[str]()
        weights[block.name] = tuple(
            _NEVER if each in given_up else float(_STAYS) if each in within else 1.0 for each in after
        )
    return BlockFrequencies.from_shares(flow, weights)
