"""How measurements are judged: level, margins, metric, and what counts as steady; also as options of command lines."""

from dataclasses import dataclass
from typing import Annotated, Literal

from sonde.base.errors import UsageError
from sonde.instruments.bench.directions import Direction
from sonde.options.declared import Option
from sonde.options.numbers import share, two_or_more

SteadyBy = Literal["change-points", "cov", "recorded", "all"]


def _share(words: str) -> Option:
    return Option(words, parse=share, metavar="SHARE", show=lambda value: f"{100.0 * value:g}%")


@dataclass(frozen=True, slots=True)
class Policy:
    """The choices that a judgement depends on, all of them printed with it.

    >>> Policy().level
    0.95
    """

    level: Annotated[float, _share("confidence of intervals")] = 0.95
    """Confidence of intervals; 1 - level is the rate of false alarms."""
    tolerance: Annotated[float, _share("getting worse by up to this is no regression")] = 0.0
    """Share by which something may get worse without being called a regression."""
    equivalent: Annotated[float, _share("differences up to this do not matter: the margin of 'no difference'")] = 0.01
    """Share up to which a difference does not matter: the margin of the verdict `same`."""
    metric: Annotated[
        str,
        Option(
            "judge by wall, cpu (user and system), peak-memory or a counter (default: what each benchmark measures)",
            metavar="NAME",
        ),
    ] = ""
    """What to judge: a metric's name; empty for that of the series."""
    better: Annotated[
        Direction | None,
        Option(
            "which way is better (default: by the unit: more of what is per second, less of all else)",
            parse=str,
            choices=("lower", "higher"),
        ),
    ] = None
    """Which way is better, whatever the unit says; None: as each metric has it."""
    steady_by: Annotated[
        SteadyBy,
        Option(
            "which iterations of an invocation count: after the last change point, from a coefficient of variation"
            " below --threshold on, after the warm-up that the measuring tool recorded, all",
            choices=("change-points", "cov", "recorded", "all"),
        ),
    ] = "change-points"
    """Which iterations count: from the last change point on; from where the coefficient of variation first falls
    below the threshold; from where the measuring tool's own warm-up ended; or all of them."""
    window: Annotated[int, Option("iterations that cov looks at", parse=two_or_more, metavar="N")] = 10
    """Iterations over which the coefficient of variation is taken."""
    threshold: Annotated[float, _share("coefficient of variation from which cov calls them steady")] = 0.01
    """The coefficient of variation from which iterations are steady."""
    assume_independent: Annotated[
        bool,
        Option(
            "values do not depend on those before them: compare fewer than 20 that did not take turns, and take each"
            " for a process of its own where a file does not say which come from which"
        ),
    ] = False
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
