"""What every analysis offers."""

from typing import Protocol, Self

from sonde.events import EventBatch
from sonde.instruments.contexts.profile import ContextProfile


class Analysis(Protocol):
    """Consumes calls in batches and says at any time what was learnt from them.

    The registry lists factories: `factory(functions)` makes an analysis of calls whose functions are
    numbered in that `FunctionTable`; the table may still grow. The docstring of what is listed has the
    sections *Guarantee*, *Cost* and *Source*. `sonde.testing.check_analysis` checks the laws.
    """

    def update(self, batch: EventBatch) -> None:
        """Take in a batch; how a stream is cut into batches makes no difference."""

    def merge(self, other: Self) -> None:
        """Add what `other` has taken in, by functions and not by their numbers; `other` stays as it is."""

    def snapshot(self) -> ContextProfile:
        """The profile of everything so far; it changes nothing, and says what it lacks in its losses."""
        ...
