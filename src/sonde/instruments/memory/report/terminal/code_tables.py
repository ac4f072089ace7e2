"""Functions and lines with their misses."""

from collections.abc import Sequence
from functools import partial

from sonde.base.fitted_text import keep_start
from sonde.base.units import format_count
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import CodeLayer, FunctionTotals, LineTotals, by_function
from sonde.instruments.memory.report import fitting_line_place, function_name, source_line
from sonde.instruments.memory.report.terminal.miss_table import MissRow, Order, print_miss_table, print_rest
from sonde.render.terminal.page import Page

_PLACE_SHARE = 0.4
"""Of the room for a line's place and text: the text tells more than folders."""

_LAYER_WORDS: dict[CodeLayer, str] = {"python": "Python", "native": "native"}


def print_functions(page: Page, order: Order, layer: CodeLayer, rows: int) -> None:
    """Print the functions of a layer; nothing when it has none."""
    profile = order.profile
    totals = by_function(profile, layer)
    shown = order.heaviest(totals, rows)
    if not shown:
        return
    page.heading(f"{_LAYER_WORDS[layer]} functions", order.words, f"{format_count(len(totals))} in all")
    print_miss_table(page, order, [_function_row(profile, each) for each in shown], name="function")
    print_rest(page, len(totals) - len(shown), "function")


def print_lines(page: Page, order: Order, layer: CodeLayer, lines: Sequence[LineTotals], rows: int) -> None:
    """Print the lines of a layer, with their text where it is known; nothing when it has none."""
    profile = order.profile
    totals = [line for line in lines if line.line]
    shown = order.heaviest(totals, rows)
    if not shown:
        return
    page.heading(f"{_LAYER_WORDS[layer]} lines", order.words, f"{format_count(len(totals))} in all")
    print_miss_table(page, order, [_line_row(profile, each) for each in shown], name="line", name_share=_PLACE_SHARE)
    print_rest(page, len(totals) - len(shown), "line")


def _function_row(profile: MemoryProfile, totals: FunctionTotals) -> MissRow:
    function = profile.functions[totals.function]
    return MissRow(
        totals, partial(keep_start, function_name(function)), partial(fitting_line_place, function, function.first_line)
    )


def _line_row(profile: MemoryProfile, totals: LineTotals) -> MissRow:
    function = profile.functions[totals.functions[0]]
    text = source_line(profile, function, totals.line) or function_name(function)
    return MissRow(totals, partial(fitting_line_place, function, totals.line), partial(keep_start, text))
