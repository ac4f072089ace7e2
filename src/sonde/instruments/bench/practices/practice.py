"""The practices: what they report, and when they claim a difference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.instruments.bench.practices.repetitions import Array, Repetitions
from sonde.stats import student_quantile


@dataclass(frozen=True, slots=True)
class Practice:
    """A way in which measurements are commonly judged.

    >>> [practice.name for practice in PRACTICES][:3]
    ['best', 'second best', 'worst']
    """

    name: str
    about: str
    """What is reported, and when a difference is claimed."""
    iterations: bool
    """Whether it makes sense only where an invocation has several iterations."""
    report: "Callable[[Repetitions], Array]"
    """(repetitions,) the number that is reported of each repetition of the experiment."""
    differs: "Callable[[Repetitions, Repetitions, float], npt.NDArray[np.bool_]] | None" = None
    """Whether it claims a difference, of each repetition, at a level; None where the numbers are just looked at."""


def _mean_of_all(runs: Repetitions) -> Array:
    return np.asarray(runs.total.sum(axis=1) / runs.size.sum(axis=1))


def _second_best(runs: Repetitions) -> Array:
    both = np.concatenate((runs.least, runs.second_least), axis=1)
    second = np.partition(both, 1, axis=1)[:, 1]
    return np.where(np.isfinite(second), second, runs.least[:, 0])


def _bars_apart(first: Repetitions, second: Repetitions, _: float) -> npt.NDArray[np.bool_]:
    """Whether mean plus and minus standard deviation of the invocations do not overlap."""
    ends = []
    for runs in (first, second):
        mean = runs.means.mean(axis=1)
        deviation = runs.means.std(axis=1, ddof=1) if runs.count > 1 else np.zeros(len(mean))
        ends.append((mean - deviation, mean + deviation))
    (low, high), (other_low, other_high) = ends
    return np.asarray((high < other_low) | (other_high < low))


def _one_invocation_differs(first: Repetitions, second: Repetitions, level: float) -> npt.NDArray[np.bool_]:
    """Whether a t test on the iterations of one invocation of each is significant."""
    return _test_differs(
        *((runs.total[:, 0], runs.size[:, 0], runs.squares[:, 0]) for runs in (first, second)), level=level
    )


def _pooled_differs(first: Repetitions, second: Repetitions, level: float) -> npt.NDArray[np.bool_]:
    """Whether a t test on all iterations, as if each were independent, is significant."""
    return _test_differs(*(_pooled(runs) for runs in (first, second)), level=level)


def _pooled(runs: Repetitions) -> tuple[Array, Array, Array]:
    """Sum, number, and squares around the mean of all values together."""
    total, size = runs.total.sum(axis=1), runs.size.sum(axis=1)
    between = (runs.size * (runs.means - (total / size)[:, np.newaxis]) ** 2).sum(axis=1)
    return total, size, runs.squares.sum(axis=1) + between


def _test_differs(
    first: tuple[Array, Array, Array], second: tuple[Array, Array, Array], *, level: float
) -> npt.NDArray[np.bool_]:
    """Student's t test, two-sided, with equal variances, as tools do it; no difference where nothing varies."""
    (total, size, squares), (other_total, other_size, other_squares) = first, second
    degrees = size + other_size - 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (squares + other_squares) / degrees
        statistic = np.abs(total / size - other_total / other_size) / np.sqrt(
            variance * (1.0 / size + 1.0 / other_size)
        )
    usable = np.isfinite(statistic) & (degrees > 0)
    critical = np.full(len(degrees), np.inf)
    for each in np.unique(degrees[usable]):
        critical[degrees == each] = student_quantile((1.0 + level) / 2.0, float(each))
    return usable & (statistic > critical)


PRACTICES: tuple[Practice, ...] = (
    Practice("best", "the best value of all", False, lambda runs: runs.least.min(axis=1)),
    Practice("second best", "the second best value of all", False, _second_best),
    Practice("worst", "the worst value of all", False, lambda runs: runs.greatest.max(axis=1)),
    Practice("one run", "the first value of the first invocation", False, lambda runs: runs.first[:, 0]),
    Practice(
        "mean of 3", "the mean of the first three invocations", False, lambda runs: runs.means[:, :3].mean(axis=1)
    ),
    Practice("mean", "the mean of all values, no interval", False, _mean_of_all),
    Practice("median", "the median of the invocations", False, lambda runs: np.median(runs.middle, axis=1)),
    Practice("first iteration", "the mean of the first iterations", True, lambda runs: runs.first.mean(axis=1)),
    Practice("last iteration", "the mean of the last iterations", True, lambda runs: runs.last.mean(axis=1)),
    Practice("best iteration", "the mean of each invocation's best", True, lambda runs: runs.least.mean(axis=1)),
    Practice("one invocation", "the mean of the first invocation", True, lambda runs: runs.means[:, 0]),
    Practice(
        "error bars",
        "means, if mean ± standard deviation do not overlap",
        False,
        lambda runs: runs.means.mean(axis=1),
        _bars_apart,
    ),
    Practice(
        "t test, one process",
        "the mean of the first invocation, if its iterations pass a t test",
        True,
        lambda runs: runs.means[:, 0],
        _one_invocation_differs,
    ),
    Practice(
        "t test, all values",
        "means, if all iterations, as if independent, pass a t test",
        True,
        _mean_of_all,
        _pooled_differs,
    ),
)
"""In the order in which they are told."""


def fitting(*sides: Repetitions) -> Sequence[Practice]:
    """The practices that make sense for these data."""
    iterations = all((runs.size > 1).any() for runs in sides)
    return [practice for practice in PRACTICES if iterations or not practice.iterations]
