"""The contracts: what whoever adds an analysis, a format, a source or a pass can check it against.

Needs nothing but the standard library, except that passes need llvmlite. A broken promise is an `AssertionError` that
says which one. Readers of measurements need NumPy; their contract is in `sonde.testing.measurement_readers`.
The `*_CHECKS` are the single promises, by name, for test runners that report one by one.
"""

from sonde.testing.analyses import ANALYSIS_CHECKS, AnalysisFactory, check_analysis
from sonde.testing.formats import FORMAT_CHECKS, check_format
from sonde.testing.measuring import measure_with
from sonde.testing.passes import PASS_CHECKS, check_pass
from sonde.testing.sources import SOURCE_CHECKS, check_source

__all__ = [
    "ANALYSIS_CHECKS",
    "FORMAT_CHECKS",
    "PASS_CHECKS",
    "SOURCE_CHECKS",
    "AnalysisFactory",
    "check_analysis",
    "check_format",
    "check_pass",
    "check_source",
    "measure_with",
]
