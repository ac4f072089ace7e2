"""Groups whose values were taken in rounds, one of each group: what groups, rounds and chance make of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError, UsageError
from sonde.stats.comparison_assumptions import assumptions_of_residuals
from sonde.stats.findings import Assumption
from sonde.stats.samples import Sample

LEAST_ROUNDS = 3
"""Of two, the residuals of a group are each other's negatives, whatever the distribution of values is."""
LEAST_GROUPS = 3
"""Of two, the residuals of a round are each other's negatives, however unequally groups vary."""
ROUNDING = 1e-14
"""Share of the largest value below which residuals are rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class CompleteBlocks:
    """The sums of squares of groups that took turns: each round has one value of each group.

    >>> blocks = complete_blocks([np.array([1.0, 3.0]), np.array([2.0, 6.0])])
    >>> blocks.among_groups, blocks.among_rounds, blocks.left
    (4.0, 9.0, 1.0)
    """

    groups: int
    rounds: int
    among_groups: float
    among_rounds: float
    left: float
    """What neither explains."""
    residuals: npt.NDArray[np.float64]
    """(groups, rounds) values less the means of their group and of their round, plus that of all."""
    largest: float
    """Of the values, without their sign."""

    @property
    def degrees_of_freedom(self) -> float:
        """Of the residual."""
        return float((self.groups - 1) * (self.rounds - 1))

    @property
    def mean_square(self) -> float:
        """Of the residual."""
        return self.left / self.degrees_of_freedom

    @property
    def varies(self) -> bool:
        """Whether the residual is more than rounding."""
        return self.left > self.residuals.size * (ROUNDING * self.largest) ** 2

    def assumptions(self) -> tuple[Assumption, ...]:
        """Normality and equal variances, as the residuals show them, and independence between rounds.

        Guarantee: normal values of equal variance are called unequal in fewer than the 5 % of independent residuals:
            those of a round are alike in size.
        """
        return assumptions_in_rounds(self.residuals.ravel(), list(self.residuals), self.rounds)


def assumptions_in_rounds(residuals: Sample, cells: Sequence[Sample], rounds: int) -> tuple[Assumption, ...]:
    """`assumptions_of_residuals`, but for what residuals of so few rounds or groups cannot show."""
    normal, independent, equal = assumptions_of_residuals(residuals, cells)
    if rounds < LEAST_ROUNDS:
        normal = Assumption(normal.name, None, f"{rounds} rounds cannot show the shape of a distribution")
    if len(cells) < LEAST_GROUPS:
        equal = Assumption(equal.name, None, "residuals of 2 groups in rounds are alike in size however they vary")
    return normal, independent, equal


def complete_blocks(samples: Sequence[Sample]) -> CompleteBlocks:
    """Split the variation of values into that between groups, that between rounds, and what is left.

    Args:
        samples: two or more groups of equal length, n >= 2; values with the same index are of the same round.
    Raises:
        InputError: lengths differ.
    Cost: O(n).
    Source: the analysis of randomised complete blocks: Fisher, The Design of Experiments, 1935.
    """
    for index, sample in enumerate(samples):
        if len(sample) != len(samples[0]):
            raise InputError(
                f"cannot analyse rounds: group 0 has {len(samples[0])} values, group {index} has {len(sample)}",
                slug="not-pairs",
                hint="compare them without rounds",
            )
    table = np.vstack(samples)
    apart = table - table[0, 0]  # exact where values are close to each other
    apart -= apart.mean()
    of_groups, of_rounds = apart.mean(axis=1, keepdims=True), apart.mean(axis=0, keepdims=True)
    residuals = apart - of_groups - of_rounds
    groups, rounds = table.shape
    return CompleteBlocks(
        groups=groups,
        rounds=rounds,
        among_groups=rounds * float(np.square(of_groups).sum()),
        among_rounds=groups * float(np.square(of_rounds).sum()),
        left=float(np.square(residuals).sum()),
        residuals=residuals,
        largest=float(np.abs(table).max()),
    )


def check_rounds(equal_variances: bool) -> None:
    """Refuse to compare in rounds what varies unequally.

    Raises:
        UsageError: variances are not taken for equal.
    """
    if not equal_variances:
        raise UsageError(
            "cannot compare groups in rounds with unequal variances: they share one residual variance",
            slug="no-such-analysis",
            hint="blocked=False",
        )
