"""Cells as text: the same words on a terminal and in Markdown."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_both_ends, keep_end, keep_start, printable
from sonde.base.units import format_count, format_duration, format_share, format_size, short_count
from sonde.code import Function, Place
from sonde.render.place_text import fitting_place
from sonde.report import Amount, Bins, Cell, Change, Column, Interval, Named, Part

_WIDEST_RATE = 6
"""Columns of `100.0%`."""

_LEFT = ("text", "code", "name", "place")
"""Units of columns that are aligned to the left, and get what room there is."""


def is_left_aligned(column: Column) -> bool:
    """Whether a column holds names and texts, not amounts."""
    return column.unit in _LEFT


def cell_text(cell: Cell, column: Column, *, is_narrow: bool = False) -> str:
    """Write a cell in its full length.

    Args:
        is_narrow: round counts, `12.3M`.

    >>> cell_text(1234567, Column("calls", "calls", "count")), cell_text(Part(1, 8), Column("misses", "", "count"))
    ('1,234,567', '1  12.5%')
    """
    match cell:
        case None:
            return ""
        case str():
            return printable(cell)
        case Named(text=text):
            return printable(text)
        case Function():
            return printable(cell.label)
        case Place():
            return fitting_place(cell, len(cell.file) + 24)
        case Part(amount=amount, whole=whole):
            rate = rate_text(amount, whole)
            if column.shown == "share":
                return rate
            return f"{_amount(amount, column, is_narrow=is_narrow)} {rate:>{_WIDEST_RATE}}"
        case Interval(amount=amount, low=low, high=high):
            texts = [_amount(each, column, is_narrow=is_narrow) for each in (amount, low, high)]
            return f"{texts[0]} [{texts[1]}, {texts[2]}]"
        case Change(before=before, after=after):
            return _change(before, after, column, is_narrow=is_narrow)
        case Bins(counts=counts):
            return strip(counts, 1)
        case _:
            return _weighed(cell, column, is_narrow=is_narrow)


def fitted_cell(cell: Cell, column: Column, width: int) -> str:
    """Write a name, a place or a text in so many columns; what cannot be told in them is left out."""
    if isinstance(cell, Place):
        return fitting_place(cell, width)
    text = cell_text(cell, column)
    if display_width(text) <= width:
        return text
    if column.unit == "place":
        return keep_end(text, width)
    return keep_both_ends(text, width) if column.unit == "name" and "#" in text[-8:] else keep_start(text, width)


def rate_text(amount: Amount, whole: Amount) -> str:
    """A part of its whole with a percent sign; `-` when there is no whole, `<0.1%` for what would seem to be nothing.

    >>> rate_text(123, 1000), rate_text(1, 100_000), rate_text(0, 5), rate_text(0, 0)
    ('12.3%', '<0.1%', '0.0%', '-')
    """
    if whole and amount and abs(amount / whole) < 0.0005:
        return "<0.1%"
    return format_share(amount, whole)


def strip(counts: Sequence[int], bins_each: int) -> str:
    """Draw a distribution: bins from left to right, the fullest with the highest block, one value is always seen.

    >>> strip((0, 1, 100, 50), 1)
    ' ▁█▄'
    """
    blocks = " ▁▂▃▄▅▆▇█"
    sums = [sum(counts[start : start + bins_each]) for start in range(0, len(counts), bins_each)]
    most = max(sums, default=0) or 1
    return "".join(blocks[-(-count * (len(blocks) - 1) // most)] for count in sums)


def _weighed(amount: Amount, column: Column, *, is_narrow: bool) -> str:
    text = _amount(amount, column, is_narrow=is_narrow)
    if column.shown in ("share", "both") and column.whole is not None:
        share = format_share(amount, column.whole)
        return share if column.shown == "share" else f"{text} {share:>{_WIDEST_RATE}}"
    return text


def _amount(amount: Amount, column: Column, *, is_narrow: bool) -> str:
    if column.is_signed:
        sign = "+" if amount > 0 else "−" if amount < 0 else ""
        return f"{sign}{unsigned_amount(abs(amount), column, is_narrow=is_narrow)}"
    return unsigned_amount(amount, column, is_narrow=is_narrow)


def unsigned_amount(amount: Amount, column: Column, *, is_narrow: bool) -> str:
    """An amount in the unit of its column."""
    match column.unit:
        case "count":
            return short_count(round(amount)) if is_narrow else format_count(round(amount))
        case "duration":
            return format_duration(round(amount))
        case "bytes":
            return format_size(round(amount))
        case "share":
            return f"{100 * amount:.1f}%"
        case "ratio":
            return f"{amount:.2f}" if abs(amount) < 10 else f"{amount:.0f}"
        case _:
            return f"{amount:.4g}" if isinstance(amount, float) else format_count(amount)


def _change(before: Amount | Part | None, after: Amount | Part | None, column: Column, *, is_narrow: bool) -> str:
    texts = [
        "-"
        if side is None
        else rate_text(side.amount, side.whole)
        if isinstance(side, Part)
        else unsigned_amount(side, column, is_narrow=is_narrow)
        for side in (before, after)
    ]
    return texts[0] if texts[0] == texts[1] else "→".join(texts)
