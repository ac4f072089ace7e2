"""What all views of a memory profile share: names of code and types, miss rates, orders, and what stands out."""

from sonde.instruments.memory.report.code_names import (
    KIND_WORDS,
    file_of,
    fitting_line_place,
    function_name,
    line_place,
    source_line,
    type_name,
)
from sonde.instruments.memory.report.findings import findings, upper_layer
from sonde.instruments.memory.report.life_bins import bin_text, last_bin, quantile_bin
from sonde.instruments.memory.report.options import BY_ACCESSES, MemoryOptions, level_of_order, sorting_level
from sonde.instruments.memory.report.rates import rate_text, reaching, times_text
from sonde.instruments.memory.report.site_frames import SiteFrames, site_frames

__all__ = [
    "BY_ACCESSES",
    "KIND_WORDS",
    "MemoryOptions",
    "SiteFrames",
    "bin_text",
    "file_of",
    "findings",
    "fitting_line_place",
    "function_name",
    "level_of_order",
    "line_place",
    "last_bin",
    "quantile_bin",
    "rate_text",
    "reaching",
    "site_frames",
    "sorting_level",
    "source_line",
    "times_text",
    "type_name",
    "upper_layer",
]
