"""A compilation unit: a method as it was compiled once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sonde.instruments.decisions.model.call_site import CallSite
from sonde.instruments.decisions.model.optimization import Phase
from sonde.instruments.decisions.model.position import Spread


class Trees(NamedTuple):
    """What was decided in one compilation."""

    inlining: CallSite
    optimizations: Phase


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A compilation of a method. Its trees are read when they are asked for, and each time anew."""

    number: int
    """Its place in `DecisionRun.units`."""
    method: str
    """The root method; the part of a variant's name that tells variants apart is in `variant`."""
    id: str
    """As the compiler names the compilation; need not be unique."""
    load: Callable[[], Trees]
    """Read the trees; raises InputError `bad-decision-record`."""
    variant: str | None = None
    version: str | None = None
    """Tier, level, or what else tells compilations apart: `C2`, `OSR @ 4`, `O2`; None: there is only one."""
    period: int = 0
    """Time spent in its code, in `TimeProfile.unit`; 0: none, or not known."""
    spread: Spread = ()
    """Where in its code; empty: not known."""
