"""How much of the time a compilation takes, and what compilations are called."""

from sonde.base.units import format_count, format_duration
from sonde.instruments.decisions.experiments import Compilation, Experiment, Fragment
from sonde.instruments.decisions.model import DecisionRun

SIDES = ("A", "B")
"""What the runs of a comparison are called."""


def share_of_run(run: DecisionRun, period: int) -> float | None:
    """A period as a share of the run's whole time; None without a profile."""
    if run.profile is None or run.profile.total <= 0:
        return None
    return period / run.profile.total


def share_text(share: float | None) -> str:
    """A share in percent; `-` for none.

    >>> share_text(0.1234), share_text(None), share_text(0.00001)
    ('12.3%', '-', '<0.1%')
    """
    if share is None:
        return "-"
    if 0 < share < 0.0005:
        return "<0.1%"
    return f"{100.0 * share:.1f}%"


def period_text(run: DecisionRun, period: int) -> str:
    """A time with its unit: `518.3 billion cycles`, `1.23 s`, `1,024 samples`."""
    unit = run.profile.unit if run.profile is not None else "samples"
    if unit == "nanoseconds":
        return format_duration(period)
    for step, word in ((10**9, "billion"), (10**6, "million")):
        if unit == "cycles" and period >= step:
            return f"{period / step:,.2f} {word} {unit}"
    return f"{format_count(period)} {unit if period != 1 else unit[:-1]}"


def total_share(experiment: Experiment, *, only_hot: bool) -> float | None:
    """The share of the run's time in all units, or in the hot ones."""
    units = experiment.run.units
    return share_of_run(
        experiment.run, sum(unit.period for unit in units if not only_hot or unit.number in experiment.hot)
    )


def compilation_name(compilation: Compilation) -> str:
    """The id and the version: `123 C2`, `123#4` for a fragment."""
    version = f" {compilation.version}" if compilation.version else ""
    return f"{compilation.id}{version}"


def unit_number(compilation: Compilation) -> int:
    """The number of the unit whose time it is."""
    return compilation.parent.number if isinstance(compilation, Fragment) else compilation.number
