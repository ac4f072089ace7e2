"""The very text of Graal's profdiff, for those who read it or have programs that do.

Same commands, same options, same lines for the same logs and profiles; only what explains the output at its beginning
is in words of our own.
"""

from sonde.instruments.decisions.profdiff.commands import (
    KINDS,
    Comparison,
    Kind,
    write_comparison,
    write_comparison_by_jit,
    write_report,
)
from sonde.instruments.decisions.profdiff.inlined_methods import mark_inlined_methods
from sonde.instruments.decisions.profdiff.log import GraalLog, read_log
from sonde.instruments.decisions.profdiff.options import ProfdiffOptions

__all__ = [
    "KINDS",
    "Comparison",
    "GraalLog",
    "Kind",
    "ProfdiffOptions",
    "mark_inlined_methods",
    "read_log",
    "write_comparison",
    "write_comparison_by_jit",
    "write_report",
]
