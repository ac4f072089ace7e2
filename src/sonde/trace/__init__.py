"""Traces: recorded streams of events in a file, to be counted later, elsewhere, or again.

A trace has every call that was seen, in order, at less than two bytes each. What it is made of is
described in `docs/trace-file.md`.
"""

from sonde.trace.trace_about import TraceAbout, TraceClock
from sonde.trace.trace_reader import TraceEnding, TraceReader
from sonde.trace.trace_writer import TraceWriter

__all__ = ["TraceAbout", "TraceClock", "TraceEnding", "TraceReader", "TraceWriter"]
