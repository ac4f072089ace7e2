"""Where the text of profdiff goes: exact in files, harmless on a terminal."""

from collections.abc import Iterable
from typing import TextIO

from sonde.base.fitted_text import printable


class ProfdiffOutput:
    """Lines on a stream. What its encoding lacks becomes `?`, as in Java; on a terminal, what steers it a stand-in."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = stream.encoding or "utf-8"
        self._is_terminal = stream.isatty()

    def writelines(self, lines: Iterable[str], /) -> None:
        """Write lines with their ends."""
        self._stream.writelines(map(self._written, lines))

    def _written(self, line: str) -> str:
        if self._is_terminal:
            line = printable(line[:-1]) + line[-1:]
        if line.isascii():
            return line
        return line.encode(self._encoding, "replace").decode(self._encoding)
