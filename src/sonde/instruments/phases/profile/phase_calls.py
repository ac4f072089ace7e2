"""The calls of phases on one thread, in columns: when each began and ended, and what was counted meanwhile."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.errors import InputError

NO_CALL = -1

RETURNED, SUSPENDED, UNWOUND, OPEN, CUT = range(5)
"""How a call ended: it returned; a generator was suspended; by an exception; not before the run's end; not seen, as
when stacks are exchanged under the interpreter."""


@dataclass(frozen=True, slots=True)
class PhaseCalls:
    """Calls in order of their beginning, one row each. A generator has a row for each time that it goes on.

    All columns have a value for each row; times are in nanoseconds since the run began.
    """

    phase: Sequence[int]
    """Index into `PhaseProfile.phases`."""
    parent: Sequence[int]
    """The call of a phase that this one was made in; `NO_CALL`: none."""
    start_ns: Sequence[int]
    end_ns: Sequence[int]
    taken_ns: Sequence[int]
    """What watching the calls below took of this time."""
    ending: Sequence[int]
    """`RETURNED` and so on."""
    is_resumed: Sequence[int]
    """1 where a generator goes on."""
    counters: tuple[Sequence[int], ...] = ()
    """What was counted during each call, callees included; as many columns as `PhaseProfile.counters`."""

    def __len__(self) -> int:
        return len(self.phase)

    def elapsed_ns(self) -> Sequence[int]:
        """How long each call took, callees included, without what watching them took."""
        rows = zip(self.start_ns, self.end_ns, self.taken_ns, strict=True)
        return array("q", [max(end - start - taken, 0) for start, end, taken in rows])

    def exclusive(self, column: Sequence[int]) -> Sequence[int]:
        """An amount of each call without that of the calls of phases in it.

        Guarantee: exclusive = inclusive - callees. Added up over all calls, it is what the outermost calls have.
        Cost: O(n).
        """
        own = array("q", column)
        for row, parent in enumerate(self.parent):
            if parent != NO_CALL:
                own[parent] -= column[row]
        return own

    def is_outermost(self) -> Sequence[int]:
        """Of each call, 1 where no call of the same phase is further up. O(n d) for calls d deep."""
        outermost = bytearray(len(self))
        for row, phase in enumerate(self.phase):
            above = self.parent[row]
            while above != NO_CALL and self.phase[above] != phase:
                above = self.parent[above]
            outermost[row] = above == NO_CALL
        return outermost

    def check_valid(self, phases: int, counters: int) -> None:
        """Refuse what are no calls.

        Raises:
            InputError: `corrupt-profile`.
        """
        columns = (self.parent, self.start_ns, self.end_ns, self.taken_ns, self.ending, self.is_resumed, *self.counters)
        if len(self.counters) != counters or any(len(column) != len(self) for column in columns):
            raise InputError("cannot use these calls: columns differ in length", slug="corrupt-profile")
        for row, (phase, parent, start, end) in enumerate(
            zip(self.phase, self.parent, self.start_ns, self.end_ns, strict=True)
        ):
            lies_within = parent == NO_CALL or (
                0 <= parent < row and self.start_ns[parent] <= start and end <= self.end_ns[parent]
            )
            if not lies_within or not 0 <= phase < phases or start > end:
                raise InputError(f"cannot use these calls: row {row} is not possible", slug="corrupt-profile")


@dataclass(frozen=True, slots=True)
class PhaseThread:
    """One thread of the measured process."""

    name: str
    start_ns: int
    end_ns: int
    totals: tuple[int, ...]
    """What was counted on it from its start to its end, in the order of `PhaseProfile.counters`."""
    calls: PhaseCalls
    taken_ns: int = 0
    """What watching took on it."""
    ended: bool = True
    """Whether it came to its end; else times and counts are up to the last event."""
