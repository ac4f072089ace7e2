"""Which unit the entries of a time profile are about."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sonde.instruments.decisions.model import ProfileEntry, Spread
from sonde.instruments.decisions.readers.graal.log_index import LogLine

GRAAL_LEVEL = 4
"""The tier that Graal compiles for: levels 1 to 3 are C1's."""


@dataclass(slots=True)
class Links:
    """What was linked."""

    periods: list[int]
    """Of each unit."""
    lost: list[ProfileEntry] = field(default_factory=list)
    """Entries of Graal's code for which there is no unit."""
    found: int = 0
    """Entries for which there is one."""
    spreads: defaultdict[int, Spread] = field(default_factory=lambda: defaultdict(tuple))
    """How the time of a unit is spread, where that is known."""


def link_by_id(units: Sequence[LogLine], entries: Iterable[ProfileEntry]) -> Links:
    """Link what a JIT compiled.

    Guarantee: of several units with one id the last gets the time; of several entries with one id the last counts.
    """
    links = Links([0] * len(units))
    places = {unit.id: place for place, unit in enumerate(units)}
    for entry in entries:
        if entry.level != GRAAL_LEVEL or entry.id is None:
            continue
        place = places.get(entry.id)
        if place is None:
            links.lost.append(entry)
        else:
            links.periods[place] = entry.period
            links.spreads[place] = entry.spread
            links.found += 1
    return links


def link_by_name(units: Sequence[LogLine], entries: Iterable[ProfileEntry]) -> Links:
    """Link what was compiled ahead of time: names must be equal, and all units of a name get its time.

    An entry that is of no unit is no loss: such profiles have the code of the whole program, libraries and kernel too.
    """
    links = Links([0] * len(units))
    places: dict[str, list[int]] = {}
    for place, unit in enumerate(units):
        places.setdefault(unit.method, []).append(place)
    for entry in entries:
        here = places.get(entry.name, ())
        for place in here:
            links.periods[place] = entry.period
        links.found += bool(here)
    return links


def link_samples(units: Sequence[LogLine], entries: Iterable[ProfileEntry]) -> Links:
    """Link times of another tool, which knows methods but not their compilations.

    The last unit of a method gets its time, for that is the one that stays. Names need not have parameter types: one
    without them is the method of that name, if there is but one.
    """
    links = Links([0] * len(units))
    last: dict[str, int] = {}
    overloads: dict[str, set[str]] = {}
    for place, unit in enumerate(units):
        last[unit.method] = place
        overloads.setdefault(_bare(unit.method), set()).add(unit.method)
    for entry in entries:
        alike = {entry.name} if entry.name in last else overloads.get(_bare(entry.name), set())
        if len(alike) == 1:
            place = last[next(iter(alike))]
            links.periods[place] += entry.period
            links.spreads[place] += entry.spread
            links.found += 1
    return links


def _bare(name: str) -> str:
    return name.partition("(")[0].partition("%%")[0]
