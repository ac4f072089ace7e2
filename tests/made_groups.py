"""Groups of runs with a known truth: functions whose means are set, under noise of a known shape."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sonde.code import Function
from sonde.groups import GroupFigures, Measure, RunFigures

TIME = Measure("self time", "duration", "faster", "slower", depends_on_machine=True)
CALLS = Measure("calls", "count")


def function(name: str) -> Function:
    """A function of `app.py`."""
    return Function(name, "app", "/srv/app.py", 1)


def group(
    measure: Measure, values: Mapping[str, Sequence[float]], *, started: Sequence[str] = (), above: float = 0.0
) -> GroupFigures:
    """A group from what each function took in each run; functions that took None are missing there."""
    runs = []
    for number in range(len(next(iter(values.values())))):
        there = {name: each[number] for name, each in values.items() if each[number] >= 0}
        total = float(sum(there.values())) + above
        start = started[number] if started else ""
        runs.append(RunFigures(tuple(map(function, there)), tuple(there.values()), total, start, above))
    return GroupFigures(measure, tuple(runs))


def in_turns(runs: int) -> tuple[list[str], list[str]]:
    """When the runs of two sides started that took turns."""
    times = [f"2026-01-01T10:{number:02}:00" for number in range(2 * runs)]
    return times[::2], times[1::2]


def simulated(
    seed: int, means: npt.NDArray[np.float64], ratios: npt.NDArray[np.float64], runs: int, *, paired: bool
) -> tuple[GroupFigures, GroupFigures]:
    """Two groups whose true ratios are known. Noise is skewed, 5 % by function; what disturbs a round disturbs all.

    Args:
        means: (n_functions,) of the first side.
        ratios: (n_functions,) second to first.
    """
    random = np.random.default_rng(seed)
    sides = []
    rounds = np.exp(0.1 * random.standard_normal(runs)) if paired else np.ones(runs)
    starts = in_turns(runs) if paired else ((), ())
    for each, start in zip((means, means * ratios), starts, strict=True):
        noise = np.exp(0.05 * random.standard_normal((len(means), runs)))
        values = {f"f{i}": row.tolist() for i, row in enumerate(each[:, None] * noise * rounds)}
        sides.append(group(TIME, values, started=start))
    return sides[0], sides[1]
