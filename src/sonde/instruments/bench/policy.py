"""How measurements are judged: level, margins, metric, and what counts as steady."""

from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import UsageError
from sonde.instruments.bench.directions import Direction

SteadyBy = Literal["change-points", "cov", "recorded", "all"]


@dataclass(frozen=True, slots=True)
class Policy:
    """The choices that a judgement depends on, all of them printed with it.

    >>> Policy().level
    0.95
    """

    level: float = 0.95
    """Confidence of intervals; 1 - level is the rate of false alarms."""
    tolerance: float = 0.0
    """Share by which something may get worse without being called a regression."""
    equivalent: float = 0.01
    """Share up to which a difference does not matter: the margin of the verdict `same`."""
    metric: str = ""
    """What to judge: a metric's name; empty for that of the series."""
    better: Direction | None = None
    """Which way is better, whatever the unit says; None: as each metric has it."""
    steady_by: SteadyBy = "change-points"
    """Which iterations count: from the last change point on; from where the coefficient of variation first falls
    below the threshold; from where the measuring tool's own warm-up ended; or all of them."""
    window: int = 10
    """Iterations over which the coefficient of variation is taken."""
    threshold: float = 0.01
    """The coefficient of variation from which iterations are steady."""
    assume_independent: bool = False
    """Take values for independent of those before them, also where the measuring tool does not say which process they
    come from: nothing is allowed for then, and few that did not take turns are compared."""

    def __post_init__(self) -> None:
        for name, low, high in (("level", 0.5, 1.0), ("tolerance", 0.0, 10.0), ("equivalent", 0.0, 10.0)):
            value = getattr(self, name)
            if not (low <= value < high):
                raise UsageError(
                    f"cannot judge with {name} {value:g}: it is not in [{low:g}, {high:g})",
                    slug="bad-policy",
                    hint=f"--{name} 5%" if name != "level" else "--level 95%",
                )

    @property
    def alpha(self) -> float:
        """The rate of false alarms that is accepted."""
        return 1.0 - self.level
