"""Groups of runs: what each run took by function, and which functions differ between two groups of them.

Any kind of profile that offers `RunFigures` is compared so, by the statistics of `sonde bench`. Needs the extra
`sonde[bench]`.
"""

from sonde.groups.figures import GroupFigures, Measure, RunFigures
from sonde.groups.function_changes import Difference, GroupComparison, compare_groups
from sonde.groups.group_report import group_report

__all__ = [
    "Difference",
    "GroupComparison",
    "GroupFigures",
    "Measure",
    "RunFigures",
    "compare_groups",
    "group_report",
]
