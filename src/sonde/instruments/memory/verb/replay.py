"""`sonde replay` of an address trace: the same run on other caches."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sonde.base.cache_geometry import CacheSettings, machine_caches, parse_geometry
from sonde.base.errors import EXIT_OK, UsageError
from sonde.evidence import Loss
from sonde.instruments.memory.options import ReplayOptions
from sonde.instruments.memory.profile import read_memory_profile
from sonde.instruments.memory.report.replay_report import Compared, LevelMisses, replay_report
from sonde.instruments.memory.source import replay_addresses
from sonde.native import CacheCounts
from sonde.options.declared import options_from
from sonde.options.output import check_answer_options
from sonde.render.answers import print_answer

_NAMES = ("D1", "L2", "L3")


def replay(traces: Sequence[Path], arguments: argparse.Namespace) -> int:
    """Tell what one trace misses on the caches that are asked for.

    Raises:
        UsageError: `bad-cache`, `several-traces`.
        InputError: the trace or the profile to compare with cannot be read.
    """
    asked = options_from(ReplayOptions, arguments)
    check_answer_options(arguments)
    if len(traces) > 1:
        raise UsageError(
            f"cannot replay '{traces[0]}' and '{traces[1]}' together: each is a run with caches of its own",
            slug="several-traces",
            hint="replay one after the other",
        )
    here = machine_caches()
    settings = asked.settings(here)
    compared_settings = [] if asked.is_profile else [asked.settings_against(here)]
    for sentence in settings.adjusted if asked.caches else ():
        print(f"sonde: {sentence}", file=sys.stderr)
    found = replay_addresses(traces[0], [settings, *compared_settings])
    levels = tuple(
        LevelMisses(name, str(geometry), level.load_misses, level.store_misses)
        for name, geometry, level in zip(_NAMES, settings.levels, found.counts[0].levels, strict=False)
    )
    compared = (
        _of_caches(compared_settings[0], found.counts[1], asked) if compared_settings else _of_run(Path(asked.against))
    )
    losses: tuple[Loss, ...] = ()
    if found.ending.state != "finished":
        detail = "the trace has no end: the program was killed or still runs, or part of the file is missing"
        losses = (Loss("trace-cut-off", max(1, found.ending.unreadable_bytes), detail),)
    counts = found.counts[0]
    report = replay_report(str(traces[0]), counts.loads, counts.stores, levels, compared, losses)
    print_answer(report, arguments, sys.stdout)
    return EXIT_OK


def _of_caches(settings: CacheSettings, counts: CacheCounts, asked: ReplayOptions) -> Compared:
    return Compared(
        asked.against or "this machine's caches",
        counts.loads + counts.stores,
        tuple(map(str, settings.levels)),
        tuple(level.load_misses + level.store_misses for level in counts.levels),
    )


def _of_run(path: Path) -> Compared:
    profile = read_memory_profile(path, with_sources=False)
    geometries = tuple(
        str(parse_geometry(f"{level.size_bytes},{level.ways},{level.line_bytes}")) for level in profile.data_levels
    )
    return Compared("the caches of the run", profile.accesses, geometries, profile.total_misses)
