"""Records of a spool that hold counts: 64-bit words in the machine's order, which the agent changes as it goes on."""

import struct
from collections.abc import Iterator
from enum import IntEnum

from sonde.native import Spool

MOST = 2**63 - 1
"""More cannot be stored, and is in damaged files only."""


class SumKind(IntEnum):
    """`sn_record_kind` of native/core/base/cells.h; the counts of each are in native/core/contexts/task_record.h."""

    TASKS = 4
    AWAIT = 5
    LOOPS = 6
    THREAD = 7


def sums_of(spool: Spool) -> Iterator[tuple[int, tuple[int, int, int, int], list[int], str]]:
    """Of each record: its kind, its numbers, its counts and a name."""
    for kind, numbers, raw, name in spool.sums:
        words = len(raw) // 8
        yield kind, numbers, [*struct.unpack_from(f"={words}Q", raw)], name
