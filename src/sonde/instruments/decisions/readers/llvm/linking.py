"""Giving the time of a profile to the functions that LLVM compiled, by their symbols."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from sonde.base.units import format_share
from sonde.code.symbols import plain_symbol, short_names, source_name
from sonde.evidence import Doubt
from sonde.instruments.decisions.model import ProfileEntry, Spread, TimeProfile
from sonde.instruments.decisions.readers.llvm.sampled_code import SampledCode
from sonde.instruments.decisions.readers.llvm.source_places import SourceStart

UnitKey = tuple[str, str]
"""Object file, symbol."""
_SHOWN = 3
_WORTH = 0.002
"""Share of the time from which on debug information is read for a function."""


@dataclass(frozen=True, slots=True)
class LinkedTimes:
    """What a profile says of the functions of a program."""

    periods: dict[UnitKey, int]
    spreads: dict[UnitKey, Spread]
    """Where in them, where the profile says it; functions are called as in the source."""
    doubts: tuple[Doubt, ...]


def link_times(
    profile: TimeProfile,
    units: Sequence[UnitKey],
    begins: Mapping[UnitKey, SourceStart],
    sampled: SampledCode | None = None,
) -> LinkedTimes:
    """Find the function of each entry: by its symbol, else by its name in the source, perhaps without parameters, as
    perf shows it.

    Of a function that is in several object files (C++ and Rust make such copies) a linker keeps one. It gets the time:
    the one in the file that the profile names, else the first by name.

    Args:
        units: all functions.
        begins: where those begin of which it is known.
        sampled: what tells where in a function samples were; it is asked about those that take a share worth it.
    """
    by_symbol: dict[str, list[UnitKey]] = {}
    by_name: dict[str, list[UnitKey]] = {}
    by_short_name: dict[str, list[UnitKey]] = {}
    for unit in units:
        symbol = unit[1].removeprefix("\1")
        by_symbol.setdefault(symbol, []).append(unit)
        name = source_name(symbol)
        by_name.setdefault(name, []).append(unit)
        if name != symbol:
            for short in short_names(name):
                by_short_name.setdefault(short, []).append(unit)

    def found_by(name: str) -> list[UnitKey]:
        return (
            by_symbol.get(name)
            or by_name.get(name)
            or by_symbol.get(plain_symbol(name))
            or by_name.get(source_name(name))
            or by_short_name.get(plain_symbol(name))
            or []
        )

    @cache
    def named(name: str) -> str:
        """In the source; of what is always inlined there is no unit."""
        names = {source_name(symbol) for _, symbol in found_by(name)}
        return names.pop() if len(names) == 1 else source_name(name)

    periods: dict[UnitKey, int] = {}
    spreads: defaultdict[UnitKey, Spread] = defaultdict(tuple)
    unlinked: list[ProfileEntry] = []
    ambiguous = 0
    for entry in profile.entries:
        found = found_by(entry.name)
        if not found:
            unlinked.append(entry)
            continue
        same_file = [unit for unit in found if entry.file and _ends_alike(begins.get(unit, ("", 0))[0], entry.file)]
        candidates = same_file or found
        unit = candidates[0]
        if len({(symbol, begins.get((name, symbol))) for name, symbol in candidates}) > 1:
            ambiguous += entry.period
        periods[unit] = periods.get(unit, 0) + entry.period
        if sampled is not None and entry.offsets and entry.period >= _WORTH * profile.total:
            symbol = unit[1].removeprefix("\1")
            spreads[unit] += sampled.spread(entry.file, symbol, entry.offsets)
        own_name = source_name(unit[1])
        spreads[unit] += tuple(
            (
                (*(place._replace(method=named(place.method)) for place in inner), outer._replace(method=own_name)),
                period,
            )
            for (*inner, outer), period in entry.spread
        )
    return LinkedTimes(periods, spreads, tuple(_doubts(profile, unlinked, ambiguous)))


def _doubts(profile: TimeProfile, unlinked: Sequence[ProfileEntry], ambiguous: int) -> list[Doubt]:
    doubts = []
    missing = sum(entry.period for entry in unlinked)
    if missing:
        heaviest = sorted(unlinked, key=lambda entry: (-entry.period, entry.name))[:_SHOWN]
        names = ", ".join(f"'{entry.name}' {format_share(entry.period, profile.total)}" for entry in heaviest)
        doubts.append(
            Doubt(
                "unlinked-time",
                f"{format_share(missing, profile.total)} of the time is in code that no remarks tell of: {names}",
                len(unlinked),
            )
        )
    if ambiguous:
        doubts.append(
            Doubt(
                "ambiguous-time",
                f"{format_share(ambiguous, profile.total)} of the time is in functions of which several have the name "
                "that the profile says; the first of them got it",
            )
        )
    return doubts


def _ends_alike(one: str, other: str) -> bool:
    """Whether two paths may be of one file: the last parts of the longer one are the shorter one."""
    mine, theirs = (list(filter(None, path.replace("\\", "/").split("/"))) for path in (one, other))
    length = min(len(mine), len(theirs))
    return length > 0 and [part for part in mine if part != "."][-length:] == [p for p in theirs if p != "."][-length:]
