"""One experiment of profdiff's, as it is introduced to the reader."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.profdiff.java_text import quotient, two_places
from sonde.instruments.decisions.profdiff.lines import Line

_TOP = 10
"""Lines of the table of what takes most time."""
_BILLION = 1e9


@dataclass(frozen=True, slots=True)
class Side:
    """An experiment, and what it is known to be without a profile."""

    experiment: Experiment
    compilation: Literal["JIT", "AOT"] | None

    @property
    def is_profiled(self) -> bool:
        """Whether its times are known."""
        return self.experiment.run.profile is not None


def summary_lines(side: Side) -> Iterator[Line]:
    """How much was compiled, where the time went, and what took most of it."""
    experiment, run = side.experiment, side.experiment.run
    execution = "" if run.profile is None or run.execution_id is None else f" with execution ID {run.execution_id}"
    kind = "" if side.compilation is None else f" ({side.compilation})"
    yield 0, f"Experiment {experiment.number}{execution}{kind}"
    yield 1, f"Collected optimization logs for {len(run.units)} compilation units"
    profile = run.profile
    if profile is None:
        return
    hot = [unit for unit in run.units if experiment.is_hot(unit)]
    hot_period = sum(unit.period for unit in hot)
    compiled, of_hot = (
        two_places(quotient(period, profile.total) * 100) for period in (run.compiled_period, hot_period)
    )
    yield 1, f"Collected proftool data for {len(profile.entries)} compilation units"
    yield 1, f"Graal-compiled methods account for {compiled}% of execution"
    yield 1, f"{len(hot)} hot compilation units account for {of_hot}% of execution"
    yield 1, f"{two_places(profile.total / _BILLION)} billion cycles total"
    yield 1, "Top methods"
    yield 2, "Execution     Cycles  Level      ID  Method"
    for entry in sorted(profile.entries, key=lambda entry: -entry.period)[:_TOP]:
        execution_share = two_places(quotient(entry.period, profile.total) * 100, 8)
        cycles = two_places(entry.period / _BILLION, 10)
        level = "" if entry.level is None else str(entry.level)
        yield 2, f"{execution_share}% {cycles} {level:>6} {entry.id or '':>7}  {entry.name}"
