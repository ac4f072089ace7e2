"""Programs that sonde compiles, with probes where their paths end."""

from sonde.instruments.paths.sources.compiled.ordered_program import OrderedProgram

__all__ = ["OrderedProgram"]
