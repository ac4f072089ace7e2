r"""A block of lines at the bottom of a terminal, drawn again and again while a program runs.

The program may print to the same terminal meanwhile, and nobody tells us when. So the block lies outside of
what scrolls: the terminal is told to scroll only the lines above it (DECSTBM), and what the program prints
stays there, in order, as it would without us.

    $ sonde contexts --live app.py        |
    reading 1,000 files                   |  scrolls: the program's
    12 of them are empty                  |
    12.3 s elapsed · 1,234,567 calls ...      the block: drawn in place
      total   share     self  calls  context
    ...

The cursor is the program's: it is saved before each drawing and restored after it (DECSC, DECRC), and a
drawing is a single write, which terminals take as a whole. What was tried and is worse: going up as many lines
as the block has, and drawing over it (erases what the program printed since); leaving the cursor above the
block, so that the program prints over it (ends of our lines stay behind its text).
"""

import os
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self, TextIO

from sonde.base.terminal import can_write_over, wants_colour
from sonde.render.terminal.page import NARROWEST

_LEAST_ROWS = 12
"""Lower terminals have no room for a block and a program."""

_SHARE_OF_ROWS = 2 / 3
_MOST_LINES = 40

_SAVE, _RESTORE = "\x1b7", "\x1b8"
_DOWN = "\x1bD"
"""To the next line, same column, scrolling at the end; a line feed would go to the first column."""
_SCROLL_ALL = "\x1b[r"
_ERASE_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"
_PLAIN = "\x1b[0m"


class Canvas(NamedTuple):
    """What is to be drawn on: lines of text."""

    width: int
    height: int
    colour: bool
    encoding: str


class LiveBlock:
    """Draws blocks of lines, each in the place of the one before.

    Args:
        stream: where to; not closed.
        size: columns and rows of the terminal, asked before each drawing; of `stream` when not given.
        colour: asked from the stream, `NO_COLOR` and `TERM` when not given.
        is_high: whether the block takes all rows but two, as nothing else is printed; else two thirds of them.

    Call `close` at the end, also when the program is stopped for a while: a terminal that still has its block
    scrolls above it only. After that `draw` begins anew. If the terminal goes away, nothing is drawn any more.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        size: Callable[[], os.terminal_size] | None = None,
        colour: bool | None = None,
        is_high: bool = False,
    ) -> None:
        self._stream = stream
        self._size = size or (lambda: os.get_terminal_size(stream.fileno()))
        self._colour = wants_colour(stream) if colour is None else colour
        self._is_high = is_high
        self._is_terminal = can_write_over(stream)
        self._is_gone = False
        self._drawn: os.terminal_size | None = None
        """Size of the terminal when the block was drawn; None: there is no block."""

    def draw(self, lines: Callable[[Canvas], list[str]], summary: Callable[[], str]) -> None:
        """Draw a block; where `stream` is no terminal, or one that is too small or too simple, a line of text.

        Args:
            lines: makes the lines of the block, at most as many as the canvas is high.
            summary: makes the line of text.
        Cost: one write.
        """
        if self._is_gone:
            return
        size = self._terminal_size()
        if size is None:
            self.close()
            self._write(f"sonde: {summary()}\n")
            return
        height = self._height(size)
        # A letter in the last column makes some terminals wrap, others wait.
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        drawn = lines(Canvas(size.columns - 1, height, self._colour, encoding))
        top = size.lines - height + 1
        placed = (f"\x1b[{top + i};1H{line}{_ERASE_LINE}" for i, line in enumerate(_filled(drawn, height)))
        self._write(self._room_for_block(size) + _SAVE + _PLAIN + "".join(placed) + _RESTORE)
        self._drawn = size

    def close(self) -> None:
        """Take the block away and let the whole terminal scroll again; the cursor stays where the program left it."""
        if self._drawn is not None and not self._is_gone:
            self._write(self._without_block(self._terminal_size()))
        self._drawn = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _room_for_block(self, size: os.terminal_size) -> str:
        """Whatever makes the lowest lines ours; nothing when they are."""
        if self._drawn == size:
            return ""
        height = self._height(size)
        make_room = f"{_DOWN * height}\x1b[{height}A"
        # Setting the part that scrolls also moves the cursor to the top.
        return f"{self._without_block(size)}{make_room}{_SAVE}\x1b[1;{size.lines - height}r{_RESTORE}"

    def _without_block(self, size: os.terminal_size | None) -> str:
        if self._drawn is None:
            return ""
        if size != self._drawn:
            # Where the block is after a change of size differs between terminals, but it is below the cursor.
            return f"{_SAVE}{_SCROLL_ALL}{_RESTORE}{_ERASE_BELOW}"
        top = size.lines - self._height(size) + 1
        return f"{_SAVE}{_PLAIN}{_SCROLL_ALL}\x1b[{top};1H{_ERASE_BELOW}{_RESTORE}"

    def _height(self, size: os.terminal_size) -> int:
        return size.lines - 2 if self._is_high else min(_MOST_LINES, int(size.lines * _SHARE_OF_ROWS))

    def _terminal_size(self) -> os.terminal_size | None:
        """None when there is no terminal that a block fits in."""
        if not self._is_terminal:
            return None
        try:
            size = self._size()
        except (OSError, ValueError):  # closed, or not a file after all
            return None
        return size if size.lines >= _LEAST_ROWS and size.columns > NARROWEST else None

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            # The terminal was closed, and the program goes on: it is not ours to stop for that.
            self._is_gone = True


def _filled(lines: list[str], height: int) -> list[str]:
    return lines + [""] * (height - len(lines))
