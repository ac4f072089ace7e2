"""How long objects of each type were in use: a distribution over powers of two."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_start
from sonde.base.units import format_count, format_share, short_count
from sonde.instruments.memory.profile.memory_profile import Lifetimes, MemoryProfile
from sonde.instruments.memory.profile.totals import lifetimes_by_type
from sonde.instruments.memory.report import bin_text, last_bin, quantile_bin, type_name
from sonde.instruments.memory.report.terminal.miss_table import print_rest
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import GAP, column_widths, right_aligned, table_width

_BLOCKS = " ▁▂▃▄▅▆▇█"
_LEAST_NAME = 14


def print_lifetimes(page: Page, profile: MemoryProfile, rows: int) -> None:
    """Print types with the most objects, how long these were in use, and how that is spread."""
    by_type = lifetimes_by_type(profile)
    if not by_type:
        return
    shown = sorted(by_type.items(), key=lambda item: (-item[1].objects, item[0]))[:rows]
    page.heading(
        "lifetimes",
        "birth to last use, in data accesses",
        f"{format_count(len(by_type))} type{'' if len(by_type) == 1 else 's'}",
    )
    header = ("objects", "unused", "median", "90 %", "longest")
    cells = [_cells(lifetimes) for _, lifetimes in shown]
    widths = column_widths([header, *cells])
    bins = 1 + max(last_bin(lifetimes) for _, lifetimes in shown)
    room = page.width - table_width(widths)
    bins_each = 1
    while -(-bins // bins_each) > room - len(GAP) - _LEAST_NAME:
        bins_each += 1
    columns = -(-bins // bins_each)
    scale = f"1{('2^' + str(bins - 1)).rjust(columns - 1)}" if columns >= len("1 2^00") else " " * columns
    page.line(page.paint(GAP.join((*right_aligned(header, widths), scale, "type")), "dim"))
    for (kind, lifetimes), row in zip(shown, cells, strict=True):
        name = keep_start(type_name(profile.types[kind]), room - columns - len(GAP))
        strip = life_strip(lifetimes.counts, bins_each).ljust(columns)
        page.line(GAP.join((*right_aligned(row, widths), page.paint(strip, "cyan"), name)))
    print_rest(page, len(by_type) - len(shown), "type")
    say(page, "unused: never accessed after birth; the higher a bar, the more objects", "dim")


def life_strip(counts: Sequence[int], bins_each: int) -> str:
    """Draw a distribution: bins from left to right, the fullest with the highest block, one object is always seen.

    >>> life_strip((0, 1, 100, 50), 1)
    ' ▁█▄'
    """
    sums = [sum(counts[start : start + bins_each]) for start in range(0, len(counts), bins_each)]
    most = max(sums, default=0) or 1
    return "".join(_BLOCKS[-(-count * (len(_BLOCKS) - 1) // most)] for count in sums)


def _cells(lifetimes: Lifetimes) -> tuple[str, ...]:
    quantiles = (bin_text(quantile_bin(lifetimes, share)) for share in (0.5, 0.9))
    unused = format_share(lifetimes.counts[0], lifetimes.objects)
    return short_count(lifetimes.objects), unused, *quantiles, bin_text(last_bin(lifetimes))
