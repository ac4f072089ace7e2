"""Sampling from sonde's process: which lines run, where time passes, stacks of Python; loads little, so that it begins
with the program."""

from sonde.instruments.contexts.sources.sampling.call_sampling import CallSampling
from sonde.instruments.contexts.sources.sampling.code_sampling import SAMPLE_NS, CodeSampling, check_sampling
from sonde.instruments.contexts.sources.sampling.known_pythons import LOOKED_AT, newer_pythons
from sonde.instruments.contexts.sources.sampling.line_sampling import LineSampling
from sonde.instruments.contexts.sources.sampling.own_sampling import (
    MECHANISMS,
    TRIGGERS,
    OwnSampling,
    OwnSamplingPlan,
    RingState,
)
from sonde.instruments.contexts.sources.sampling.stack_sampling import Found, StackSampling, Target, version_text
from sonde.instruments.contexts.sources.sampling.stack_snapshot import StackSnapshot
from sonde.instruments.contexts.sources.sampling.time_sampling import SampledTimes, TimeSampling

__all__ = [
    "MECHANISMS",
    "SAMPLE_NS",
    "CallSampling",
    "TRIGGERS",
    "CodeSampling",
    "Found",
    "LOOKED_AT",
    "LineSampling",
    "OwnSampling",
    "OwnSamplingPlan",
    "RingState",
    "SampledTimes",
    "StackSampling",
    "StackSnapshot",
    "Target",
    "TimeSampling",
    "check_sampling",
    "newer_pythons",
    "version_text",
]
