"""Which code of a memory profile is told of: that of the project, or what patterns name."""

from collections.abc import Sequence
from typing import NamedTuple

from sonde.base.errors import UsageError
from sonde.base.units import format_percent, format_share
from sonde.code import CodeSelection, no_code_left
from sonde.instruments.memory.profile import NO_PLACE, FunctionTotals, LineTotals, MemoryProfile, ObjectClass
from sonde.instruments.memory.profile.totals import functions_that_ran
from sonde.instruments.memory.report.order import Counted, Order
from sonde.report import Fact, Facts


class SelectedRows(NamedTuple):
    """Rows of code that are told; shares remain of the whole run."""

    functions: frozenset[int]
    """Numbers of those that are looked at."""
    is_everything: bool

    def has(self, function: int) -> bool:
        """Whether a function, by its number, is looked at."""
        return self.is_everything or function in self.functions

    def of_functions(self, totals: Sequence[FunctionTotals]) -> Sequence[FunctionTotals]:
        """Those that are looked at."""
        return totals if self.is_everything else [each for each in totals if each.function in self.functions]

    def of_lines(self, lines: Sequence[LineTotals]) -> Sequence[LineTotals]:
        """Lines of functions that are looked at."""
        return lines if self.is_everything else [each for each in lines if self.functions & set(each.functions)]

    def of_sites(self, profile: MemoryProfile, classes: Sequence[ObjectClass]) -> Sequence[ObjectClass]:
        """What such functions made, whatever was inlined into them."""
        if self.is_everything:
            return classes
        return [
            each
            for each in classes
            if each.site != NO_PLACE
            and any(function in self.functions for function, _ in profile.places[each.site].frames)
        ]


def selected_rows(profile: MemoryProfile, selection: CodeSelection) -> SelectedRows:
    """The functions that a selection has.

    Raises:
        UsageError: `no-code-left`: none of them accessed memory.
    """
    if selection.is_everything:
        return SelectedRows(frozenset(), True)
    ran = functions_that_ran(profile)
    among = selection.among(profile.functions)
    if ran and among.isdisjoint(ran):
        raise no_code_left(selection, ran, what="function that accessed memory")
    selected = frozenset(number for number, each in enumerate(profile.functions) if each in among)
    return SelectedRows(selected, False)


def check_least(order: Order, lines: Sequence[Counted], least: float, *, what: str = "lines") -> None:
    """Refuse a smallest share that no line has.

    Args:
        lines: those that are looked at.
    Raises:
        UsageError: `no-code-left`.
    """
    most = max(map(order.weight, lines), default=0)
    if least and order.whole and most < least * order.whole:
        raise UsageError(
            f"cannot show {what} with at least {format_percent(least)} of the {order.noun}: the one with most has"
            f" {format_share(most, order.whole)}",
            slug="no-code-left",
            hint="a smaller --min-share",
        )


def selection_facts(order: Order, selection: CodeSelection, lines: Sequence[Counted]) -> tuple[Facts, ...]:
    """What is told of, how much that is, and so what is not.

    Args:
        lines: those of the upper layer that are looked at.
    """
    if selection.is_everything:
        return ()
    told = sum(map(order.weight, lines))
    shares = [format_share(part, order.whole) for part in (told, order.whole - told)]
    words = f"{selection.words()}: {shares[0]} of the {order.noun}; {shares[1]} are not shown"
    return (Facts((Fact("selection", words),), "selection"),)
