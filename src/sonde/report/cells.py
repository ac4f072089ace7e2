"""Cells: values with a meaning, which renderers write for people and keep whole for programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sonde.code import Function, Place
from sonde.evidence import Bound, Interval

Unit = Literal[
    "count",
    "duration",
    "bytes",
    "share",
    "points",
    "ratio",
    "number",
    "margin",
    "p-value",
    "measured",
    "text",
    "code",
    "name",
    "place",
    "bins",
]
"""What the amounts of a column are.

`duration` is in nanoseconds, `share` a fraction of 1, `points` the difference of two of them (percentage points),
`ratio` how many times as much, `number` without a unit of ours, `p-value` a probability that is told in papers; cells
of `measured` are quantities, which have a unit each; `text` and `code` (a line of source) are strings; cells of
`margin` are margins of the amounts to their left, those of `name` are functions or strings, those of `place` places or
strings, those of `bins` distributions.
"""

Amount: TypeAlias = int | float


@dataclass(frozen=True, slots=True)
class Part:
    """An amount, and the whole of its own that it is a part of: 125 misses of 1,000 accesses."""

    amount: Amount
    whole: Amount
    """0 when there was nothing that it could be a part of."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """An amount that is known up to a confidence interval."""

    amount: float
    interval: Interval

    @property
    def low(self) -> float:
        """The lower end of the interval; may be infinite."""
        return self.interval.low

    @property
    def high(self) -> float:
        """The upper end."""
        return self.interval.high


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Several values in their order."""

    values: "Sequence[Amount | str | None]"


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What only programs read, and pages where one asks for details: anything that JSON holds."""

    value: Any


@dataclass(frozen=True, slots=True)
class Margin:
    """How far an amount may be from the truth, written relative to it: `±4%`, `+9%?`."""

    amount: Amount
    around: Amount | None = None
    """Half of a 95 % interval around it; None where nothing was sampled."""
    bound: Bound | None = None
    """What is proven; None where that is not worth a word."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured amount in a unit of its own.

    >>> Quantity(Estimated(0.0422, Interval(0.0409, 0.0449, 0.95)), "s").amount
    0.0422
    """

    value: "float | Estimated"
    unit: str
    """`s`, `B`, `1`, or what another tool says, `ops/s`."""
    least: float | None = None
    """The least of the amounts that it is compared with: all of them are written in the unit that fits this one."""

    @property
    def amount(self) -> float:
        """The amount without its interval."""
        return self.value.amount if isinstance(self.value, Estimated) else self.value


@dataclass(frozen=True, slots=True)
class Change:
    """An amount, or where something is, before and after.

    In columns of signed amounts the difference is written.
    """

    before: "Amount | Part | Place | None"
    after: "Amount | Part | Place | None"


@dataclass(frozen=True, slots=True)
class Bins:
    """A distribution: how many values are in each bin. The column says what the bins are."""

    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class Named:
    """A name that says more than its function's: `fib x25 levels`."""

    text: str
    function: Function | None = None


Cell: TypeAlias = (
    Amount
    | str
    | Part
    | Estimated
    | Margin
    | Quantity
    | Values
    | Record
    | Change
    | Bins
    | Named
    | Function
    | Place
    | None
)
"""`None` where nothing is known, or nothing is to be said."""


def weight_of(cell: Cell) -> float:
    """What a cell is sorted and heated by: its amount; 0 for what has none.

    >>> weight_of(Part(3, 10)), weight_of(Change(2, 5)), weight_of("text")
    (3.0, 3.0, 0.0)
    """
    match cell:
        case int() | float():
            return float(cell)
        case Part(amount=amount) | Estimated(amount=amount) | Quantity(amount=amount):
            return float(amount)
        case Change(before=before, after=after):
            return weight_of(after) - weight_of(before)
        case _:
            return 0.0
