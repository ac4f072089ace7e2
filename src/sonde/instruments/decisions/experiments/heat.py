"""Which compilation units are hot: those that the program spends most of its time in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from sonde.base.errors import UsageError
from sonde.instruments.decisions.model import Unit
from sonde.options.declared import Option


@dataclass(frozen=True, slots=True)
class HeatPolicy:
    """How many units are hot.

    >>> HeatPolicy(percentile=0.5).max_limit
    10
    """

    min_limit: Annotated[
        int,
        Option("this many compilation units are hot whatever their time", metavar="N", called="hot_min_limit"),
    ] = 1
    max_limit: Annotated[int, Option("more compilation units are never hot", metavar="N", called="hot_max_limit")] = 10
    percentile: Annotated[
        float,
        Option(
            "share of the time in compiled code, 0 to 1, that hot units may take together",
            metavar="SHARE",
            called="hot_percentile",
        ),
    ] = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.percentile <= 1:
            raise UsageError(
                f"cannot use {self.percentile} as the share of time in hot code: it must be from 0 to 1",
                slug="heat-limits",
                hint="0.9 is what is taken if none is given",
            )
        if not 0 <= self.min_limit <= self.max_limit:
            raise UsageError(
                f"cannot mark from {self.min_limit} to {self.max_limit} units as hot: the first must be at least 0 and"
                " not above the second",
                slug="heat-limits",
                hint="1 and 10 are what is taken if none are given",
            )


def hot_units(units: Iterable[Unit], policy: HeatPolicy) -> list[Unit]:
    """The hot ones among the units of a run, hottest first.

    Args:
        units: method by method, each where it was compiled first: who comes first wins where periods are equal.
    Guarantee: with units by period, descending and stable, unit i is hot iff i < min_limit, or i < max_limit and the
        periods of units 0 to i together are at most the policy's share of all.
    Cost: O(n log n).
    Source: the paper's section 2.3 in words; the rule itself is Graal's.
    """
    ordered: Sequence[Unit] = sorted(units, key=lambda unit: -unit.period)
    limit = sum(unit.period for unit in ordered) * policy.percentile
    hot = []
    for index, unit in enumerate(ordered):
        limit -= unit.period
        if index < policy.min_limit or (limit >= 0 and index < policy.max_limit):
            hot.append(unit)
    return hot
