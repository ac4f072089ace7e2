"""Dots finer than letters: eight to a cell in braille, two where an encoding has none."""

_BRAILLE = 0x2800
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Of the dots of a cell, by column and row (Unicode Standard, braille patterns)."""

_UPPER, _LOWER = 0x1B, 0xE4
"""Dots in the upper and the lower half of a cell."""

COLUMNS, ROWS = 2, 4
"""Dots in a cell."""


class DotCanvas:
    """A grid of cells in which single dots can be set, and letters stand where dots are not enough.

    >>> canvas = DotCanvas(2, 1)
    >>> canvas.dot(0, 0)
    >>> canvas.dot(3, 3)
    >>> canvas.lines()
    ['⠁⢀']
    """

    def __init__(self, width: int, height: int, *, is_plain: bool = False) -> None:
        self.width, self.height = width, height
        """Cells."""
        self._is_plain = is_plain
        self._cells = [[0] * width for _ in range(height)]
        self._letters: dict[tuple[int, int], str] = {}

    @property
    def dots_across(self) -> int:
        """Columns of dots."""
        return self.width * COLUMNS

    @property
    def dots_down(self) -> int:
        """Rows of dots."""
        return self.height * ROWS

    def dot(self, x: int, y: int) -> None:
        """Set a dot; the upper left one is 0, 0. Dots outside are at the edge."""
        x, y = min(max(x, 0), self.dots_across - 1), min(max(y, 0), self.dots_down - 1)
        self._cells[y // ROWS][x // COLUMNS] |= _BITS[x % COLUMNS][y % ROWS]

    def letter(self, x: int, y: int, letter: str) -> None:
        """Put a letter into the cell of a dot; it hides the cell's dots."""
        x, y = min(max(x, 0), self.dots_across - 1), min(max(y, 0), self.dots_down - 1)
        self._letters[y // ROWS, x // COLUMNS] = letter

    def lines(self) -> list[str]:
        """The rows of cells, from the top."""
        return [
            "".join(self._letters.get((y, x)) or self._cell(bits) for x, bits in enumerate(row))
            for y, row in enumerate(self._cells)
        ]

    def _cell(self, bits: int) -> str:
        if not bits:
            return " "
        if not self._is_plain:
            return chr(_BRAILLE + bits)
        return ":" if bits & _UPPER and bits & _LOWER else "'" if bits & _UPPER else "."
