"""Counts of paths, as probes left them in the spools of threads."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sonde._native import Spool

_PATHS, _TABLE = 10, 11
"""`SN_RECORD_PATHS`, `SN_RECORD_PATHS_TABLE` of native/core/base/cells.h."""
_PLACE_WORDS = 2


@dataclass(slots=True)
class PathCounts:
    """Counts of all threads of one program or more, added up (`native/probes/path_counts.h`)."""

    counters: list[int] = field(default_factory=list)
    """(n_counters,) times that each path was taken, of functions that have a counter for each."""
    by_key: dict[int, int] = field(default_factory=dict)
    """Key -> times that the path was taken, of other functions."""
    dropped: int = 0
    """Times that paths were taken and found no room, or in signal handlers."""
    uncounted_threads: int = 0
    """Threads that could have no spool."""

    @classmethod
    def of(cls, spools: Iterable[Spool]) -> "PathCounts":
        """Add up what the spools of some threads hold."""
        found = cls()
        for spool in spools:
            found.dropped += spool.dropped_calls
            found.uncounted_threads += spool.lost_events
            for kind, (power, is_whole, *_), raw, _ in spool.sums:
                if kind in (_PATHS, _TABLE) and is_whole:
                    words = memoryview(raw).cast("Q")
                    end = _PLACE_WORDS << power
                    found._add_places(words[:end])
                    if kind == _PATHS:
                        found._add_counters(words[end:])
        return found

    def _add_places(self, words: "memoryview[int]") -> None:
        for key, count in zip(words[::2], words[1::2], strict=True):
            if key:
                self.by_key[key] = self.by_key.get(key, 0) + count

    def _add_counters(self, words: "memoryview[int]") -> None:
        self.counters.extend([0] * (len(words) - len(self.counters)))
        for number, count in enumerate(words):
            if count:
                self.counters[number] += count
