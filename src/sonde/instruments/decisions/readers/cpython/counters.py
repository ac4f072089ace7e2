"""What the counters in the inline caches say: how often specialising failed, and how often a guard did.

Facts, from CPython's `pycore_code.h` and `pycore_backoff.h` and from watching interpreters:

- 3.11: a function is made ready ("quickened") when it has been called, or has looped, eight times; then `X` becomes
  `X_ADAPTIVE` with counter 0; BINARY_OP stays as it is where it is not `+`, `-` or `*`. A failed attempt raises the
  exponent in the low four bits by one, and the next attempt comes after 2^exponent - 1 runs. A specialised instruction
  counts down from 53 at each failed guard; below zero it is adaptive again, with exponent 5.
- 3.12 and later: an instruction that has not run has 1 above an exponent of 1; a failed attempt raises the exponent (12
  at most); specialised it counts down from 52 above an exponent of 0, and tries anew at zero.
"""

from dataclasses import dataclass
from enum import StrEnum

_EXPONENT = 0b1111
_MOST = 12
"""The exponent grows no further."""
_MISSES_311 = 53
_EXPONENT_AFTER_MISSES_311 = 5
_MISSES = 52
_FIRST_EXPONENT = 1


class Stage(StrEnum):
    """How far the interpreter came with an instruction."""

    COLD = "cold"
    """It never tried: the instruction has not run often enough."""
    SPECIALISED = "specialised"
    FAILED = "failed"
    """It tried, and the instruction is in its general form."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of an instruction."""

    stage: Stage
    failures: int = 0
    """Attempts that failed since it was last specialised, at least; 12 means 12 or more."""
    misses: int = 0
    """Failed guards since it was last specialised; of the specialised only."""


def standing(minor: int, form: str, is_specialised: bool, counter: int, was_specialised: bool) -> Standing:
    """Understand a counter.

    Args:
        minor: of Python's version, 11 or more.
        form: what stands in the instruction now.
        was_specialised: an earlier snapshot saw it specialised.

    >>> standing(12, "BINARY_OP_ADD_INT", True, 832, False).misses
    0
    >>> standing(12, "BINARY_OP", False, 4 | 15 << 4, False).failures
    3
    """
    exponent = counter & _EXPONENT
    if minor == 11:
        if is_specialised:
            return Standing(Stage.SPECIALISED, misses=max(0, _MISSES_311 - counter))
        if not form.endswith("_ADAPTIVE") or (exponent == 0 and not was_specialised):
            return Standing(Stage.COLD)
        before = _EXPONENT_AFTER_MISSES_311 if was_specialised else 0
        return Standing(Stage.FAILED, failures=max(0, exponent - before))
    if is_specialised:
        return Standing(Stage.SPECIALISED, misses=max(0, _MISSES - (counter >> 4)))
    if was_specialised:
        return Standing(Stage.FAILED, failures=exponent)
    if exponent <= _FIRST_EXPONENT:
        return Standing(Stage.COLD)
    return Standing(Stage.FAILED, failures=min(exponent, _MOST) - _FIRST_EXPONENT)
