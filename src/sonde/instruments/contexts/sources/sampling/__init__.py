"""Which lines run, sampled from sonde's process; loads next to nothing, so that it begins with the program."""

from sonde.instruments.contexts.sources.lines.line_sampling import LineSampling

__all__ = ["LineSampling"]
