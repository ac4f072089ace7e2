"""Profiles of memory accesses, for the verbs that serve all kinds."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.units import format_count
from sonde.instruments.kind import About, Kind, Replay
from sonde.instruments.memory.options import (
    COST_FIRST,
    MemoryDiffOptions,
    MemoryOptions,
    ReplayOptions,
    check_latencies,
    level_of_order,
)
from sonde.instruments.memory.stored_kind import STORED
from sonde.report import Report
from sonde.store.recovery import recover

if TYPE_CHECKING:
    from sonde.groups import GroupFigures
    from sonde.instruments.memory.profile import MemoryProfile


def _recover(folder: Path, path: Path) -> Path:
    from sonde.instruments.memory.verb.folder import UnfinishedMemory

    return recover(UnfinishedMemory(folder), folder, path)


def _read(path: Path, *, with_sources: bool = True) -> "MemoryProfile":
    from sonde.instruments.memory.profile import read_memory_profile

    return read_memory_profile(path, with_sources=with_sources)


def _write(path: Path, profile: "MemoryProfile") -> None:
    from sonde.instruments.memory.profile import write_memory_profile

    write_memory_profile(path, profile)


def _about(profile: "MemoryProfile") -> About:
    summary = f"{format_count(profile.accesses)} data accesses"
    return About(summary, profile.run.command, profile.losses, profile.run.complete)


def _merged(profiles: "Sequence[MemoryProfile]", names: Sequence[str]) -> "MemoryProfile":
    from sonde.instruments.memory.profile import merge_memory_profiles

    return merge_memory_profiles(profiles, names=names)


def _report(path: Path, options: MemoryOptions, _with_data: bool) -> Report:
    from sonde.instruments.memory.report import memory_report

    return memory_report(_read(path), options)


def _compare(
    before: Path,
    after: Path,
    options: MemoryDiffOptions,
    names: tuple[str, str],
    _with_data: bool,
) -> Report:
    from sonde.instruments.memory.profile import compare_memory
    from sonde.instruments.memory.report import difference_report

    profiles = [_read(path, with_sources=False) for path in (before, after)]
    found = compare_memory(profiles[0], profiles[1], names=names, selection=options.selection, from_=options.from_)
    return difference_report(found, options, names=names, min_change=options.min_change)


def _figures(paths: Sequence[Path], options: MemoryDiffOptions) -> "GroupFigures":
    from sonde.instruments.memory.profile import Latencies
    from sonde.instruments.memory.profile.group_figures import memory_figures

    profiles = [_read(path, with_sources=False) for path in paths]
    first = profiles[0]
    level = level_of_order(options.sort, [level.name for level in first.data_levels])
    latencies = None
    if level == COST_FIRST:
        check_latencies(options.latencies, len(first.data_levels))
        latencies = Latencies(options.latencies, "given") if options.latencies else first.latencies
    return memory_figures(
        profiles,
        list(map(str, paths)),
        level,
        latencies=latencies,
        min_change=options.min_change,
        min_share=options.min_share,
        selection=options.selection,
        from_=options.from_,
    )


def _is_trace(path: Path) -> bool:
    from sonde.trace import is_address_trace

    return is_address_trace(path)


def _replay(traces: Sequence[Path], arguments: Namespace) -> int:
    from sonde.instruments.memory.verb.replay import replay

    return replay(traces, arguments)


MEMORY: "Kind[MemoryProfile]" = Kind(
    name=STORED.name,
    words=STORED.words,
    stored=STORED,
    recover=_recover,
    read=_read,
    write=_write,
    about=_about,
    merged=_merged,
    report=_report,
    view_options=MemoryOptions,
    compare=_compare,
    diff_options=MemoryDiffOptions,
    figures=_figures,
    replay=Replay("a trace of addresses", _is_trace, (ReplayOptions,), _replay),
)
