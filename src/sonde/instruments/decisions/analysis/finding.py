"""A difference between two runs, wherever it occurs, with what goes with it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sonde.instruments.decisions.analysis.call_differences import CallDifference
from sonde.instruments.decisions.analysis.code_times import Code, CodeTimes, UnitCode
from sonde.instruments.decisions.analysis.comparison import ComparedUnits
from sonde.instruments.decisions.analysis.decision_differences import DecisionDifference
from sonde.instruments.decisions.analysis.difference_code import code_of
from sonde.instruments.decisions.experiments import Fragment
from sonde.instruments.decisions.model import Unit

INLINED_OR_NOT, DONE_OR_MISSED, ONE_SIDED_CALL, ONE_SIDED_DECISION = range(4)
"""How much a difference is apt to matter, where the time is the same: most first."""

MOST_PLACES = 4
"""Places of a difference that are told, where it is in several."""

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
"""What inliners say of a call of the same method is often the same but for sizes and costs."""


class CodePlace(NamedTuple):
    """Where a difference is."""

    caller: str | None
    """The method whose code it is in."""
    at: int
    """`NO_OFFSET` if it is in several places of it, or not known."""
    column: int = 0


@dataclass(slots=True, eq=False)
class Finding:
    """A difference, wherever it occurs."""

    rank: int
    what: str
    """`inlined in A, direct in B`."""
    subject: str | None
    """The method called, or the optimization; None: a method that has no name."""
    is_call: bool
    places: list[CodePlace]
    """Where it is: a method of which the inliner says the same at several calls is one difference. Those with more time
    come first."""
    detail: str = ""
    """How an example differs of what is called the same on both sides; empty: there is nothing to say."""
    with_it: list["Finding"] = field(default_factory=list)
    """Differences in the same loop, or because of the same call, that one cause explains; these have none in turn."""
    follows: int = 0
    """Further calls and decisions that differ because of it."""
    size: int = 0
    pairs: list[tuple[int, int]] = field(default_factory=list)
    """Where it is: the method's place in the comparison, and the pair's within."""
    code: tuple[dict[int, UnitCode], dict[int, UnitCode]] = field(default_factory=lambda: ({}, {}))
    """On either side the code that it is about, or that follows from it, by the numbers of the units that have it."""
    call: CallDifference | None = None
    decisions: DecisionDifference | None = None
    """An example."""

    @property
    def caller(self) -> str | None:
        """The method whose code the first place is in."""
        return self.places[0].caller

    @property
    def at(self) -> int:
        """The first place."""
        return self.places[0].at

    @property
    def column(self) -> int:
        """The column of the first place."""
        return self.places[0].column

    def differences(self) -> Iterator[CallDifference | DecisionDifference]:
        """The examples of this one and of those with it."""
        for each in (self, *self.with_it):
            if (example := each.call or each.decisions) is not None:
                yield example

    def take_in(self, other: "Finding") -> None:
        """Count the same difference in another pair of compilations, or elsewhere in this one."""
        self.follows += other.follows
        self.size += other.size
        self.places.extend(one for one in other.places if one not in self.places)
        known = {one.cause for one in self.with_it}
        self.with_it.extend(one for one in other.with_it if one.cause not in known)

    def add_code(
        self,
        units: ComparedUnits,
        times: Callable[[Unit], CodeTimes],
        difference: CallDifference | DecisionDifference | None,
    ) -> None:
        """Take in the code of two compilations that a difference is about; None: they follow from it as a whole."""
        for side, compilation in enumerate((units.pair.first, units.pair.second)):
            unit = compilation.parent if isinstance(compilation, Fragment) else compilation
            if difference is None and unit is not compilation:
                continue  # the code of a fragment is that of the call
            known = self.code[side].setdefault(unit.number, UnitCode(times(unit)))
            known.add(Code(is_whole=True) if difference is None else code_of(difference, side, compilation))

    @property
    def cause(self) -> tuple[object, ...]:
        """Equal for what is one difference: calls of one method about which the inliner changed its mind for the same
        reasons, wherever they are; of anything else, what is in one place."""
        call = self.call
        if call is None or call.left is None or call.right is None:
            return (self.is_call, self.subject, self.what, self.places[0])
        said = tuple(_NUMBER.sub("#", reason) for site in (call.left, call.right) for reason in site.reasons[-1:])
        return (self.is_call, self.subject, self.what, said)
