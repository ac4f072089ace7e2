"""The contracts: what whoever adds an analysis, a format or a source can check it against.

Needs nothing but the standard library; a broken promise is an `AssertionError` that says which one.
The `*_CHECKS` are the single promises, by name, for test runners that report one by one.
"""

from sonde.testing.analyses import ANALYSIS_CHECKS, AnalysisFactory, check_analysis
from sonde.testing.formats import FORMAT_CHECKS, check_format
from sonde.testing.measuring import measure_with
from sonde.testing.sources import SOURCE_CHECKS, check_source

__all__ = [
    "ANALYSIS_CHECKS",
    "FORMAT_CHECKS",
    "SOURCE_CHECKS",
    "AnalysisFactory",
    "check_analysis",
    "check_format",
    "check_source",
    "measure_with",
]
