"""Where a continuous function of one number crosses zero."""

from collections.abc import Callable

from sonde.base.errors import InternalError

LARGEST_NUMBER_OF_STEPS = 200
"""Bisection alone halves any interval of doubles to nothing in about as many steps as a double has bits, twice."""


def find_root(function: Callable[[float], float], low: float, high: float, *, relative: float = 1e-14) -> float:
    """A place between two others where the function is zero.

    Args:
        function: continuous; its values at `low` and `high` have different signs, or one of them is zero.
        low: one end.
        high: the other end.
        relative: how near to the place to come, as a share of it.
    Raises:
        InternalError: the signs at both ends are the same, or a value is not a number.
    Guarantee: the place is bracketed at every step, so it is found whatever the function's shape.
    Cost: usually 6 to 10 calls of the function; never more than 200.
    Source: Chandrupatla, Advances in Engineering Software 28, 1997.

    >>> round(find_root(lambda x: x * x - 2.0, 0.0, 2.0), 12)
    1.414213562373
    """
    a, b, fa, fb = low, high, function(low), function(high)
    if fa == 0.0:
        return a
    if fb == 0.0:
        return b
    if not fa * fb < 0.0:
        raise InternalError(
            f"cannot find a root between {low!r} and {high!r}: the values there are {fa!r} and {fb!r}", slug="bug"
        )
    share = 0.5
    for _ in range(LARGEST_NUMBER_OF_STEPS):
        x = a + share * (b - a)
        fx = function(x)
        # The last two places become a and c; b stays on the other side of the root.
        if (fx > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best = a if abs(fa) < abs(fb) else b
        tolerance = relative * abs(best) + 1e-300
        width = abs(b - c)
        if fa == 0.0 or abs(b - a) <= 2.0 * tolerance:
            return best
        share = _next_share(a, b, c, fa, fb, fc)
        least = tolerance / abs(b - a) if width else 0.5
        share = min(max(share, least), 1.0 - least)
    return best


def _next_share(a: float, b: float, c: float, fa: float, fb: float, fc: float) -> float:
    """Inverse quadratic interpolation where the three places make it safe, else the middle (section 3)."""
    if fc in (fa, fb):
        return 0.5
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if not (phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi):
        return 0.5
    return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
