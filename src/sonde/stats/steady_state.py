"""When iterations have become steady: the coefficient of variation of the last few falls below a threshold."""

from dataclasses import dataclass
from math import inf, sqrt

import numpy.typing as npt

from sonde.base.errors import InputError
from sonde.stats.samples import checked_sample

DEFAULT_WINDOW = 10
"""k of Georges et al.: iterations whose mean is taken."""
DEFAULT_THRESHOLD = 0.01
"""1 %, the smaller of the two that Georges et al. name."""


@dataclass(frozen=True, slots=True)
class SteadyWindow:
    """Consecutive iterations that vary little, or the least of all."""

    start: int
    """Index of its first iteration."""
    stop: int
    """Index behind its last."""
    mean: float
    coefficient_of_variation: float
    """Standard deviation (n - 1) over the mean; infinite where the mean is 0 and the values are not."""
    reached: bool
    """Whether it is below the threshold. If not, this is the window that comes nearest."""


class SteadyRule:
    """Says after which iteration to stop: O(1) for each, whatever the window; no imports but `math.sqrt`.

    A window is a queue of two stacks, each with running (count, mean, sum of squared deviations), which are only ever
    merged, never taken apart: subtracting what leaves the window would lose all digits after one very slow iteration.

    Guarantee: the coefficient of variation agrees with the one computed afresh to 1e-12 relative, up to rounding of
        the values themselves.
    Cost: O(1) amortised time for each value, O(window) space.
    Source: the rule: Georges, Buytaert, Eeckhout, OOPSLA 2007. Merging of moments: Chan, Golub, LeVeque, The
        American Statistician 37(3), 1983.

    >>> rule = SteadyRule(window=3, threshold=0.02)
    >>> [rule.add(value) for value in (9.0, 5.0, 5.1, 5.0, 5.0)]
    [False, False, False, True, True]
    """

    def __init__(self, window: int = DEFAULT_WINDOW, threshold: float = DEFAULT_THRESHOLD) -> None:
        self.window = window
        self.threshold = threshold
        self.mean = 0.0
        """Of the last `window` values."""
        self.cov = inf
        """Their coefficient of variation; infinite until there are as many."""
        self._front: list[tuple[int, float, float]] = []  # oldest on top; each with all that lie below it
        self._back: list[float] = []
        self._back_moments = (0, 0.0, 0.0)

    def add(self, value: float) -> bool:
        """Whether the last `window` values, this one included, vary by less than the threshold."""
        if len(self._front) + len(self._back) == self.window:
            if not self._front:
                moments = (0, 0.0, 0.0)
                for older in reversed(self._back):
                    moments = self._merged(moments, (1, older, 0.0))
                    self._front.append(moments)
                self._back, self._back_moments = [], (0, 0.0, 0.0)
            self._front.pop()
        self._back.append(value)
        self._back_moments = self._merged(self._back_moments, (1, value, 0.0))
        count, self.mean, squares = self._merged(self._front[-1] if self._front else (0, 0.0, 0.0), self._back_moments)
        if count < self.window:
            return False
        deviation = sqrt(squares / (count - 1))
        self.cov = deviation / abs(self.mean) if self.mean else (inf if deviation else 0.0)
        return self.cov < self.threshold

    @staticmethod
    def _merged(first: tuple[int, float, float], second: tuple[int, float, float]) -> tuple[int, float, float]:
        count = first[0] + second[0]
        if not first[0] or not second[0]:
            return first if first[0] else second
        apart = second[1] - first[1]
        share = second[0] / count
        return count, first[1] + apart * share, first[2] + second[2] + apart * apart * first[0] * share


def steady_window(
    values: npt.ArrayLike, window: int = DEFAULT_WINDOW, threshold: float = DEFAULT_THRESHOLD
) -> SteadyWindow | None:
    """The first `window` consecutive iterations whose coefficient of variation is below the threshold.

    Args:
        values: of one invocation, in the order of its iterations.
        window: how many iterations; 2 or more.
        threshold: a share of the mean, such as 0.01.
    Returns:
        None where there are fewer values than `window`. Where no window is steady, the one that varies least.
    Raises:
        InputError: a value is not finite, or window or threshold make no sense.
    Guarantee: agrees with computing every window afresh.
    Cost: O(n).
    Source: Georges, Buytaert, Eeckhout, Statistically Rigorous Java Performance Evaluation, OOPSLA 2007.
    Differs: none is below the threshold: they take the window that varies least; here it is marked as not reached.

    >>> steady_window([9.0, 5.0, 5.1, 5.0, 5.0], window=3, threshold=0.02)
    SteadyWindow(start=1, stop=4, mean=5.033..., coefficient_of_variation=0.0114..., reached=True)
    """
    check_rule(window, threshold)
    sample = checked_sample(values, minimum=0)
    rule, best = SteadyRule(window, threshold), None
    for stop, value in enumerate(sample.tolist(), 1):
        reached = rule.add(value)
        if stop >= window and (best is None or rule.cov < best.coefficient_of_variation):
            best = SteadyWindow(stop - window, stop, rule.mean, rule.cov, reached)
        if reached:
            break
    return best


def check_rule(window: int, threshold: float) -> None:
    """Raise InputError where no values can ever be steady, or all are."""
    if window < 2:
        raise InputError(
            f"cannot tell steadiness from '{window}' iterations: two are needed to vary",
            slug="bad-steady-rule",
            hint=f"a window of {DEFAULT_WINDOW}",
        )
    if not 0.0 < threshold < inf:
        raise InputError(
            f"cannot tell steadiness by a threshold of '{threshold}': it is a share of the mean above 0",
            slug="bad-steady-rule",
            hint=f"a threshold of {DEFAULT_THRESHOLD}",
        )
