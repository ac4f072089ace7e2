"""What an address trace misses on other caches, beside those that it is compared with, as a report."""

from typing import NamedTuple

from sonde.base.units import format_count, format_share
from sonde.evidence import Loss
from sonde.report import Block, Column, Note, Notices, Part, Report, Row, Table

_LEGEND = (
    "misses: with their share of all accesses, of all loads, of all stores; the trace has no fetches of"
    " instructions, so that caches behind the first hold data only"
)


class LevelMisses(NamedTuple):
    """What one data cache missed."""

    name: str
    geometry: str
    """`32K,8,64`."""
    loads: int
    stores: int
    """Misses of these."""

    @property
    def misses(self) -> int:
        """Of loads and stores."""
        return self.loads + self.stores


class Compared(NamedTuple):
    """What the trace is compared with."""

    words: str
    """`the caches of the run`."""
    accesses: int
    geometries: tuple[str, ...]
    misses: tuple[int, ...]
    """Per data level."""


def replay_report(
    title: str,
    loads: int,
    stores: int,
    levels: tuple[LevelMisses, ...],
    compared: Compared,
    losses: tuple[Loss, ...],
) -> Report:
    """How often each level is missed, and how often it was.

    Args:
        title: the trace.
    """
    accesses = loads + stores
    if not accesses:
        return Report("memory-replay", title, (Note("the trace has no accesses"), Notices(losses)))
    rows = []
    for number, level in enumerate(levels):
        known = number < len(compared.misses)
        before = Part(compared.misses[number], compared.accesses) if known else None
        geometry = compared.geometries[number] if known else None
        of_loads, of_stores = Part(level.loads, loads), Part(level.stores, stores)
        misses = Part(level.misses, accesses)
        rows.append(Row((level.name, level.geometry, misses, of_loads, of_stores, geometry, before)))
    columns = (
        Column("cache", "", "name"),
        Column("geometry", "cache"),
        Column("misses", "misses", "count", meaning="with their share of all accesses"),
        Column("load_misses", "of loads", "count", priority=1, meaning="with their share of the loads"),
        Column("store_misses", "of stores", "count", priority=2, meaning="with their share of the stores"),
        Column("before_geometry", "before", meaning=compared.words),
        Column("before", "misses before", "count", meaning=f"on {compared.words}"),
    )
    notes = (f"{format_count(accesses)} accesses", f"before: {compared.words}")
    blocks: tuple[Block, ...] = (
        Table("caches", "caches", columns, rows, notes, "cache"),
        Note(_LEGEND, "legend"),
        Notices(losses),
    )
    return Report("memory-replay", title, blocks, headline=tuple(_headline(accesses, levels, compared)))


def _headline(accesses: int, levels: tuple[LevelMisses, ...], compared: Compared) -> list[str]:
    told = []
    for number, level in enumerate(levels):
        share, was, on = format_share(level.misses, accesses), "", ""
        if not number:
            share, on = f"{share} of the accesses miss it", f" on {compared.words}"
        if number < len(compared.misses):
            was = f" ({format_share(compared.misses[number], compared.accesses)}{on})"
        told.append(f"{level.name} of {level.geometry}: {share}{was}.")
    return told
