"""Columns of text: as wide as what is in them, and on a terminal no wider than that."""

from collections.abc import Sequence

_GAP = "  "


def text_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, width: int | None = None, numbers: Sequence[str] = ()
) -> str:
    """Lay out rows below headings.

    Args:
        width: where lines are cut off, with `…`; None: they are not.
        numbers: headings of columns that are aligned to the right.

    >>> print(text_table(["name", "size"], [["isord", "12"], ["f", "7"]], numbers=["size"]))
    name   size
    isord    12
    f         7
    """
    cells = [list(headings), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(size) if heading in numbers else cell.ljust(size)
            for cell, size, heading in zip(row, widths, headings, strict=True)
        ]
        lines.append(_cut(_GAP.join(parts).rstrip(), width))
    return "\n".join(lines)


def _cut(line: str, width: int | None) -> str:
    return line if width is None or len(line) <= width else line[: width - 1] + "…"
