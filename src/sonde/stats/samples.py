"""Samples that procedures can be asked about: finite numbers in a row, and levels of confidence."""

import numpy as np
import numpy.typing as npt

from sonde.base.errors import InputError

Sample = npt.NDArray[np.float64]
"""(n,) finite values of one quantity, in the order in which they were measured."""

LARGEST = 1e150
"""Values beyond it have squares whose sum is not finite any more; no variance can be computed."""


def checked_sample(values: npt.ArrayLike, minimum: int = 1) -> Sample:
    """The values as an array of float64; the same array where it is one already.

    Args:
        values: a row of numbers.
        minimum: how many values the procedure needs to say anything at all.
    Returns:
        (n,) float64, n >= minimum, all finite. Not a copy where none is needed: do not write to it.
    Raises:
        InputError: there are fewer than `minimum`, one is not finite, or they are not a row of numbers.

    >>> checked_sample([1, 2.5])
    array([1. , 2.5])
    """
    try:
        sample = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"cannot use {_quoted(values)} as a sample: {error}", slug="not-a-sample") from None
    if sample.ndim != 1:
        raise InputError(
            f"cannot use an array of shape {sample.shape} as a sample: a sample is one row of numbers",
            slug="not-a-sample",
        )
    if len(sample) < minimum:
        raise InputError(
            f"cannot use a sample of {_count(len(sample))}: at least {_count(minimum)} must be there",
            slug="no-values",
        )
    usable = np.abs(sample) <= LARGEST
    if not usable.all():
        index = int(np.argmin(usable))
        raise InputError(
            f"cannot use value {index} of {len(sample)}, '{sample[index]:g}': it is not a finite number"
            + (", nor is its square" if np.isfinite(sample[index]) else ""),
            slug="not-finite",
        )
    return sample


def checked_level(level: float) -> float:
    """The level of confidence, which lies between 0 and 1.

    Raises:
        InputError: it does not.

    >>> checked_level(0.95)
    0.95
    """
    if not 0.0 < level < 1.0:
        raise InputError(
            f"cannot state an interval with level '{level}': it must lie between 0 and 1",
            slug="bad-level",
            hint="0.95",
        )
    return float(level)


def is_constant(sample: Sample) -> bool:
    """Whether all values are the same. (Their variance, as computed, need not be 0 then: means are rounded.)

    >>> is_constant(np.array([0.1, 0.1, 0.1]))
    True
    """
    return bool(np.maximum.reduce(sample) == np.minimum.reduce(sample))


def _count(number: int) -> str:
    return f"{number} value" if number == 1 else f"{number} values"


def _quoted(values: object) -> str:
    text = repr(values)
    return f"'{text}'" if len(text) <= 40 else f"'{text[:37]}...'"
