"""Programs that sonde compiles: run one with probes in the functions that are phases."""

from sonde.instruments.phases.sources.compiled.compiled_phases import CompiledPhases, Probed
from sonde.instruments.phases.sources.compiled.telling_cost import telling_cost_ns

__all__ = ["CompiledPhases", "Probed", "telling_cost_ns"]
