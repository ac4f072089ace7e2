"""Types, regions and allocation sites with their misses."""

from collections.abc import Callable
from functools import partial

from sonde.base.fitted_text import keep_start
from sonde.base.units import format_count, short_count
from sonde.instruments.memory.profile.memory_profile import NO_PLACE, MemoryProfile, ObjectClass
from sonde.instruments.memory.profile.totals import MemoryTotals, by_type
from sonde.instruments.memory.report import fitting_line_place, function_name, site_frames, type_name
from sonde.instruments.memory.report.terminal.miss_table import MissRow, Order, nothing, print_miss_table, print_rest
from sonde.render.terminal.page import Page


def print_types(page: Page, order: Order, rows: int) -> None:
    """Print types of objects and regions of memory."""
    totals = by_type(order.profile)
    shown = order.heaviest(totals, rows)
    if not shown:
        return
    page.heading("types and regions", order.words, f"{format_count(len(totals))} in all")
    names = [type_name(order.profile.types[each.types[0]]) for each in shown]
    table = [
        MissRow(each, partial(keep_start, name), nothing, _born(each)) for each, name in zip(shown, names, strict=True)
    ]
    print_miss_table(page, order, table, name="type", extra=("born",))
    print_rest(page, len(totals) - len(shown), "type")


def print_sites(page: Page, order: Order, rows: int) -> None:
    """Print which lines made the objects that misses are on."""
    profile = order.profile
    made = [each for each in profile.classes if each.site != NO_PLACE]
    shown = order.heaviest(made, rows)
    if not shown:
        return
    page.heading("allocation sites", order.words, f"{format_count(len(made))} in all")
    text_of = site_texts(profile)
    table = [_site_row(profile, each, text_of) for each in shown]
    print_miss_table(page, order, table, name="type and place", extra=("born",), name_share=0.5)
    print_rest(page, len(made) - len(shown), "site")


def site_texts(profile: MemoryProfile) -> Callable[[int, int], str]:
    """A function of a site and a width: where objects were made, in so many columns; empty when that is not known."""
    frames = site_frames(profile)

    def text(site: int, width: int) -> str:
        if site not in frames:
            return ""
        told = frames[site]
        innermost = _frame_text(profile, told.innermost, width)
        telling = _frame_text(profile, told.telling, width)
        if told.by_name:
            telling = function_name(profile.functions[told.telling[0]])
        return telling if telling == innermost else keep_start(f"{telling} → {innermost}", width)

    return text


def _frame_text(profile: MemoryProfile, frame: tuple[int, int], width: int) -> str:
    function = profile.functions[frame[0]]
    return fitting_line_place(function, frame[1], width) or keep_start(function_name(function), width)


def _site_row(profile: MemoryProfile, made: ObjectClass, text_of: Callable[[int, int], str]) -> MissRow:
    name = partial(keep_start, type_name(profile.types[made.type]))
    return MissRow(made, name, partial(text_of, made.site), _born(made))


def _born(each: MemoryTotals | ObjectClass) -> tuple[str]:
    return (short_count(each.born) if each.born else "",)
