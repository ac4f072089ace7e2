"""Cell files written by the book (native/core/cells.h, context_tree.h), whole or damaged."""

import struct
from pathlib import Path

CELL = 64
BASE = 0x7F00_0000_0000
"""Where the writer says it had the file."""
_ROOT, _RECORD = 4, 2
_FUNCTION, _PROCESS, _NOTE = 1, 2, 3


class CellFile:
    """One process' cells, to be written to a file.

    >>> cells = CellFile()
    >>> work = cells.function("work", "app", "app.py", 3)
    >>> first = cells.context(cells.root(), work, calls=2, ticks=10)
    >>> cells.context(first, work, line=4, calls=1) - first
    1
    """

    def __init__(self, *, pid: int = 42, end_ticks: int = 1000, dropped_calls: int = 0) -> None:
        self._cells: list[bytes] = []
        self._functions = 0
        self._pid, self._end_ticks, self._dropped_calls = pid, end_ticks, dropped_calls
        self._record(_PROCESS, (), ("python\napp.py", "3.12.1", "cpython-monitoring"))

    def function(self, name: str, module: str, file: str, first_line: int, flags: int = 3) -> int:
        """Describe a function; returns its number."""
        self._record(_FUNCTION, (first_line, flags), (name, module, file))
        self._functions += 1
        return self._functions - 1

    def note(self, kind: str, amount: int, detail: str) -> None:
        """Say something about the measurement."""
        self._record(_NOTE, (amount,), (kind, detail))

    def root(self) -> int:
        """A thread; returns its cell."""
        return self._add(struct.pack("<8Q", _ROOT, 0, 0, 0, 0, 0, 0, 0))

    def context(
        self, parent: int, function: int, *, line: int = 0, calls: int = 0, ticks: int = 0, entered: int = 0
    ) -> int:
        """A context below the one in cell `parent`; returns its cell."""
        key = 0x1000 + 16 * function
        return self._add(struct.pack("<7Q2I", key, BASE + parent * CELL, 0, 0, calls, ticks, entered, function, line))

    def write(self, path: Path, *, cut_off: int = 0) -> Path:
        """Write the file, less `cut_off` bytes at its end."""
        used = 2 + len(self._cells)
        header = struct.pack(
            "<8s2I2Q4I5Q40x",
            *(b"SONDESPL", 1, CELL, BASE, used, self._pid, 1, 2, 1),
            *(0, 0, self._dropped_calls, 0, self._end_ticks),
        )
        content = header + b"".join(self._cells)
        path.write_bytes(content[: len(content) - cut_off])
        return path

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
        return 2 + len(self._cells) - len(content) // CELL
