"""LLVM's optimization remarks: what its passes did, could not do and remarked, of millions at a time, in columns.

Files in YAML and in the bitstream format are told apart by what is in them and parsed by the native core; no Python
object is made for a remark until it is asked for. What was parsed can be kept beside the run, to be mapped the next
time.
"""

from sonde.instruments.decisions.remarks.columns import NONE, RemarkFile, Remarks, SkippedRemark
from sonde.instruments.decisions.remarks.reading import are_remarks, read_remarks
from sonde.instruments.decisions.remarks.remark import REMARK_KINDS, Argument, Remark, SourcePlace

__all__ = [
    "NONE",
    "REMARK_KINDS",
    "Argument",
    "Remark",
    "RemarkFile",
    "Remarks",
    "SkippedRemark",
    "SourcePlace",
    "are_remarks",
    "read_remarks",
]
