"""Sampling from sonde's process: which lines run, and where time passes; loads next to nothing, so that it begins with
the program."""

from sonde.instruments.contexts.sources.sampling.line_sampling import LineSampling
from sonde.instruments.contexts.sources.sampling.time_sampling import SampledTimes, TimeSampling

__all__ = ["LineSampling", "SampledTimes", "TimeSampling"]
