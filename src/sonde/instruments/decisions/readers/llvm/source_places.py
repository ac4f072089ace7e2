"""Which function of the source a line belongs to, from the lines at which functions begin."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SourceStart = tuple[str, int]
"""File and line at which a function begins: the same for all instances of a template."""
_LOOKED_AT = 16
"""Functions that begin before a line and are looked at: more do not nest."""


@dataclass(slots=True)
class SourceFunctions:
    """The functions that an object file is made of, as far as remarks tell of them.

    Remarks tell where functions begin, not where they end. A line belongs to the function that begins last before it;
    but one that is known to begin inside of another (a lambda, a closure) has only the lines up to its last known one,
    if the line is still known to be in the outer one.
    """

    begins: Mapping[str, SourceStart]
    """By symbol: the line of the brace, which is what LLVM says of callees."""
    declared: Mapping[str, SourceStart] = field(default_factory=dict)
    """By symbol: the line of the declaration, from which lines in chains of calls are counted; of those that have such
    a call."""
    inside: Mapping[SourceStart, Iterable[int]] = field(default_factory=dict)
    """Lines that are known to be in a function, by where that begins."""
    _lines: dict[str, list[int]] = field(default_factory=dict)
    _last: dict[SourceStart, int] = field(default_factory=dict)

    def enclosing(self, file: str, line: int) -> SourceStart | None:
        """Where the function begins that a line is in; None: not known.

        >>> inside = {("a.c", 10): [20], ("a.c", 12): [14]}
        >>> functions = SourceFunctions({"f": ("a.c", 3), "g": ("a.c", 10), "lambda": ("a.c", 12)}, inside=inside)
        >>> functions.enclosing("a.c", 13), functions.enclosing("a.c", 18), functions.enclosing("a.c", 25)
        (('a.c', 12), ('a.c', 10), ('a.c', 12))
        """
        if not self._lines:
            self._sort()
        lines = self._lines.get(file, [])
        first = bisect_right(lines, line) - 1
        if first < 0:
            return None
        for at in range(first, max(-1, first - _LOOKED_AT), -1):
            begin = (file, lines[at])
            if line <= self._last.get(begin, lines[at]):
                return begin  # known to be inside, and no function that begins later is
        return (file, lines[first])

    def _sort(self) -> None:
        lines: dict[str, set[int]] = {}
        for file, line in self.begins.values():
            lines.setdefault(file, set()).add(line)
        self._lines = {file: sorted(found) for file, found in lines.items()}
        self._last = {begin: max((begin[1], *found)) for begin, found in self.inside.items()}
