"""What to show of runs and of their comparison; the same for a terminal, a page and JSON."""

from dataclasses import dataclass, field
from typing import Literal

from sonde.code import CodeSelection
from sonde.instruments.decisions.experiments import CompareOptions, TreeOptions

TreeName = Literal["inlining", "optimizations", "context"]
TREES: tuple[TreeName, ...] = ("inlining", "optimizations", "context")


@dataclass(frozen=True, slots=True)
class UnitFilter:
    """Which compilation units are looked at: of these functions, with this much of the time."""

    code: CodeSelection = field(default_factory=CodeSelection)
    min_share: float = 0.0


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What to show of one run."""

    trees: tuple[TreeName, ...] = ("inlining", "optimizations")
    only_hot: bool = True
    """Whether to leave out units that are not hot; without a profile no unit is left out."""
    filter: UnitFilter = UnitFilter()
    prepare: TreeOptions = field(default_factory=TreeOptions)
    rows: int = 12
    """Lines of each list and of each tree, about; JSON and pages have everything."""
    source: bool = False
    """Whether text has the lines of source, too, with what was decided at each."""
    wide: bool = False
    """Whether to print names whole, however long the lines get."""


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What to show of the differences between two runs."""

    compare: CompareOptions = field(default_factory=CompareOptions)
    """`prune` is of no account here: text is pruned, pages and JSON are whole."""
    cold_too: bool = False
    """Whether to compare units that are not hot as well."""
    filter: UnitFilter = UnitFilter()
    """Methods to compare; what follows from a difference in others may be among them."""
    why: bool = True
    """Whether to look for what led to each difference."""
    rows: int = 12
    source: bool = False
    """Whether text has the lines of source, too, at which something differs."""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class ConsistencyLimits:
    """What to show of decisions that tell two groups of runs apart."""

    rows: int = 20
    wide: bool = False
