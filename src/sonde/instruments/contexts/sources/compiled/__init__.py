"""Programs that sonde compiles, with probes at their calls, or that measure their cycles: compiled, and run."""

from sonde.instruments.contexts.sources.compiled.cycled_program import CycledProgram, Stamps, UnitTime
from sonde.instruments.contexts.sources.compiled.probed_program import ProbedProgram

__all__ = ["CycledProgram", "ProbedProgram", "Stamps", "UnitTime"]
