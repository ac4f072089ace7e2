"""The studentized range: how far apart the largest and the smallest of several means lie by chance."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

from sonde.base.errors import InputError
from sonde.stats.distributions import student_quantile
from sonde.stats.root_finding import find_root

Vector = npt.NDArray[np.float64]

INNER_NODES = 96
"""Of the integral over a standard normal; its features are about 1 wide."""
OUTER_NODES = 160
"""Of the integral over the standard deviation."""
REACH = 9.0
"""Standard normals beyond this have probability 1e-19."""
NEGLIGIBLE_RANGE = 76.0
"""A range of normals that is exceeded with a probability below the smallest double."""


def tail(values: npt.ArrayLike, groups: int, degrees_of_freedom: float) -> Vector:
    """The probability that the studentized range of `groups` normal means exceeds each of the values.

    Args:
        values: (n,) ranges, in standard errors; negative ones are exceeded for certain.
        groups: number of means, >= 2.
        degrees_of_freedom: of the standard deviation, >= 1, not necessarily whole; infinite where it is known.
    Returns:
        (n,) float64 probabilities.
    Raises:
        InputError: fewer than two groups, or less than one degree of freedom.
    Guarantee: relative error below 1e-9 for up to 1000 groups, far into the tail: nothing is subtracted from 1.
    Cost: 15,000 evaluations of the normal distribution per value, some 0.5 ms. (SciPy's studentized_range takes 4 to
        20 times as long, and its package about a second to load.)
    Source: the double integral of Tukey's studentized range as in Copenhaver and Holland, Journal of Statistical
        Computation and Simulation 30, 1988; here by Gauss-Legendre quadrature over the complement.
    Differs: the inner integral is written for the tail, with log1p and expm1, so that small p-values are exact; the
        outer one is over the fourth root of the standard deviation, which makes it smooth at 0 for any degrees of
        freedom from 1 on.

    >>> round(float(tail([3.578], 3, 20.0)[0]), 4)
    0.05
    """
    _check(groups, degrees_of_freedom)
    given = np.atleast_1d(np.asarray(values, dtype=np.float64))
    return np.array([_tail(float(value), groups, float(degrees_of_freedom)) for value in given])


def quantile(probability: float, groups: int, degrees_of_freedom: float) -> float:
    """The value that the studentized range of `groups` normal means falls below with this probability.

    Args:
        probability: in (0, 1), such as 0.95.
        groups: number of means, >= 2.
        degrees_of_freedom: as for `tail`.
    Raises:
        InputError: the probability is not in (0, 1), or as `tail`.
    Cost: about six evaluations of `tail`; the last 256 quantiles are kept.

    >>> round(quantile(0.95, 3, 20.0), 3)
    3.578
    """
    _check(groups, degrees_of_freedom)
    if not 0.0 < probability < 1.0:
        raise InputError(
            f"cannot find the studentized range for probability '{probability}': it must lie between 0 and 1",
            slug="bad-level",
        )
    return _quantile(float(probability), groups, float(degrees_of_freedom))


@lru_cache(maxsize=256)
def _quantile(probability: float, groups: int, degrees_of_freedom: float) -> float:
    wanted = 1.0 - probability
    # The range is at least that of any two of the means, and each two may take their share of the error (Bonferroni).
    # Lower quantiles, mirrored: 1 less a small share of `wanted` may be 1.
    low = -float(np.sqrt(2.0)) * student_quantile(wanted / 2.0, degrees_of_freedom)
    if groups == 2:
        return low
    high = -float(np.sqrt(2.0)) * student_quantile(wanted / (groups * (groups - 1.0)), degrees_of_freedom)
    # Rounding may put a bound on the wrong side; logarithms of tails are nearly straight lines.
    return find_root(
        lambda value: float(np.log(_tail(value, groups, degrees_of_freedom) / wanted)),
        low * (1.0 - 1e-9),
        high * (1.0 + 1e-9),
        relative=1e-13,
    )


def _check(groups: int, degrees_of_freedom: float) -> None:
    if groups < 2:
        raise InputError(f"cannot compare {groups} means with each other: there must be at least 2", slug="no-values")
    if not degrees_of_freedom >= 1.0:
        raise InputError(
            f"cannot use a standard deviation with '{degrees_of_freedom}' degrees of freedom: at least 1 is needed",
            slug="no-values",
        )


def _tail(value: float, groups: int, degrees_of_freedom: float) -> float:
    if not value > 0.0:
        return 1.0
    if np.isinf(degrees_of_freedom):
        return float(_range_tail(np.array([value]), groups)[0])
    low, high = _bounds(value, degrees_of_freedom)
    nodes, weights = _legendre(OUTER_NODES)
    # s = u ** 4, so ds = 4 u ** 3 du.
    from_root, to_root = low**0.25, high**0.25
    roots = from_root + (to_root - from_root) * nodes
    deviations = roots**4
    mass = weights * (to_root - from_root) * 4.0 * roots**3 * _density(deviations, degrees_of_freedom)
    return min(1.0, float(np.dot(mass, _range_tail(value * deviations, groups))))


def _density(deviations: Vector, degrees_of_freedom: float) -> Vector:
    """Of an estimated standard deviation whose true value is 1: 2 h ** h s ** (2 h - 1) exp(-h s^2) / Gamma(h).

    h is half the degrees of freedom. Where it is large, the factors are huge and all but cancel: then Stirling's
    series, and the distance from the peak.
    """
    half = degrees_of_freedom / 2.0
    if half < 50.0:
        log_density = (
            np.log(2.0)
            + half * np.log(half)
            - special.gammaln(half)
            + (degrees_of_freedom - 1.0) * np.log(deviations)
            - half * deviations**2
        )
    else:
        series = 1.0 / (12.0 * half) - 1.0 / (360.0 * half**3) + 1.0 / (1260.0 * half**5)
        peak = np.log(2.0) + 0.5 * np.log(half / (2.0 * np.pi)) - series
        # Far below the peak the density is 0 anyway; there log1p would see -1.
        beyond = np.maximum((deviations - 1.0) * (deviations + 1.0), -1.0 + 1e-12)
        log_density = peak + half * (np.log1p(beyond) - beyond) - np.log(np.maximum(deviations, 1e-6))
    return np.asarray(np.exp(log_density))


def _bounds(value: float, degrees_of_freedom: float) -> tuple[float, float]:
    """Between which standard deviations (true one: 1) all that matters of the outer integral lies.

    The density of s is s ** (v - 1) exp(-v s^2 / 2), and the range beyond `value * s` has a tail that falls like
    exp(-(value s)^2 / 4) once it is beyond 12 or so: so what matters is shaped like the density with v + value^2 / 2
    in place of v, on the scale sqrt(v / (v + value^2 / 2)). In units of that scale squared, the density is below
    exp(-45) of its greatest value where x = r^2 - 1 is beyond sqrt(180 / v) + 110 / v, or below -sqrt(180 / v).
    """
    spread = np.sqrt(180.0 / degrees_of_freedom)
    reach = np.sqrt(1.0 + spread + 110.0 / degrees_of_freedom)
    scale = np.sqrt(degrees_of_freedom / (degrees_of_freedom + value * value / 2.0))
    high = min(reach, scale * reach + 12.0 / value)
    low = scale * np.sqrt(max(0.0, 1.0 - spread))
    return float(low), float(high)


def _range_tail(ranges: Vector, groups: int) -> Vector:
    """The probability that the range of `groups` standard normals exceeds each of `ranges`.

    With F the normal distribution, P(range <= w) = k * integral of f(z) (F(z) - F(z - w)) ** (k - 1) dz, z being the
    largest of them; and k * integral of f(z) F(z) ** (k - 1) dz = 1.
    """
    nodes, weights = _legendre(INNER_NODES)
    # The largest of many normals is seldom small: below `bottom`, F ** (k - 1) is less than 1e-18.
    bottom = max(-REACH, float(special.ndtri(np.exp(-41.0 / (groups - 1)))))
    top = np.maximum(REACH, np.minimum(ranges, NEGLIGIBLE_RANGE) / 2.0 + REACH)[:, None]
    z = bottom + (top - bottom) * nodes[None, :]
    below = special.ndtr(z)
    share = special.ndtr(z - ranges[:, None]) / below
    with np.errstate(divide="ignore"):  # a range of 0: all of it is beyond
        missing = -np.expm1((groups - 1) * np.log1p(-np.minimum(share, 1.0)))
    density = np.exp(-0.5 * z * z) * below ** (groups - 1) * (groups / np.sqrt(2.0 * np.pi))
    return np.asarray(np.dot(density * missing, weights) * (top[:, 0] - bottom))


@lru_cache(maxsize=4)
def _legendre(count: int) -> tuple[Vector, Vector]:
    """Nodes and weights of Gauss and Legendre on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1.0) / 2.0, weights / 2.0
