"""What stands out, in sentences: where the misses are, and how allocated memory differs from all memory."""

from collections.abc import Sequence

from sonde.base.units import format_share
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.profile.shares import heap_share
from sonde.instruments.memory.profile.totals import CodeLayer, LineTotals, by_line
from sonde.instruments.memory.report.code_names import named_function, place_at, type_name
from sonde.render.cell_text import cell_text, rate_text
from sonde.render.place_text import fitting_place
from sonde.report import Column

_WIDEST_PLACE = 40
_NAME = Column("function", "", "name")
_NOTABLE_LINES = 10
"""Half of the misses in more lines than this is nothing to tell."""
_NOTABLE_SHARE = 0.01
"""Of the misses; a line with less is not told."""
_NOTABLE_TYPE = 0.25
"""Of the misses of a line; a type with less is not told."""
_NOTABLE_RATIO = 1.05
"""A smaller overestimate is not told."""


def findings(profile: MemoryProfile, lines: Sequence[LineTotals] | None = None) -> list[str]:
    """Sentences, the most useful ones first; none for a run without misses.

    Args:
        lines: those of `upper_layer`, if they have been summed up already.
    """
    if not profile.data_levels:
        return []
    lines = sorted(
        by_line(profile, upper_layer(profile)) if lines is None else lines, key=lambda line: -line.misses[-1]
    )
    whole = profile.total_misses[-1]
    found = [_few_lines(profile, lines, whole), _line_with_most(profile, lines, whole), _heap(profile)]
    return [text for text in found if text]


def upper_layer(profile: MemoryProfile) -> CodeLayer:
    """The layer that its author knows: Python where there is any."""
    return "python" if profile.python_lines else "native"


def _few_lines(profile: MemoryProfile, lines: list[LineTotals], whole: int) -> str:
    """In how few lines half of the last level's misses are."""
    seen = 0
    for number, line in enumerate(lines[:_NOTABLE_LINES], 1):
        seen += line.misses[-1]
        if seen and 2 * seen >= whole:
            if number == 1:  # the next sentence is about it
                return ""
            return f"{format_share(seen, whole)} of the {profile.data_levels[-1].name} misses are in {number} lines."
    return ""


def _line_with_most(profile: MemoryProfile, lines: list[LineTotals], whole: int) -> str:
    """The line with the most misses of the last level, and on what they are."""
    if not lines or lines[0].misses[-1] < _NOTABLE_SHARE * whole or not whole:
        return ""
    most = lines[0]
    function = profile.functions[most.functions[0]]
    place = place_at(function, most.line)
    where = "code without a file" if place is None else fitting_place(place, _WIDEST_PLACE)
    name = cell_text(named_function(function), _NAME)
    share = format_share(most.misses[-1], whole)
    text = f"{where} in {name} has {share} of the {profile.data_levels[-1].name} misses"
    on: dict[int, int] = {}
    for row in profile.line_types:
        number, line = profile.places[row.place].frames[0]
        if number in most.functions and line == most.line:
            on[row.type] = on.get(row.type, 0) + row.misses[-1]
    kind = max(on, key=lambda kind: on[kind], default=None)
    if kind is None or on[kind] < _NOTABLE_TYPE * most.misses[-1]:
        return f"{text}."
    return f"{text}; {format_share(on[kind], most.misses[-1])} of these are on {type_name(profile.types[kind])}."


def _heap(profile: MemoryProfile) -> str:
    """What miss rates would seem to be if only allocated memory were looked at."""
    heap = heap_share(profile)
    if not heap.accesses:
        return ""
    parts = [
        f"{level.name} {rate_text(misses, heap.accesses)} instead of {rate_text(of, heap.of_accesses)},"
        f" {_times_text(times)} as much"
        for level, misses, of, times in zip(
            profile.data_levels, heap.misses, heap.of_misses, heap.overestimates, strict=True
        )
        if times >= _NOTABLE_RATIO
    ]
    text = f"{format_share(heap.accesses, heap.of_accesses)} of the data accesses go to allocated memory."
    return f"{text} Looked at alone, they overestimate the miss rates: {'; '.join(parts)}." if parts else text


def _times_text(ratio: float) -> str:
    """How many times as large something is.

    >>> _times_text(2.345), _times_text(12.3)
    ('2.3 times', '12 times')
    """
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"
