"""Lines of memory that several threads access: who accesses which bytes of one, from where."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sonde.instruments.memory.profile.rows import NO_PLACE

LINE_BYTES = 64
MOST_SHARED_LINES = 200
"""A profile tells of so many single lines, those that may be passed on most often."""

Sharing = Literal["same bytes", "other bytes"]
"""Whether a thread stores what another one accesses, or only beside it (false sharing)."""


@dataclass(frozen=True, slots=True)
class LineUse:
    """What one thread did to a line from one place of code, on objects of one class."""

    thread: int
    """The program's first is 1."""
    place: int
    """Of the Python line where one ran, else of the machine code."""
    type: int
    site: int
    """Number of a place, or `NO_PLACE`."""
    offset: int | None
    """Of the line's first byte in the object; below 0 where the object begins within the line; None: of a region."""
    loads: int
    stores: int
    loaded: int
    """Bytes of the line, bit 0 for the first."""
    stored: int


@dataclass(frozen=True, slots=True)
class SharedLine:
    """A line of 64 bytes that at least two threads access, and one of them stores to."""

    transfers: int
    """As often as an access followed on another thread's store that the accessing thread had not seen yet, in the order
    in which the threads ran."""
    most_transfers: int
    """How many there are at most, in whatever order the same accesses come; threads that were never alive at the same
    time are kept apart."""
    most_same: int
    """The same, counting only stores into bytes that another thread accesses."""
    uses: tuple[LineUse, ...]

    @property
    def sharing(self) -> Sharing:
        """Whether it is the same bytes that at least half of these transfers are for."""
        return "same bytes" if 2 * self.most_same >= self.most_transfers else "other bytes"


def broken_sharing(lines: Sequence[SharedLine], *, places: int, types: int) -> Iterator[str]:
    """What is wrong with shared lines."""
    if len(lines) > MOST_SHARED_LINES:
        yield f"it tells of {len(lines)} shared lines, more than {MOST_SHARED_LINES}"
    for number, line in enumerate(lines):
        if not 0 <= max(line.transfers, line.most_same) <= line.most_transfers:
            counts = f"{line.transfers} transfers, {line.most_same} for the same bytes"
            yield f"shared line {number} has {counts}, of at most {line.most_transfers}"
        for use in line.uses:
            if not (0 <= use.place < places and 0 <= use.type < types and NO_PLACE <= use.site < places):
                yield f"shared line {number} names place {use.place}, type {use.type} or site {use.site}"
            for count, bytes_ in ((use.loads, use.loaded), (use.stores, use.stored)):
                if count < 0 or bool(count) != bool(bytes_) or bytes_ >> LINE_BYTES:
                    yield f"shared line {number} has {count} accesses to its bytes {bytes_:#x}"
