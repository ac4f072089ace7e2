"""The table of hottest functions: where the time itself went, whoever called."""

from collections.abc import Sequence

from sonde.base.fitted_text import display_width, keep_start, pad, printable
from sonde.base.units import format_count, format_duration, format_share, short_count
from sonde.instruments.contexts.profile import ContextProfile, FunctionTotals
from sonde.instruments.contexts.report.terminal.doubt_cells import doubt_cell
from sonde.render.terminal.heat import heat
from sonde.render.terminal.page import Page
from sonde.render.terminal.place import fitting_place
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width
from sonde.render.terminal.tree_table import NARROW, WIDEST_NAME_SHARE


def hottest_functions(profile: ContextProfile, totals: FunctionTotals, limit: int) -> list[int]:
    """Functions with the largest own weight, heaviest first; at most `limit`, none without weight."""
    own = totals.self_ns if profile.has_time else totals.calls
    ids = sorted((i for i, weight in enumerate(own) if weight > 0), key=lambda i: (-own[i], i))
    return ids[:limit]


def print_function_table(
    page: Page,
    profile: ContextProfile,
    totals: FunctionTotals,
    ids: Sequence[int],
    *,
    whole: int,
    deviations: Sequence[int] = (),
) -> None:
    """Print functions with their own and inclusive weights.

    Args:
        ids: rows of `totals`, in order.
        whole: weight that shares are of.
        deviations: (n_functions,) standard errors of own weights; empty for none.
    """
    count = short_count if page.width < NARROW else format_count
    own = totals.self_ns if profile.has_time else totals.calls
    rows: list[tuple[str, ...]] = []
    for i in ids:
        share = format_share(own[i], whole)
        if profile.has_time:
            rows.append((format_duration(own[i]), share, format_duration(totals.total_ns[i]), count(totals.calls[i])))
        else:
            rows.append((count(own[i]), share, count(totals.total_calls[i])))
    header = ("self", "share", "total", "calls") if profile.has_time else ("calls", "share", "calls below")
    if deviations:
        header = (header[0], "±", *header[1:])
        doubts = [doubt_cell(own[i], deviation=deviations[i]) for i in ids]
        rows = [(row[0], doubt, *row[1:]) for row, doubt in zip(rows, doubts, strict=True)]
    widths = column_widths([header, *rows])
    room = page.width - table_width(widths)
    labels = [printable(profile.functions[i].label) for i in ids]
    column = min(max(map(display_width, labels), default=0), int(room * WIDEST_NAME_SHARE))
    page.line(page.paint(GAP.join((*right_aligned(header, widths), "function")), "dim"))
    for i, row, label in zip(ids, rows, labels, strict=True):
        cells = right_aligned(row, widths)
        cells[0] = page.paint(cells[0], *heat(own[i], whole))
        left = room - column - len(GAP)
        name = pad(keep_start(label, column), column)
        place = fitting_place(profile.functions[i], left)
        page.line(GAP.join((*cells, name, page.paint(place, "dim"))))
