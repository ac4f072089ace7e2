"""Add up several profiles of one program: processes, machines, days.

    sonde merge monday.sonde tuesday.sonde -o week.sonde
    sonde merge worker-*.sonde -o all.sonde --force
    sonde merge client.sonde server.sonde -o both.sonde --anyway     of different programs, side by side

Contexts are matched if functions of the same name, file and line lead to them; their values are added
up. Exact profiles give an exact one. Approximate ones, in any mixture with exact ones, keep their error
bounds: the bound of a context is the sum of its bounds in the parts. Contexts are dropped if there are
more than the largest part monitored.

Profiles of sonde memory are merged likewise: counts of equal lines, types and places are added up. They must
be of the same caches. Profiles of sonde paths are merged up to the shortest sequences that one of them has.

Files with different paths on different machines give different functions.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.base.errors import EXIT_OK, InputError, UsageError
from sonde.base.same_file import real_path
from sonde.base.units import counted, format_count
from sonde.cli.kinds import kind_of_all, not_offered, resolve_profile
from sonde.instruments.kind import About, Kind
from sonde.options.output import add_force_option, check_output_path
from sonde.render.progress_line import ProgressLine
from sonde.render.stages import Stages
from sonde.store.program_identity import program_name

_READING, _STAGES = 35.0, {"bringing together": 25.0, "writing": 40.0}
"""About what part of the time each takes."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde merge`."""
    parser.add_argument("profiles", type=Path, nargs="+", metavar="profile", help="a .sonde file")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the .sonde file to write")
    parser.add_argument(
        "--anyway", action="store_true", help="merge profiles of different programs; their trees stand side by side"
    )
    add_force_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Merge profiles into a file.

    Raises:
        UsageError: the output exists, a file is named twice, or `not-of-this-kind`: this kind is not merged.
        InputError: a profile cannot be read, two are of different kinds or programs, or cannot be brought together.
        SondeError: `cannot-write`.
    """
    output = check_output_path(arguments.output, force=arguments.force, device_allowed=False)
    paths: list[Path] = arguments.profiles
    _check_different(paths)
    resolved = [resolve_profile(path) for path in paths]
    kind = kind_of_all(resolved)
    if kind.merged is None or kind.read is None or kind.write is None or kind.about is None:
        raise not_offered("merge", kind, paths[0])
    began = time.monotonic()
    parts = _read_all(kind, resolved)
    took = time.monotonic() - began
    abouts = [kind.about(part) for part in parts]
    if not arguments.anyway:
        _check_one_program(kind, parts, abouts, paths)
    with Stages("sonde: merging", _STAGES, before=(_READING, took)) as stages:
        merged = kind.merged(parts, [str(path) for path in paths])
        stages.begin("writing")
        kind.write(output, merged)
        about = kind.about(merged)
    print(f"merged {counted(len(parts), 'profile')} into {output}: {about.summary}", file=sys.stderr)
    known = {loss.kind for each in abouts for loss in each.losses}
    for loss in about.losses:
        if loss.kind not in known:
            print(f"note: {loss.kind}: {format_count(loss.amount)}: {loss.detail}", file=sys.stderr)
    return EXIT_OK


def _read_all(kind: Kind[Any], paths: Sequence[Path]) -> list[Any]:
    """The profiles; on a terminal, with how many of them have been read."""
    assert kind.read is not None
    progress = ProgressLine("sonde: profiles read:")
    parts = []
    try:
        for done, path in enumerate(paths):
            progress(done, len(paths))
            parts.append(kind.read(path))
    finally:
        progress.close()
    return parts


def _check_different(paths: Sequence[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        first = seen.setdefault(real_path(path), path)
        if first is not path:
            raise UsageError(
                f"cannot merge '{path}' with '{first}': they are the same file, and its calls would count twice",
                slug="same-profile-twice",
                hint="name each file once",
            )


def _check_one_program(kind: Kind[Any], parts: Sequence[Any], abouts: Sequence[About], paths: Sequence[Path]) -> None:
    for part, about, path in zip(parts, abouts, paths, strict=True):
        names = [program_name(each.command) for each in (abouts[0], about)]
        why = f"'{names[0]}' and '{names[1]}'" if all(names) and names[0] != names[1] else ""
        if not why and kind.why_not_one_program is not None:
            why = kind.why_not_one_program(parts[0], part)
        if why:
            raise InputError(
                f"cannot merge '{paths[0]}' and '{path}': they are of different programs, {why}",
                slug="different-programs",
                hint="leave one out, or merge them all the same with --anyway",
            )
