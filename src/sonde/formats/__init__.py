"""Formats: a profile in other people's files, for the viewers that people already know."""

from sonde.formats.callgrind import CALLGRIND_SUFFIX, write_callgrind
from sonde.formats.callgrind_calls import write_callgrind_calls
from sonde.formats.chrome import write_chrome
from sonde.formats.collapsed import write_collapsed
from sonde.formats.known_formats import FORMATS, Format, Writer, format_named, registered_name, unknown_format
from sonde.formats.metric import METRICS, Metric, choose_metric
from sonde.formats.pprof import write_pprof
from sonde.formats.provenance import doubts
from sonde.formats.speedscope import write_speedscope

__all__ = [
    "CALLGRIND_SUFFIX",
    "FORMATS",
    "METRICS",
    "Format",
    "Metric",
    "Writer",
    "choose_metric",
    "doubts",
    "format_named",
    "registered_name",
    "unknown_format",
    "write_callgrind",
    "write_callgrind_calls",
    "write_chrome",
    "write_collapsed",
    "write_pprof",
    "write_speedscope",
]
