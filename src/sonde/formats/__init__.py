"""Formats: a profile in other people's files, for the viewers that people already know."""

from sonde.formats.chrome import write_chrome
from sonde.formats.collapsed import write_collapsed
from sonde.formats.metric import METRICS, Metric, choose_metric
from sonde.formats.pprof import write_pprof
from sonde.formats.provenance import doubts
from sonde.formats.speedscope import write_speedscope
from sonde.formats.table import FORMATS, Format, Writer, format_named

__all__ = [
    "FORMATS",
    "METRICS",
    "Format",
    "Metric",
    "Writer",
    "choose_metric",
    "doubts",
    "format_named",
    "write_chrome",
    "write_collapsed",
    "write_pprof",
    "write_speedscope",
]
