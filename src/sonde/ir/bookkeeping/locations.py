"""Where a value of the original is in the optimised function: in which value, constant or formula."""

from dataclasses import dataclass

from sonde.ir.bookkeeping.formula import Formula
from sonde.ir.operands import Operand


@dataclass(frozen=True, slots=True)
class Held:
    """A value of the optimised function is the same."""

    name: str
    type: str
    """Of the same size as the original's, not always the same: a pointer may have become a number."""


@dataclass(frozen=True, slots=True)
class Constant:
    """It is always this."""

    text: str
    """A constant of LLVM's: `7`, `null`, `@table`, a constant expression."""
    type: str


@dataclass(frozen=True, slots=True)
class Computed:
    """It can be computed, without effects."""

    formula: Formula
    operands: tuple[Operand, ...]
    """What the formula's arguments stand for: values and constants."""
    type: str
    """Of the original value."""


@dataclass(frozen=True, slots=True)
class Lost:
    """LLVM says, or we find, that it is no longer known."""

    reason: str


Location = Held | Constant | Computed | Lost


def values_needed(location: Location) -> list[str]:
    """The local values that a location is made from."""
    match location:
        case Held(name, _):
            return [name]
        case Computed(_, operands, _):
            return [each.value for each in operands if each.value.startswith("%")]
        case _:
            return []
