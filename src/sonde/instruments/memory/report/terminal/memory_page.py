"""A memory profile as text: what ran, where it misses, on what, and how long objects live."""

import io
from typing import TextIO

from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.totals import by_line
from sonde.instruments.memory.report import MemoryOptions, sorting_level, upper_layer
from sonde.instruments.memory.report.terminal.code_tables import print_functions, print_lines
from sonde.instruments.memory.report.terminal.head import print_head
from sonde.instruments.memory.report.terminal.lifetime_table import print_lifetimes
from sonde.instruments.memory.report.terminal.line_type_table import print_line_types
from sonde.instruments.memory.report.terminal.miss_table import Order
from sonde.instruments.memory.report.terminal.object_table import print_objects
from sonde.instruments.memory.report.terminal.type_tables import print_sites, print_types
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_RATES = (
    "misses: with their share of the accesses that reached that cache; accesses: share of the run's data accesses;"
    " born: objects made in the window"
)


def print_memory(
    profile: MemoryProfile,
    stream: TextIO,
    options: MemoryOptions | None = None,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print a memory profile.

    Args:
        profile: a valid profile.
        stream: where to; coloured when it is a terminal and `NO_COLOR` is not set.
        width, colour: override what the stream and the environment say.
    Raises:
        UsageError: `unknown-order`.
    """
    options = options or MemoryOptions()
    order = Order(profile, sorting_level(options.sort, profile.data_levels))
    page = Page(stream, width=width, colour=colour)
    upper = upper_layer(profile)
    lines = by_line(profile, upper)
    print_head(page, profile, lines)
    if not profile.accesses:
        page.line()
        page.line("no data access was counted")
        return
    if not profile.native_lines:
        page.line()
        say(page, "accesses were only counted: nothing else is known of them")
        return
    print_functions(page, order, upper, options.rows)
    print_lines(page, order, upper, lines, options.rows)
    if upper != "native":
        print_functions(page, order, "native", options.rows)
    print_types(page, order, options.rows)
    print_sites(page, order, options.rows)
    print_line_types(page, order, lines, options.rows)
    print_objects(page, order, options.rows)
    print_lifetimes(page, profile, options.rows)
    page.line()
    say(page, _RATES, "dim")


def memory_page(profile: MemoryProfile, options: MemoryOptions | None = None, *, columns: int = 80) -> str:
    """The page as a text of so many columns, without colours; see `print_memory`."""
    text = io.StringIO()
    print_memory(profile, text, options, width=columns, colour=False)
    return text.getvalue()
