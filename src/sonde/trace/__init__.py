"""Traces: recorded streams in a file, to be counted later, elsewhere, or again.

A trace has every call that was seen, in order, at less than two bytes each; an address trace has every access to
memory. What they are made of is described in `docs/trace-file.md` and `docs/address-trace.md`.
"""

from sonde.trace.address_trace import (
    ADDRESS_FORMS,
    AddressBatch,
    AddressForm,
    AddressTrace,
    AddressTraceEnding,
    is_address_trace,
)
from sonde.trace.trace_about import TraceAbout, TraceClock
from sonde.trace.trace_reader import TraceEnding, TraceReader
from sonde.trace.trace_writer import TraceWriter

__all__ = [
    "ADDRESS_FORMS",
    "AddressBatch",
    "AddressForm",
    "AddressTrace",
    "AddressTraceEnding",
    "TraceAbout",
    "TraceClock",
    "TraceEnding",
    "TraceReader",
    "TraceWriter",
    "is_address_trace",
]
