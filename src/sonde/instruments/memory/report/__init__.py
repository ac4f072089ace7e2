"""Memory profiles as reports: which code misses which caches, on what; and what changed."""

from sonde.instruments.memory.options import MemoryOptions
from sonde.instruments.memory.report.code_names import KIND_WORDS, type_name
from sonde.instruments.memory.report.difference_report import difference_report
from sonde.instruments.memory.report.headline import headline
from sonde.instruments.memory.report.memory_report import memory_report
from sonde.instruments.memory.report.site_frames import SiteFrames, site_frames

__all__ = [
    "KIND_WORDS",
    "MemoryOptions",
    "SiteFrames",
    "difference_report",
    "headline",
    "memory_report",
    "site_frames",
    "type_name",
]
