"""The answer in a few sentences: which line misses the caches, on what, and how much that matters."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_both_ends, keep_start
from sonde.base.units import format_count, format_share, short_count
from sonde.instruments.memory.options import ACCESSES_FIRST
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.shares import heap_share
from sonde.instruments.memory.profile.totals import CodeLayer, LineTotals
from sonde.instruments.memory.report.code_names import named_function, place_at, type_name
from sonde.instruments.memory.report.order import Order
from sonde.instruments.memory.report.sharing_table import sharing_sentence
from sonde.render.cell_text import cell_text, rate_text
from sonde.render.place_text import fitting_place
from sonde.report import Column, Fact

_WIDEST_PLACE = 20
_WIDEST_NAME = 28
_COLUMNS = 80
"""Of a line; the name of a type has what the others leave of it, or goes to the next line."""
_LEAST_TYPE = 36
_NAME = Column("function", "", "name")
_NOTABLE_LINES = 10
"""Half of the misses in more lines than this is nothing to tell."""
_NOTABLE_SHARE = 0.01
"""Of the misses; a line with less is not told."""
_NOTABLE_TYPE = 0.25
"""Of the misses of a line; a type with less is not told."""
_NOTABLE_RATIO = 1.05
"""A smaller overestimate is not told."""


def headline(order: Order, lines: Sequence[LineTotals]) -> tuple[str, ...]:
    """At most three sentences: what threads share, if that was asked for; the line with most of what is sorted by; how
    few lines have half of it; how often the caches are missed.

    Args:
        lines: of `upper_layer`, or those of them that are looked at.
    """
    profile = order.profile
    if not profile.accesses:
        return ()
    if not profile.native_lines:
        return (_counts(profile),)
    lines = order.sorted(lines)
    shared = sharing_sentence(profile)
    few = "" if shared else _few_lines(order, lines)
    return tuple(filter(None, (shared, _line_with_most(order, lines), few, _levels(order))))


def upper_layer(profile: MemoryProfile) -> CodeLayer:
    """The layer that its author knows: Python where there is any."""
    return "python" if profile.python_lines else "native"


def heap_facts(profile: MemoryProfile) -> tuple[Fact, ...]:
    """What miss rates would seem to be if only allocated memory were looked at."""
    heap = heap_share(profile)
    if not heap.accesses:
        return ()
    parts = [
        f"{level.name} {rate_text(misses, heap.accesses)} instead of {rate_text(of, heap.of_accesses)},"
        f" {_times_text(times)} as much"
        for level, misses, of, times in zip(
            profile.data_levels, heap.misses, heap.of_misses, heap.overestimates, strict=True
        )
        if times >= _NOTABLE_RATIO
    ]
    share = format_share(heap.accesses, heap.of_accesses)
    facts = [Fact("allocated", f"{share} of the data accesses go to allocated memory")]
    if parts:
        alone = f"taken alone, they overestimate the miss rates: {'; '.join(parts)}"
        facts.append(Fact("allocated_alone", alone))
    return tuple(facts)


def _counts(profile: MemoryProfile) -> str:
    """Of a run whose accesses were only counted."""
    loads, stores = (format_count(profile.totals[key]) for key in ("loads", "stores"))
    return f"{format_count(profile.accesses)} data accesses: {loads} loads, {stores} stores."


def _line_with_most(order: Order, lines: Sequence[LineTotals]) -> str:
    """The line with the most of what is sorted by, and on what its misses are."""
    profile, whole = order.profile, order.whole
    if not lines or not whole or order.weight(lines[0]) < _NOTABLE_SHARE * whole:
        return ""
    most = lines[0]
    function = profile.functions[most.functions[0]]
    place = place_at(function, most.line)
    where = "code without a file" if place is None else fitting_place(place, _WIDEST_PLACE)
    name = keep_both_ends(cell_text(named_function(function), _NAME), _WIDEST_NAME)
    text = f"{where} in {name} has {_share(order.weight(most), whole)} of the {order.noun}"
    on: dict[int, int] = {}
    for row in profile.line_types:
        number, line = profile.places[row.place].frames[0]
        if number in most.functions and line == most.line:
            on[row.type] = on.get(row.type, 0) + order.missed(row.misses)
    kind = max(on, key=lambda kind: on[kind], default=None)
    if kind is None or not on[kind] or on[kind] < _NOTABLE_TYPE * order.missed(most.misses):
        return f"{text}."
    of_these = "its misses" if order.level == ACCESSES_FIRST else "them"
    text = f"{text}, {_share(on[kind], order.missed(most.misses))} of {of_these} on "
    room = max(_COLUMNS - len(text) - 1, _LEAST_TYPE)
    return f"{text}{keep_start(type_name(profile.types[kind]), room)}."


def _share(part: int, whole: int) -> str:
    """As in `has all of the accesses`."""
    return "all" if part == whole else format_share(part, whole)


def _few_lines(order: Order, lines: Sequence[LineTotals]) -> str:
    """In how few lines half of it is."""
    seen = 0
    for number, line in enumerate(lines[:_NOTABLE_LINES], 1):
        seen += order.weight(line)
        if seen and 2 * seen >= order.whole:
            if number == 1:  # the sentence before is about it
                return ""
            return f"{format_share(seen, order.whole)} of the {order.noun} are in {number} lines."
    return ""


def _levels(order: Order) -> str:
    """How often each level is missed, and what that costs."""
    profile = order.profile
    levels = zip(profile.data_levels, profile.total_misses, strict=True)
    parts = [f"{format_share(misses, profile.accesses)} {level.name}" for level, misses in levels]
    if not parts:
        return ""
    first = parts[0].replace(" ", f" of {short_count(profile.accesses)} accesses miss ")
    lost = order.latencies.lost(profile.total_misses) / profile.accesses
    return f"{', '.join((first, *parts[1:]))}: some {_cycles(lost)} cycles lost each."


def _cycles(lost: float) -> str:
    """An estimate, to two digits or to whole cycles.

    >>> _cycles(0.391), _cycles(7.26), _cycles(170.4), _cycles(1234.5)
    ('0.39', '7.3', '170', '1,234')
    """
    return f"{lost:.2g}" if lost < 10 else f"{lost:,.0f}"


def _times_text(ratio: float) -> str:
    """How many times as large something is.

    >>> _times_text(2.345), _times_text(12.3)
    ('2.3 times', '12 times')
    """
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"
