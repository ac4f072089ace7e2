"""The values of all features in all runs, column by column."""

from array import array
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from sonde.instruments.decisions.groups.subject import ContextSubject, PathStep, Subject

Whole = tuple[str, str]
"""What a share is a share of: ("in", method): time in code that has the method; ("root", method): time in its units."""
NOTHING: Whole = ("run", "")
"""The value is no share; it is defined in every run."""


class Column(NamedTuple):
    """A feature: its values in all runs, before they are divided by the whole."""

    whole: Whole
    values: "array[float]"


class FeatureTable:
    """Collects values run by run. Contexts are numbered, for as paths they would be long and many."""

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.columns: dict[tuple[Hashable, str], Column] = {}
        """(subject or number of a context, label) -> values."""
        self.wholes: dict[Whole, array[float]] = {}
        self.depths: dict[Hashable, int] = {}
        """Least depth at which a subject was seen."""
        self.deeper: dict[int, set[str]] = {}
        """Number of a context -> methods called in it so deep that these calls have no contexts."""
        self._contexts: dict[tuple[int, str, int], int] = {}
        self._context_steps: list[tuple[int, str, int]] = []

    def add(self, run: int, subject: Hashable, label: str, value: float, whole: Whole = NOTHING) -> None:
        """Add to the value of a feature in a run."""
        key = (subject, label)
        column = self.columns.get(key)
        if column is None:
            column = self.columns[key] = Column(whole, array("d", bytes(8 * self.runs)))
        column.values[run] += value

    def add_whole(self, run: int, whole: Whole, value: float) -> None:
        """Add to what shares are taken of."""
        found = self.wholes.get(whole)
        if found is None:
            found = self.wholes[whole] = array("d", bytes(8 * self.runs))
        found[run] += value

    def context(self, parent: int, method: str, at: int) -> int:
        """The number of a context, by that of its parent; -1 is the parent of roots."""
        key = (parent, method, at)
        number = self._contexts.get(key)
        if number is None:
            number = self._contexts[key] = len(self._context_steps)
            self._context_steps.append(key)
        return number

    def context_subject(self, number: int) -> ContextSubject:
        """The path of a context."""
        steps = []
        while number >= 0:
            number, method, at = self._context_steps[number]
            steps.append(PathStep(method, at))
        return ContextSubject(tuple(reversed(steps)))

    def subject(self, key: Hashable) -> Subject:
        """The subject of a column."""
        return self.context_subject(key) if isinstance(key, int) else key  # type: ignore[return-value]

    def shares(self, column: Column) -> list[float | None]:
        """The values in all runs; None where the code that they are a share of is not in the run."""
        if column.whole == NOTHING:
            return [round(value, _DIGITS) for value in column.values]
        whole = self.wholes[column.whole]
        return [
            round(value / total, _DIGITS) if total > 0 else None
            for value, total in zip(column.values, whole, strict=True)
        ]

    def weights(self, whole: Whole) -> "array[float]":
        """Share of each run's time in the code that a share is taken of."""
        return self.wholes[whole]

    def __iter__(self) -> Iterator[tuple[tuple[Hashable, str], Column]]:
        return iter(self.columns.items())


_DIGITS = 9
"""Sums in another order differ in the last digits, and must not count as different."""
