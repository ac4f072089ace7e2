"""The first lines about a memory profile: what ran, how often memory was accessed, how the caches did, what is lost."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_start, printable
from sonde.base.units import format_count, format_duration, format_share
from sonde.instruments.memory.profile.memory_profile import CacheLevel, MemoryProfile
from sonde.instruments.memory.profile.shares import attribution
from sonde.instruments.memory.profile.totals import LineTotals
from sonde.instruments.memory.report import findings, rate_text, reaching
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say
from sonde.render.terminal.text_table import print_table

_LINES_OF_LOSS = 3


def print_head(page: Page, profile: MemoryProfile, lines: Sequence[LineTotals]) -> None:
    """Print what the run was, its caches, its losses and its findings.

    Args:
        lines: of its upper layer.
    """
    run, totals = profile.run, profile.totals
    page.line(page.paint(keep_start(printable(" ".join(run.command)), page.width), "bold"))
    parts = [f"{format_count(profile.accesses)} data accesses"]
    if "instructions" in totals:
        parts.append(f"{format_count(totals['instructions'])} instructions")
    parts += [printable(run.ended), format_duration(run.duration_ns), printable(run.tool)]
    page.flow(parts, "dim")
    page.flow(_attributed(profile), "dim")
    _print_collections(page, profile)
    for loss in profile.losses:
        say(page, f"! {loss.kind}: {keep_start(loss.detail, _LINES_OF_LOSS * page.width)}", "yellow")
    if not run.complete:
        say(page, "! the run was cut off: what was counted last may be missing", "yellow")
    if profile.caches:
        _print_caches(page, profile)
    found = findings(profile, lines)
    if found:
        page.line()
    for text in found:
        say(page, text)


def size_text(size_bytes: int) -> str:
    """Write a size in the largest unit that divides it.

    >>> size_text(32768), size_text(1048576), size_text(100)
    ('32 KiB', '1 MiB', '100 B')
    """
    for step, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size_bytes >= step and size_bytes % step == 0:
            return f"{size_bytes // step} {unit}"
    return f"{format_count(size_bytes)} B"


def _attributed(profile: MemoryProfile) -> list[str]:
    """Of how much it is known where it comes from and where it went."""
    known, all_of_them = attribution(profile), profile.accesses
    if not all_of_them or not profile.native_lines:
        return []
    parts = [
        f"attributed: {format_share(known.with_function, all_of_them)} to functions",
        f"{format_share(known.with_line, all_of_them)} to lines",
        f"{format_share(known.with_object, all_of_them)} to objects and named regions"
        if profile.classes
        else "what memory it was, was not asked for",
    ]
    if profile.python_lines:
        python = sum(line.loads + line.stores for line in profile.python_lines)
        parts.append(f"{format_share(python, all_of_them)} while Python lines ran")
    return parts


def _print_caches(page: Page, profile: MemoryProfile) -> None:
    rows, fetches = [], profile.totals.get("instructions", 0)
    misses = profile.total_misses
    for number, level in enumerate(profile.data_levels):
        reached = reaching(profile.accesses, misses, number)
        all_over = rate_text(misses[number], profile.accesses)
        rows.append((*_geometry(level), format_count(misses[number]), rate_text(misses[number], reached), all_over))
    for level in profile.caches[: len(profile.caches) - len(profile.data_levels)]:
        missed = profile.totals.get("fetch_misses1", 0)
        rows.append((*_geometry(level), format_count(missed), rate_text(missed, fetches), rate_text(missed, fetches)))
    page.heading("caches", printable(profile.policy))
    print_table(page, ("", "size", "ways", "line", "misses", "rate", "of all"), rows, left=(0,))
    kinds = [key for key in ("cold", "capacity", "conflict") if key in profile.totals]
    if kinds:
        text = ", ".join(f"{format_count(profile.totals[key])} {key}" for key in kinds)
        page.line(page.paint(f"{profile.data_levels[0].name} misses: {text}", "dim"))


def _print_collections(page: Page, profile: MemoryProfile) -> None:
    if not profile.collections:
        return
    told = [
        f"{format_count(each.count)} of generation {each.generation}"
        f" ({format_share(each.accesses, profile.accesses)} of the accesses)"
        for each in profile.collections
    ]
    say(page, f"garbage collections: {', '.join(told)}", "dim")


def _geometry(level: CacheLevel) -> tuple[str, str, str, str]:
    return printable(level.name), size_text(level.size_bytes), format_count(level.ways), f"{level.line_bytes} B"
