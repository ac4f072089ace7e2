"""A page of text on a terminal or in a file: its width, its colours, and what its encoding can show.

Colours are the few ANSI codes below, written by hand: importing a terminal library costs more
time than reading the profile and printing it (35 ms against 15 ms).
"""

from collections.abc import Iterator
from typing import TextIO

from sonde.base.fitted_text import display_width, keep_start, printable
from sonde.base.terminal import columns_of, wants_colour

WIDTH_WHEN_UNKNOWN = 100
"""Columns when the output is no terminal and `COLUMNS` is not set: a page in a file, read in an editor."""

NARROWEST = 60
"""Below this the columns of numbers leave no room for names; lines are then cut by the terminal."""

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36"}

_FANCY = "│├└─⋮·×→−▲▼…┤┼┊●○▁▂▃▄▅▆▇█"
_PLAIN = str.maketrans(_FANCY, "|+`-:-x>-^v~++:oo.:-=+*%#") | {ord("±"): "+-"}
"""Stand-ins, one for one so that columns stay aligned, where the encoding has no such characters; ± is for prose."""


class Page:
    """Where lines go. Text is measured and cut first, then coloured, then printed.

    Attributes:
        is_plain: whether stand-ins take the place of lines, blocks and arrows.

    Args:
        stream: receives the lines.
        width: columns; asked from `COLUMNS` and the terminal when not given.
        colour: asked from the stream, `NO_COLOR` and `TERM` when not given.
        encoding: of where the text goes in the end, when `stream` does not know.
        narrowest: a narrower page is written as if it had so many columns.

    >>> import io
    >>> page = Page(io.StringIO(), width=80)
    >>> page.paint("hot", "red", "bold")
    'hot'
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        width: int | None = None,
        colour: bool | None = None,
        encoding: str | None = None,
        narrowest: int = NARROWEST,
    ) -> None:
        self._stream = stream
        self._encoding = encoding or getattr(stream, "encoding", None) or "utf-8"
        self.is_plain = not _can_encode(_FANCY, self._encoding)
        self.width = max(narrowest, columns_of(stream, WIDTH_WHEN_UNKNOWN) if width is None else width)
        self.is_coloured = wants_colour(stream) if colour is None else colour

    def paint(self, text: str, *styles: str) -> str:
        """Colour a text, when this page has colours."""
        if not self.is_coloured or not styles or not text:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def line(self, text: str = "") -> None:
        """Print one line, replacing what the stream cannot encode."""
        text = text.rstrip()
        if not text.isascii():
            if self.is_plain:
                text = text.translate(_PLAIN)
            text = text.encode(self._encoding, "replace").decode(self._encoding)
        self._stream.write(f"{text}\n")

    def heading(self, text: str, *notes: str) -> None:
        """Print a heading with dim notes after it, or below where there is no room, and an empty line before it."""
        text, told = printable(text), [printable(note) for note in notes if note]
        self.line()
        if display_width("  ".join((text, *told))) <= self.width:
            self.line("  ".join((self.paint(text, "bold"), *(self.paint(note, "dim") for note in told))))
            return
        self.line(self.paint(keep_start(text, self.width), "bold"))
        self.flow(told, "dim", between="  ")

    def flow(self, parts: list[str], *styles: str, between: str = " · ") -> None:
        """Print parts one after another, breaking lines only between them, and within those that fill a line alone."""
        line = ""
        for gap, part in self._pieces(parts, between):
            longer = f"{line}{gap}{part}" if line else part
            if line and display_width(longer) > self.width:
                self.line(self.paint(line, *styles))
                longer = part
            line = longer if display_width(longer) <= self.width else keep_start(longer, self.width)
        if line:
            self.line(self.paint(line, *styles))

    def _pieces(self, parts: list[str], between: str) -> Iterator[tuple[str, str]]:
        """What a line is not broken within, each with what separates it from the one before."""
        for part in parts:
            words = part.split(" ") if display_width(part) > self.width else [part]
            yield between, words[0]
            for word in words[1:]:
                yield " ", word


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True
