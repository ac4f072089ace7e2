"""Plots: values that are drawn. How large, and with which letters or lines, is a matter of the renderer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.report.cells import Estimated

PlotKind = Literal["strips", "intervals", "distribution", "sequence"]
"""`strips`: how each sample is spread, in one line, with its mean below; `intervals`: means of all samples on one axis;
`distribution`: a histogram of each sample; `sequence`: the values of each sample in their order."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Values that belong together, and what was estimated from them."""

    name: str
    values: Sequence[float]
    unit: str
    """As measured: `s`, `B`, `1`, or what another tool says."""
    least: float | None = None
    """The least of the amounts that they are compared with, by which their unit is chosen."""
    mean: Estimated | float | None = None
    median: float | None = None
    outliers: tuple[int, ...] = ()
    """Places of values that are far from the others."""
    counted: tuple[int, int] | None = None
    """The values that count, from one to before another; None where all do."""
    group: str = ""
    """In `strips`, samples of one group are drawn on one axis."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One drawing.

    >>> Plot("spread", "strips", "how values are spread", (Sample("a", (1.0, 1.2), "s"),)).kind
    'strips'
    """

    key: str
    kind: PlotKind
    title: str
    samples: tuple[Sample, ...]
    notes: tuple[str, ...] = ()
    """What stands beside the title."""
    legend: str = ""
    """What is drawn, below it; what is to be said where there is nothing to draw."""
