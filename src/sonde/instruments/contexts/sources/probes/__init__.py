"""Programs that sonde compiles, with probes at their calls: compiled, run, and what their numbers mean."""

from sonde.instruments.contexts.sources.probes.linked_code import read_linked_code
from sonde.instruments.contexts.sources.probes.probed_code import ProbedCode, read_probed_code
from sonde.instruments.contexts.sources.probes.probed_program import ProbedProgram, ProbePlan

__all__ = ["ProbePlan", "ProbedCode", "ProbedProgram", "read_linked_code", "read_probed_code"]
