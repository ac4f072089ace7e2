"""Where in a file of the log each compilation unit is, without reading the units.

A line is a unit; it begins with the method and the id of the compilation. That much is read, and that the line ends as
it must; what is between is left for later. A folder of 150 MB takes a second and little memory.
"""

import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sonde.instruments.decisions.readers.graal.deep_json import parse_json
from sonde.instruments.decisions.readers.place import unreadable

_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_PREFIX = re.compile(
    rb'\s*\{\s*"(?:methodName|compilationMethodName)"\s*:\s*' + _TEXT + rb'\s*,\s*"compilationId"\s*:\s*' + _TEXT
)
"""With and without spaces: Graal 23.0 writes them, later ones do not."""
_NAME_KEYS = ("methodName", "compilationMethodName")


class LogLine(NamedTuple):
    """A unit, and where it is."""

    method: str
    """As it is written: with the key of its variant."""
    id: str
    offset: int
    length: int


class SkippedLine(NamedTuple):
    """A line that is no unit."""

    offset: int
    fact: str


@dataclass(slots=True)
class LogIndex:
    """A file of the log."""

    path: Path
    lines: list[LogLine] = field(default_factory=list)
    skipped: list[SkippedLine] = field(default_factory=list)


def index_file(path: Path) -> LogIndex:
    """Find the units of a file.

    Raises:
        InputError: `unreadable-decision-record`.
    Guarantee: the same methods, ids and places as parsing every line; a line that is not JSON may be taken for a unit
        only if it begins and ends as one and closes as many objects as it opens.
    Cost: O(bytes) time, 200 MB each second; memory for the names, and the file's pages while it is read.
    """
    index = LogIndex(path)
    with _mapped(path) as content:
        start = 0
        while start < len(content):
            newline = content.find(b"\n", start)
            end = newline if newline >= 0 else len(content)
            _add_line(index, content, start, end, complete=newline >= 0)
            start = end + 1
    return index


@contextmanager
def _mapped(path: Path) -> "Iterator[mmap.mmap | bytes]":
    try:
        with path.open("rb") as file:
            try:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:  # nothing is in it, and nothing cannot be mapped
                yield b""
                return
            with mapped:
                yield mapped
    except OSError as error:
        raise unreadable(path, error) from error


def _add_line(index: LogIndex, content: "mmap.mmap | bytes", start: int, end: int, *, complete: bool) -> None:
    line = content[start:end]
    if not line.strip():
        return
    found = _PREFIX.match(line)
    # Two programs may have written into one file, the first being stopped within a line: hence the counting.
    whole = complete and line.rstrip().endswith(b"}") and line.count(b"{") == line.count(b"}")
    if found is not None and whole:
        try:
            name, compilation = (_text(part) for part in found.groups())
        except ValueError:
            pass  # said by parsing it whole
        else:
            index.lines.append(LogLine(name, compilation, start, end - start))
            return
    _add_odd_line(index, line, start)


def _text(raw: bytes) -> str:
    return str(parse_json(f'"{raw.decode()}"')) if b"\\" in raw else raw.decode()


def _add_odd_line(index: LogIndex, line: bytes, start: int) -> None:
    """A line whose beginning or end is not what Graal writes: it is parsed."""
    try:
        document = parse_json(line.decode())
    except ValueError as error:
        index.skipped.append(SkippedLine(start, f"it is not JSON: {error}"))
        return
    if not isinstance(document, dict):
        index.skipped.append(SkippedLine(start, "it is not an object"))
        return
    name = next((document[key] for key in _NAME_KEYS if key in document), None)
    compilation = document.get("compilationId")
    if isinstance(name, str) and isinstance(compilation, str):
        index.lines.append(LogLine(name, compilation, start, len(line)))
    else:
        odd = "'methodName'" if not isinstance(name, str) else "'compilationId'"
        index.skipped.append(SkippedLine(start, f"its {odd} is not text"))
