"""From what was seen in bursts to the whole run, with how far that may be off."""

from array import array
from collections.abc import Sequence
from math import sqrt


def scaled(
    values: Sequence[int], squares: Sequence[float], *, bursts: int, fraction: float
) -> tuple["array[int]", "array[int]"]:
    """Estimate totals over the whole run, and their standard errors.

    The run is taken as W = `bursts` / `fraction` windows as long as a burst, of which k = `bursts` were
    looked at. With x the sum and q the sum of squares of what the k windows brought to a context:

    ```
        estimate         x / fraction
        s^2              (q - x^2 / k) / (k - 1)               variance between windows
        standard error   W * sqrt(s^2 / k) * sqrt(1 - k / W)
    ```

    Args:
        values: (n_contexts,) int64, calls or nanoseconds that the bursts brought.
        squares: (n_contexts,) float64, sums over the bursts of the squares of that.
        bursts: windows looked at, those that brought nothing among them.
        fraction: share of the run that was looked at, in (0, 1].
    Returns:
        Estimates and standard errors: (n_contexts,) int64 each, rounded; errors upwards.
    Raises:
        ValueError: nothing was looked at, or more than the run.
    Guarantee: over all choices of k windows, estimates are right on average, and so is the square of the
        standard error; errors are 0 if fraction is 1. With one window the error is the estimate itself.
    Cost: O(n_contexts).
    Source: the expansion estimator and its variance under simple random sampling of clusters without
        replacement, as in any textbook on survey sampling.
    Differs: bursts come at equal distances and not at random. The error is right as far as the program does
        not keep time with them; one that does (its period a multiple of the interval, or the interval of its
        period) may be further off.

    >>> estimate, error = scaled([30], [310.0], bursts=3, fraction=0.1)
    >>> list(estimate), list(error)
    ([300], [37])
    """
    if bursts < 1 or not 0 < fraction <= 1:
        raise ValueError(f"{bursts} bursts cannot be {fraction} of a run")
    windows = bursts / fraction
    estimates = array("q", (round(value / fraction) for value in values))
    if bursts == 1:
        unknown = array("q", bytes(8 * len(values))) if fraction == 1 else estimates[:]
        return estimates, unknown
    factor = windows * sqrt(max(0.0, 1 - fraction) / bursts)
    variances = (
        max(0.0, (square - value * value / bursts) / (bursts - 1))
        for value, square in zip(values, squares, strict=True)
    )
    return estimates, array("q", (_ceil(factor * sqrt(variance)) for variance in variances))


def _ceil(value: float) -> int:
    return int(value) + (value > int(value))
