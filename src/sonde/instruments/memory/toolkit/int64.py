"""Arithmetic of the tool language, slowly: Python's, in 64 bits, with the faults that the compiled code has.

The twin of the inline functions in native/core/advice/advice_runtime.h. Values are int, bool and float.
"""

from math import isfinite

BITS = 64
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1


class Fault(Exception):
    """What ends all advice of a run. `str()` of it is its name in result lines."""


def wrapped(value: object) -> object:
    """An int of more than 64 bits without its upper bits; all else as it is."""
    if type(value) is not int or LOWEST <= value <= HIGHEST:
        return value
    return ((value - LOWEST) & ((1 << BITS) - 1)) + LOWEST


def divided(left: float, right: float) -> float:
    """`left / right`: both are made floats first."""
    if right == 0:
        raise Fault("division-by-zero")
    left, right = float(left), float(right)
    return left / right


def floor_divided(left: int, right: int) -> object:
    if right == 0:
        raise Fault("division-by-zero")
    return wrapped(left // right)


def remainder(left: int, right: int) -> int:
    if right == 0:
        raise Fault("division-by-zero")
    return left % right


def shifted_left(value: int, by: int) -> object:
    if by < 0:
        raise Fault("negative-shift")
    return wrapped(value << by) if by < BITS else 0


def shifted_right(value: int, by: int) -> int:
    if by < 0:
        raise Fault("negative-shift")
    return value >> by


def whole(value: float) -> int:
    """`int(value)`, towards 0."""
    if isinstance(value, float) and not (isfinite(value) and LOWEST <= int(value) <= HIGHEST):
        raise Fault("no-such-integer")
    return int(value)


def counted(*bounds: int) -> range:
    """`range(...)`."""
    if len(bounds) == 3 and bounds[2] == 0:
        raise Fault("range-without-step")
    return range(*bounds)
