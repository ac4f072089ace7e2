"""Cells as text: the same words on a terminal and in Markdown."""

from collections.abc import Sequence
from math import ceil

from sonde.base.fitted_text import display_width, keep_both_ends, keep_end, keep_start, printable
from sonde.base.units import format_count, format_duration, format_share, format_size, short_count
from sonde.code import Function, Place
from sonde.render.name_text import short_name
from sonde.render.place_text import fitting_path, fitting_place, moved_place, short_place
from sonde.render.quantity import Scale, p_value_text, quantity_text, ratio_text
from sonde.report import (
    Amount,
    Bins,
    Cell,
    Change,
    Column,
    Estimated,
    Margin,
    Named,
    Part,
    Quantity,
    Record,
    Values,
    weight_of,
)

_WIDEST_RATE = 6
"""Columns of `100.0%`."""

_MOST_PERCENT = 999
"""What is beyond is only said to be more: of margins, and of relative changes, whose amounts are beside them."""

_LEFT = ("text", "code", "name", "place")
"""Units of columns that are aligned to the left, and get what room there is."""


def is_left_aligned(column: Column) -> bool:
    """Whether a column holds names and texts, not amounts."""
    return column.unit in _LEFT


def title_text(column: Column) -> str:
    """What stands above a column: its title, with a word for its shares where both are written.

    >>> title_text(Column("self", "self", "duration", 10, "both"))
    'self  share'
    """
    if column.shown != "both" or column.whole is None or not column.title:
        return column.title
    return f"{column.title} {'share':>{_rate_width(column)}}"


def cell_text(cell: Cell, column: Column, *, is_narrow: bool = False) -> str:
    """Write a cell in its full length.

    Args:
        is_narrow: round counts, `12.3M`.

    >>> cell_text(1234567, Column("calls", "calls", "count")), cell_text(Part(1, 8), Column("misses", "", "count"))
    ('1,234,567', '1  12.5%')
    >>> from sonde.evidence import Bound
    >>> cell_text(Margin(1000, 38, Bound(81, True)), Column("self", "up to", "margin"))
    '±4% +9%?'
    >>> [cell_text(share, Column("of", "", "share")) for share in (0.0, 0.000314, 0.5, 0.9999, 1.0)]
    ['0.0%', '0.031%', '50.0%', '99.9%', '100.0%']
    >>> cell_text(-5, Column("change", "", "duration", 20, "both", is_signed=True))
    '−5 ns  −25.0%'
    """
    match cell:
        case None | Record():
            return ""
        case str():
            return printable(cell)
        case bool():
            return "yes" if cell else "no"
        case Named(text=text):
            return printable(text)
        case Function():
            return printable(cell.label)
        case Place():
            return short_place(cell)
        case Part(amount=amount, whole=whole):
            rate = rate_text(amount, whole)
            if column.shown == "share":
                return rate
            return f"{_amount(amount, column, is_narrow=is_narrow)} {rate:>{_WIDEST_RATE}}"
        case Margin():
            return _margin(cell)
        case Quantity():
            return printable(quantity_text(cell))
        case Values(values=values):
            return ", ".join(cell_text(each, column, is_narrow=is_narrow) for each in values)
        case Estimated() if column.unit in ("ratio", "number"):
            return ratio_text(cell) if column.unit == "ratio" else Scale(1.0, "").told(cell)
        case Estimated(amount=amount, interval=interval):
            ends = amount, interval.low, interval.high
            texts = [_amount(each, column, is_narrow=is_narrow) for each in ends]
            return f"{texts[0]} [{texts[1]}, {texts[2]}]"
        case Change(before=Place() | None as before, after=Place() | None as after) if column.unit == "place":
            return moved_place(before, after)
        case Change() if column.is_signed:
            return _amount(weight_of(cell), column, is_narrow=is_narrow)
        case Change():
            return _change(cell, column, is_narrow=is_narrow)
        case Bins(counts=counts):
            return strip(counts, 1)
        case _:
            return _weighed(cell, column, is_narrow=is_narrow)


def fitted_cell(cell: Cell, column: Column, width: int) -> str:
    """Write a name, a place or a text in so many columns; what cannot be told in them is left out."""
    if isinstance(cell, Place):
        return fitting_place(cell, width)
    text = cell_text(cell, column)
    if isinstance(cell, Change) and column.unit == "place":
        return fitting_path(text, width)
    if display_width(text) <= width:
        return text
    function = cell.function if isinstance(cell, Named) else cell
    if isinstance(function, Function) and function.language in ("java", "native"):
        return short_name(text, width)
    if column.unit == "place":
        return keep_end(text, width)
    return keep_both_ends(text, width) if column.unit == "name" and "#" in text[-8:] else keep_start(text, width)


def sentences_below(cells: Sequence[Cell], columns: Sequence[Column]) -> list[tuple[str, bool]]:
    """What is said under a row, with whether it is faint."""
    said = []
    for cell, column in zip(cells, columns, strict=True):
        if column.shown != "below" or cell is None:
            continue
        head = f"{printable(column.title)}: " if column.title else ""
        for each in cell.values if isinstance(cell, Values) else (cell,):
            if text := cell_text(each, column):
                said.append((head + text, column.priority > 0))
    return said


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
        if column.is_signed and column.whole:
            share = _sign(amount) + format_share(abs(amount), column.whole)
        return share if column.shown == "share" else f"{text} {share:>{_rate_width(column)}}"
    return text


def _rate_width(column: Column) -> int:
    return _WIDEST_RATE + column.is_signed


def _amount(amount: Amount, column: Column, *, is_narrow: bool) -> str:
    if not column.is_signed:
        return unsigned_amount(amount, column, is_narrow=is_narrow)
    if column.unit == "share" and 100 * amount > _MOST_PERCENT:
        return f">{_MOST_PERCENT}%"
    if column.unit in ("count", "duration", "bytes"):
        amount = round(amount)  # what is written as nothing has no sign
    return _sign(amount) + unsigned_amount(abs(amount), column, is_narrow=is_narrow)


def _sign(amount: Amount) -> str:
    return "+" if amount > 0 else "−" if amount < 0 else ""


def _margin(margin: Margin) -> str:
    texts = [] if margin.around is None else [f"±{_percent_up(margin.around, margin.amount)}"]
    if margin.bound is not None:
        texts.append(f"+{_percent_up(margin.bound.above, margin.amount)}{'?' if margin.bound.may_cross else ''}")
    return " ".join(texts)


def _percent_up(part: Amount, amount: Amount) -> str:
    """A share, rounded up: a margin is never made smaller than it is."""
    if 100 * part > _MOST_PERCENT * amount:
        return f">{_MOST_PERCENT}%"
    return f"{ceil(100 * part / amount) if part else 0}%"


def _share_text(share: float) -> str:
    """A share in percent, with two digits of a small one; only all is `100.0%`."""
    percent = 100 * share
    if 1 > percent > 0:
        return f"{percent:.2g}%" if percent >= 1e-4 else "<0.0001%"
    text = f"{percent:.1f}%"
    return "99.9%" if text == "100.0%" and share < 1 else text


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
            return _share_text(amount)
        case "points":
            return f"{100 * amount:.1f} pp"
        case "ratio":
            return ratio_text(amount)
        case "p-value":
            return p_value_text(amount)
        case _:
            return f"{amount:.4g}" if isinstance(amount, float) else format_count(amount)


def _change(change: Change, column: Column, *, is_narrow: bool) -> str:
    texts = []
    for side in (change.before, change.after):
        match side:
            case None:
                texts.append("-")
            case Part(amount=amount, whole=whole):
                texts.append(rate_text(amount, whole))
            case Place():
                texts.append(short_place(side))
            case _:
                texts.append(unsigned_amount(side, column, is_narrow=is_narrow))
    return texts[0] if texts[0] == texts[1] else "→".join(texts)
