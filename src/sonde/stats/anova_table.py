"""What an analysis of variance says: from where the differences between values come."""

from dataclasses import dataclass

from sonde.base.errors import InputError
from sonde.stats.findings import Assumption


@dataclass(frozen=True, slots=True)
class AnovaRow:
    """One source of variation."""

    source: str
    """A factor, an interaction of factors such as `python:flags`, or what is left: `residual`."""
    sum_of_squares: float | None
    """None, as the mean square, in tests that do not split squares: Welch's."""
    degrees_of_freedom: float
    mean_square: float | None
    f: float | None
    """How many times as large the mean square is as the residual one, or Welch's F; None for the residual."""
    p_value: float | None
    """The probability of at least that F where the source has no influence; None for the residual."""


@dataclass(frozen=True, slots=True)
class AnovaTable:
    """An analysis of variance.

    >>> row = AnovaRow("flags", 4.0, 1.0, 4.0, 2.0, 0.2)
    >>> AnovaTable((row,), (3, 3), "one-way analysis of variance").row("flags").f
    2.0
    """

    rows: tuple[AnovaRow, ...]
    """The sources in the order asked for, the residual last."""
    sizes: tuple[int, ...]
    """Number of values of each group or cell."""
    method: str
    """In words for a paper."""
    assumptions: tuple[Assumption, ...] = ()
    within: float | None = None
    """Coefficient of variation within groups: their standard deviation, of all together and over all rounds, as a
    share of the grand mean; None where that is not positive."""
    between: float | None = None
    """Coefficient of variation between groups, beyond what variation within them explains."""

    def row(self, source: str) -> AnovaRow:
        """The row of one source.

        Raises:
            InputError: there is none.
        """
        for row in self.rows:
            if row.source == source:
                return row
        names = ", ".join(row.source for row in self.rows)
        raise InputError(f"cannot show '{source}' of an analysis of variance: it has {names}", slug="no-such-row")
