"""Cell files written by the book (native/core/base/cells.h, context_tree.h, hot_tree.h), whole or damaged."""

import struct
from pathlib import Path
from typing import NamedTuple

CELL = 64
BASE = 0x7F00_0000_0000
"""Where the writer says it had the file."""
EXACT, HOT_BY_CALLS, HOT_BY_TIME = 0, 1, 2
_HEADER_CELLS = 3
_CHUNK = 64
"""Contexts of a hot tree lie in chunks of so many cells; their sides are in the next so many."""
_RECORD, _ROOT, _CURSOR, _SIDE = 2, 4, 6, 8
_FUNCTION, _PROCESS, _NOTE = 1, 2, 3


class Side(NamedTuple):
    """What a context of a hot tree has besides."""

    pruned_calls: int = 0
    pruned_ticks: int = 0
    calls_squares: float = 0.0
    ticks_squares: float = 0.0


class Looks(NamedTuple):
    """When the process was looked at, in ticks."""

    bursts: int = 0
    looked: int = 0
    burst_start: int = 0
    first: int = 0


class CellFile:
    """One process' cells, to be written to a file.

    >>> cells = CellFile()
    >>> work = cells.function("work", "app", "app.py", 3)
    >>> first = cells.context(cells.root, work, calls=2, ticks=10)
    >>> cells.context(first, work, line=4, calls=1) - first
    1
    """

    def __init__(
        self,
        *,
        pid: int = 42,
        start: int = 0,
        end_ticks: int = 1000,
        replaced_ticks: int = 0,
        dropped_calls: int = 0,
        lost_events: int = 0,
        metric: int = EXACT,
        counters: int = 0,
        floor: int = 0,
        pruned: Side | None = None,
        looks: Looks | None = None,
        unseen_ticks: int = 0,
        sampled_costs: tuple[int, int, int, int] | None = None,
    ) -> None:
        """`start`: both as ticks and as nanoseconds; `pruned`: what was pruned at the top of a hot tree;
        `sampled_costs`: of times that are sampled, what counting cost, in picoseconds."""
        self._cells: list[bytes] = []
        self._functions = 0
        self._chunk = range(0)
        """Cells of the last chunk that are not used yet."""
        self._pid, self._end_ticks, self._dropped_calls = pid, end_ticks, dropped_calls
        self._start, self._replaced_ticks, self._lost_events = start, replaced_ticks, lost_events
        self._metric, self._counters, self._floor, self._looks = metric, counters, floor, looks or Looks()
        self._unseen_ticks, self._sampled_costs = unseen_ticks, sampled_costs
        self.root = self._add_context(struct.pack("<8Q", _ROOT, 0, 0, 0, 0, 0, 0, 0), pruned or Side())
        """Cell of the root."""
        self._record(_PROCESS, (), ("python\napp.py", "3.12.1", "cpython-monitoring"))

    def function(self, name: str, module: str, file: str, first_line: int, flags: int = 3) -> int:
        """Describe a function; returns its number."""
        self._record(_FUNCTION, (first_line, flags), (name, module, file))
        self._functions += 1
        return self._functions - 1

    def note(self, kind: str, amount: int, detail: str) -> None:
        """Say something about the measurement."""
        self._record(_NOTE, (amount,), (kind, detail))

    def context(
        self,
        parent: int,
        function: int,
        *,
        line: int = 0,
        calls: int = 0,
        ticks: int = 0,
        error: int = 0,
        side: Side | None = None,
    ) -> int:
        """A context below the one in cell `parent`; returns its cell. `ticks` are its own, without its callees'."""
        key = 0x1000 + 16 * function
        content = struct.pack("<7Q2I", key, BASE + parent * CELL, 0, 0, calls, ticks, error, function, line)
        return self._add_context(content, side or Side())

    def cursor(self, current: int, *, now: int) -> None:
        """A thread in which the context of cell `current` has been running since the last event, at `now`."""
        self._add(struct.pack("<8Q", _CURSOR, BASE + current * CELL, now, 0, 0, 0, 0, 0))

    def write(self, path: Path, *, cut_off: int = 0) -> Path:
        """Write the file, less `cut_off` bytes at its end."""
        used = _HEADER_CELLS + len(self._cells)
        header = struct.pack(
            "<8s2I2Q4I5Q2Q2I4Q2Q8x4IQ",
            *(b"SONDESPL", 2, CELL, BASE, used, self._pid, 1, 2 if self._sampled_costs is None else 3, 1),
            *(self._start, self._start, self._dropped_calls, 0, self._end_ticks),
            *(0, self._floor, self._metric, self._counters),
            *self._looks,
            *(self._replaced_ticks, self._lost_events),
            *(self._sampled_costs or (0, 0, 0, 0)),
            self._unseen_ticks,
        )
        content = header + b"".join(self._cells)
        path.write_bytes(content[: len(content) - cut_off])
        return path

    def _add_context(self, content: bytes, side: Side) -> int:
        if self._metric == EXACT and self._sampled_costs is None:
            return self._add(content)
        if not self._chunk:
            first = self._add(bytes(_CHUNK * CELL))
            self._add(struct.pack("<8Q", _SIDE, 0, 0, 0, 0, 0, 0, 0) * _CHUNK)
            self._chunk = range(first, first + _CHUNK)
        own, self._chunk = self._chunk[0], self._chunk[1:]
        pruned, squares = side[:2], side[2:]
        self._cells[own - _HEADER_CELLS] = content
        of_bursts = struct.unpack_from("<2Q", content, 32)  # calls and ticks: all bursts have ended
        self._cells[own + _CHUNK - _HEADER_CELLS] = struct.pack("<6Q2d", _SIDE, 0, *pruned, *of_bursts, *squares)
        return own

    def _record(self, kind: int, numbers: tuple[int, ...], texts: tuple[str, ...]) -> None:
        payload = [text.encode("utf-8", "surrogateescape") for text in texts]
        size = sum(map(len, payload))
        number = (*numbers, 0, 0, 0, 0)[:4]
        length = (*map(len, payload), 0, 0, 0, 0)[:4]
        head = struct.pack("<Q2I4I4I16x", _RECORD, kind, size, *number, *length)
        self._add(head + b"".join(payload))

    def _add(self, content: bytes) -> int:
        content += bytes(-len(content) % CELL)
        self._cells += [content[at : at + CELL] for at in range(0, len(content), CELL)]
        return _HEADER_CELLS + len(self._cells) - len(content) // CELL
