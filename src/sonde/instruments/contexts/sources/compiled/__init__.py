"""Programs that sonde compiles, with probes at their calls: compiled, and run."""

from sonde.instruments.contexts.sources.compiled.probed_program import ProbedProgram

__all__ = ["ProbedProgram"]
