"""What the numbers of paths mean: the lines of the source that each comes by."""

from collections.abc import Sequence

from sonde.instruments.paths.profile import PathRoutine
from sonde.report import Column, Row, Table

_MOST_WORDS = 16
"""Of a longer path, its middle is left out."""


def line_table(routines: Sequence[PathRoutine], most: int) -> Table:
    """The acyclic paths of some routines, those taken most first, with their lines.

    Args:
        most: rows at most.
    """
    columns = (
        Column("count", "taken", "count", sum(routine.taken for routine in routines), "both", is_hot=True),
        Column("path", "path", "text"),
        Column("lines", "lines", "text"),
        Column("function", "function", "name"),
    )
    found = [
        (count, number, routine) for routine in routines if routine.code for number, count in routine.acyclic.items()
    ]
    found.sort(key=lambda item: -item[0])
    rows = [
        Row((count, str(number), line_words(routine.code.lines(number)), routine.function))
        for count, number, routine in found
    ]
    return Table("lines", "lines of paths", columns, rows, ("by times taken",), "path", most)


def line_words(lines: Sequence[int]) -> str:
    """Lines in the order of a path; those that follow one another as one.

    >>> line_words((3, 4, 5, 9, 4)), line_words(tuple(range(1, 100, 2)))
    ('3-5, 9, 4', '1, 3, 5, 7, 9, 11, 13, 15, …, 85, 87, 89, 91, 93, 95, 97, 99')
    """
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in runs]
    if len(words) > _MOST_WORDS:
        half = _MOST_WORDS // 2
        words = [*words[:half], "…", *words[-half:]]
    return ", ".join(words)
