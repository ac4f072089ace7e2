"""Plots: values that are drawn. How large, and with which letters or lines, is a matter of the renderer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sonde.report.cells import Estimated

PlotKind = Literal["strips", "intervals", "distribution", "sequence", "overview", "curve", "scatter"]
"""`strips`: how each sample is spread, in one line, with its mean below; `intervals`: means of all samples on one axis;
`curve`: means against a number, one line for each group; `scatter`: the same as dots, those below 0 among them;
`distribution`: a histogram of each sample; `sequence`: the values of each sample in their order; `overview`: both, of
each; pages have the means, the members of each value, and whether values are normal and independent, too."""


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
    """In `strips`, samples of one group are drawn on one axis; in `curve`, as one line."""
    gaps: Mapping[int, str] = field(default_factory=dict[int, str])
    """Places in the sequence where there is no value, from 0 on, and why: empty where it was not to have one. Values
    stand in the places between."""
    members: "Sequence[Sample]" = ()
    """Of each value the sample that it was computed from; none, or as many as values."""
    at: float | None = None
    """In `curve`, where it stands along the axis below."""

    @property
    def places(self) -> list[int]:
        """Where each value stands in the sequence.

        >>> Sample("a", (1.0, 1.2, 1.1), "s", gaps={1: "exit code 1"}).places
        [0, 2, 3]
        """
        return [place for place in range(len(self.values) + len(self.gaps)) if place not in self.gaps]


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
    is_secondary: bool = False
    """Paper has no room for it. Pages show it while a row that names its key is selected."""
    is_detail: bool = False
    """Paper has it for who asks for more (`-v`)."""
    axis: str = ""
    """In `curve`, what is along the axis below."""
