"""A terminal for tests: keeps what would be on its screen and what scrolled off, as far as sonde steers one."""

import io
import os
import re

_ESCAPE = re.compile(r"\x1b(?:\[([0-9;?]*)([A-Za-z])|([78D]))")


class TerminalText(io.StringIO):
    """All that was written to something that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class FakeTerminal(io.StringIO):
    r"""A screen with a cursor, a part that scrolls, and lines that have scrolled off its top.

    >>> terminal = FakeTerminal(columns=20, rows=3)
    >>> _ = terminal.write("one\ntwo\nthree\nfour")
    >>> terminal.screen, terminal.scrolled_off
    (['two', 'three', 'four'], ['one'])
    """

    def __init__(self, *, columns: int = 80, rows: int = 24) -> None:
        super().__init__()
        self.columns, self.rows = columns, rows
        self.scrolled_off: list[str] = []
        self.writes: list[str] = []
        self._lines = [""] * rows
        self._row = self._column = 0
        self._top, self._bottom = 0, rows - 1
        self._saved = (0, 0)

    @property
    def screen(self) -> list[str]:
        """The lines, without blanks at their ends."""
        return [line.rstrip() for line in self._lines]

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column, from 0."""
        return self._row, self._column

    @property
    def scrolls_wholly(self) -> bool:
        """Whether all lines scroll."""
        return (self._top, self._bottom) == (0, self.rows - 1)

    def size(self) -> os.terminal_size:
        """As `os.get_terminal_size` gives it."""
        return os.terminal_size((self.columns, self.rows))

    def resize(self, *, columns: int, rows: int) -> None:
        """Change the size as most terminals do: lines are added and taken away at the end."""
        self.columns, self.rows = columns, rows
        self._lines = (self._lines + [""] * rows)[:rows]
        self._row = min(self._row, rows - 1)
        self._top, self._bottom = 0, rows - 1

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.writes.append(text)
        at = 0
        while at < len(text):
            escape = _ESCAPE.match(text, at)
            if escape:
                self._obey(escape[2] or escape[3], [int(number or 0) for number in (escape[1] or "").split(";")])
                at = escape.end()
                continue
            assert text[at] != "\x1b", f"unknown sequence {text[at : at + 8]!r}"
            self._put(text[at])
            at += 1
        return len(text)

    def _obey(self, letter: str, numbers: list[int]) -> None:
        line, first = self._lines[self._row], max(numbers[0], 1)
        match letter:
            case "7":
                self._saved = self.cursor
            case "8":
                self._row, self._column = min(self._saved[0], self.rows - 1), self._saved[1]
            case "D":
                self._down()
            case "A":
                self._row = max(0, self._row - first)
            case "H":
                self._row = min(first, self.rows) - 1
                self._column = (numbers[1] if len(numbers) > 1 else 1) - 1
            case "r":
                self._top = first - 1
                self._bottom = (numbers[1] if len(numbers) > 1 else self.rows) - 1
                self._row = self._column = 0
            case "K":
                self._lines[self._row] = line[: self._column]
            case "J":
                self._lines[self._row :] = [line[: self._column], *[""] * (self.rows - self._row - 1)]
            case "m":
                pass
            case _:
                raise AssertionError(f"unknown sequence {letter!r} {numbers}")

    def _put(self, letter: str) -> None:
        if letter == "\n":
            self._column = 0
            self._down()
        elif letter == "\r":
            self._column = 0
        else:
            assert self._column < self.columns, "a line is wider than the terminal"
            line = self._lines[self._row].ljust(self._column)
            self._lines[self._row] = line[: self._column] + letter + line[self._column + 1 :]
            self._column += 1

    def _down(self) -> None:
        if self._row != self._bottom:
            self._row = min(self._row + 1, self.rows - 1)
            return
        gone = self._lines.pop(self._top)
        self._lines.insert(self._bottom, "")
        if self._top == 0:
            self.scrolled_off.append(gone.rstrip())
