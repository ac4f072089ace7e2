"""The lines of a cell, tinted by the time of what was called from them."""

from dataclasses import dataclass
from html import escape

from sonde.base.units import format_duration, format_share
from sonde.instruments.contexts.analysis.line_costs import line_costs
from sonde.instruments.contexts.profile import ContextProfile, function_totals

_HOT = "224, 82, 6"
"""Red, green, blue of a line that takes all the time, behind text that stays readable on light and dark pages."""
_STRONGEST = 0.55
_TABLE = "font-family: monospace; border-collapse: collapse; width: 100%"
_NUMBER = "text-align: right; padding: 0 1em; white-space: nowrap; width: 12em"
_TEXT = "text-align: left; padding: 0; white-space: pre"
_LEGEND = "time of the function that begins on a line, or of what was called from it"


@dataclass(frozen=True, slots=True)
class TintedLine:
    """A line of a cell; times are nanoseconds."""

    text: str
    own_ns: int
    """Own time of the function that begins there."""
    callees_ns: int
    """Of what was called from there."""


def lines_of_cell(profile: ContextProfile, file: str, text: str) -> list[TintedLine]:
    """The lines of a file with their times; that of statements outside of functions is known as a whole, and in none.

    Cost: O(n log n) for n contexts.
    """
    own: dict[int, int] = {}
    callees: dict[int, int] = {}
    for cost in line_costs(profile, function_totals(profile)):
        if cost.place.file == file:
            is_body = cost.place.function is not None and cost.place.function.kind == "module"
            own[cost.place.line] = 0 if is_body and cost.place.line == 1 else cost.own or 0
            callees[cost.place.line] = cost.callees or 0
    return [
        TintedLine(line, own.get(number, 0), callees.get(number, 0)) for number, line in enumerate(text.splitlines(), 1)
    ]


def lines_as_html(lines: list[TintedLine], whole_ns: int) -> str:
    """A table: time and share of each line, and its text, tinted."""
    rows = []
    for line in lines:
        weight = max(line.own_ns, line.callees_ns)
        share = min(1.0, weight / whole_ns) if whole_ns else 0.0
        told = f"{format_duration(weight)}&nbsp; {format_share(weight, whole_ns)}" if weight else ""
        colour = f"rgba({_HOT}, {_STRONGEST * share:.3f})"
        number, text = f'<td style="{_NUMBER}">{told}</td>', f'<td style="{_TEXT}">{escape(line.text) or " "}</td>'
        rows.append(f'<tr style="background: {colour}">{number}{text}</tr>')
    return f'<table style="{_TABLE}"><caption style="text-align: left">{_LEGEND}</caption>{"".join(rows)}</table>'
