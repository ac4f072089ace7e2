"""Of the lines with the most misses: on which types they are."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.base.fitted_text import keep_start
from sonde.base.units import format_share, short_count
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import LineTotals
from sonde.instruments.memory.report import fitting_line_place, function_name, type_name
from sonde.instruments.memory.report.terminal.miss_table import Order
from sonde.render.terminal.page import Page
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

_MOST_LINES = 5
_MOST_TYPES = 4
_LEAST_SHARE = 0.01
"""Types with less than this share of a line's misses are not told."""


@dataclass(frozen=True, slots=True)
class _Told:
    """One line of the table."""

    misses: int
    share: str
    text: str
    is_line: bool


def print_line_types(page: Page, order: Order, totals: Sequence[LineTotals], rows: int) -> None:
    """Print the lines of the upper layer with the most misses, and below each the types that they are on.

    Misses are those of the level that the page is sorted by, or of the last one.
    """
    profile = order.profile
    if not profile.data_levels:
        return
    level = order.level if order.level >= 0 else len(profile.data_levels) - 1
    name = profile.data_levels[level].name
    by_misses = Order(profile, level)
    lines = [each for each in totals if each.line]
    on = _types_by_line(profile, level)
    told: list[_Told] = []
    for line in by_misses.heaviest(lines, min(rows, _MOST_LINES)):
        types = sorted(on[line.file, line.line].items(), key=lambda item: (-item[1], item[0]))
        shown = [(kind, misses) for kind, misses in types[:_MOST_TYPES] if misses >= _LEAST_SHARE * line.misses[level]]
        if not shown:
            continue
        function = profile.functions[line.functions[0]]
        place = fitting_line_place(function, line.line, page.width // 3)
        share = format_share(line.misses[level], by_misses.whole)
        told.append(_Told(line.misses[level], share, f"{place}  {function_name(function)}", is_line=True))
        told += [
            _Told(
                misses, format_share(misses, line.misses[level]), f"  {type_name(profile.types[kind])}", is_line=False
            )
            for kind, misses in shown
        ]
    if not told:
        return
    page.heading("lines and the types they miss on", f"by {name} misses")
    header = (f"{name} misses", "share")
    cells = [(short_count(one.misses), one.share) for one in told]
    widths = column_widths([header, *cells])
    room = page.width - table_width(widths)
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "line or type")), "dim"))
    for one, row in zip(told, cells, strict=True):
        text = page.paint(keep_start(one.text, room), *(("bold",) if one.is_line else ()))
        page.line(GAP.join((*right_aligned(row, widths), text)))


def _types_by_line(profile: MemoryProfile, level: int) -> dict[tuple[str, int], dict[int, int]]:
    """Misses of a level by line and number of type."""
    found: dict[tuple[str, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in profile.line_types:
        number, line = profile.places[row.place].frames[0]
        if row.misses[level]:
            found[profile.functions[number].file, line][row.type] += row.misses[level]
    return found
