"""The compilations of a Java method over time: which of them was in use at a moment."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class JavaVersion:
    """A compiled form of a method, for as long as calls of the method went there."""

    id: str
    method: str
    level: int
    """1 to 3: C1 without, with a little, with all counting; 4: C2, or Graal."""
    is_osr: bool
    """Entered in the middle of a loop."""
    from_ns: int
    """Since the epoch, as all times here."""
    until_ns: int | None = None
    """When it was made not entrant; None: never, or not known."""


class Versions:
    """Those of one method.

    >>> quick, good = JavaVersion("7", "f()", 3, False, 10, 25), JavaVersion("9", "f()", 4, False, 20)
    >>> [found and found.id for found in map(Versions([good, quick]).at, (5, 12, 22))]
    [None, '7', '9']
    """

    def __init__(self, versions: Iterable[JavaVersion]) -> None:
        self._versions = sorted(versions, key=lambda version: version.from_ns)
        self._starts = [version.from_ns for version in self._versions]

    @classmethod
    def by_method(cls, versions: Iterable[JavaVersion]) -> dict[str, Self]:
        """Those of each method."""
        of: dict[str, list[JavaVersion]] = {}
        for version in versions:
            of.setdefault(version.method, []).append(version)
        return {method: cls(each) for method, each in of.items()}

    def at(self, time_ns: int) -> JavaVersion | None:
        """The one that was in use: the last that began and had not ended; None: there was none.

        What had ended is second best: an activation may outlive the end of its version by a while. A version of a loop
        (OSR) counts as any other: stacks do not tell which of the two it is that runs.
        """
        count = bisect_right(self._starts, time_ns)
        for version in reversed(self._versions[:count]):
            if version.until_ns is None or time_ns <= version.until_ns:
                return version
        return max(self._versions[:count], key=lambda version: version.until_ns or 0, default=None)
