"""What is known of a compiled function before it runs: what it is in the source, and what it is expected to cost."""

from sonde.instruments.contexts.sources.probes import CompiledUnit
from sonde.ir import Module, SourceFrames, SourceFunction, source_function
from sonde.ir.analyses import ControlFlow, LoopForest, cost_regions, dominators, guessed_frequencies
from sonde.ir.names import unquoted


def compiled_unit(module: Module, name: str, frames: SourceFrames) -> CompiledUnit:
    """Describe a function of a module, as it is when the optimiser is done, without counters of its loops."""
    function = module.functions[name]
    flow = ControlFlow.of(function)
    frequencies, forest = guessed_frequencies(module, function, flow).blocks, LoopForest.of(dominators(flow))
    known = source_function(module, function) or SourceFunction(unquoted(name), "", 0)
    return CompiledUnit(known, tuple(cost_regions(function, frames, frequencies, forest)), unquoted(name))
