"""The single objects with the most misses."""

from collections.abc import Callable
from functools import partial

from sonde.base.fitted_text import keep_both_ends
from sonde.base.units import format_count, short_count
from sonde.instruments.memory.profile.memory_profile import MemoryProfile, TrackedObject
from sonde.instruments.memory.report import type_name
from sonde.instruments.memory.report.terminal.miss_table import MissRow, Order, print_miss_table, print_rest
from sonde.instruments.memory.report.terminal.type_tables import site_texts
from sonde.render.terminal.page import Page


def print_objects(page: Page, order: Order, rows: int) -> None:
    """Print objects, each with its size and how long it was in use; nothing when none was told apart."""
    profile = order.profile
    shown = order.heaviest(profile.objects, rows)
    if not shown:
        return
    page.heading("objects", order.words, f"{format_count(len(profile.objects))} told apart")
    text_of = site_texts(profile)
    table = [_row(profile, each, text_of) for each in shown]
    print_miss_table(page, order, table, name="object", extra=("bytes", "in use"))
    print_rest(page, len(profile.objects) - len(shown), "object")


def _row(profile: MemoryProfile, each: TrackedObject, text_of: Callable[[int, int], str]) -> MissRow:
    name = partial(keep_both_ends, f"{type_name(profile.types[each.type])} #{each.number}")
    extra = (short_count(each.size_bytes), short_count(max(each.last_use - each.birth, 0)))
    return MissRow(each, name, partial(text_of, each.site), extra)
