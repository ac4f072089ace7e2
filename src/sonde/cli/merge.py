"""Bring several profiles of one program together: processes, machines, days.

    sonde merge monday.sonde tuesday.sonde -o week.sonde
    sonde merge worker-*.sonde -o all.sonde --force

Contexts are one when functions of the same name, file and line lead to them; their values are added
up. Exact profiles give an exact one. Approximate ones, in any mixture with exact ones, keep their
bounds: what a context may have more than was counted is the sum of what it may have more in each
part. Contexts are dropped when there are more than the largest part monitored.

Profiles of sonde memory are merged likewise: counts of equal lines, types and places are added up. They must
be of the same caches.

Files that are not on every machine under the same path give different functions.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import EXIT_OK, InputError, UsageError
from sonde.base.units import counted, format_count
from sonde.cli.profile_argument import kind_of_all, resolve_profile
from sonde.instruments.contexts.profile import (
    ContextProfile,
    are_of_one_program,
    merge_profiles,
    read_profile,
    write_profile,
)
from sonde.instruments.contexts.report.exactness import metric_amount
from sonde.instruments.memory.verb.profiles import merge_memory
from sonde.options.output import add_force_option, check_output_path
from sonde.store.program_identity import program_name

_ONLY_IN_MERGES = ("times-not-merged", "sources-differ")
"""Losses that come from merging, not from measuring."""


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
        UsageError: the output exists, or a file is named twice.
        InputError: a profile cannot be read, two are of different programs, or `merge_profiles` refuses them.
        SondeError: `cannot-write`.
    """
    output = check_output_path(arguments.output, force=arguments.force, device_allowed=False)
    paths: list[Path] = arguments.profiles
    _check_different(paths)
    resolved = [resolve_profile(path) for path in paths]
    if kind_of_all(resolved).name == "memory":
        return merge_memory(resolved, output, anyway=arguments.anyway)
    parts = [read_profile(path) for path in resolved]
    if not arguments.anyway:
        _check_one_program(parts, paths)
    merged = merge_profiles(parts, names=[str(path) for path in paths])
    write_profile(output, merged)
    print(f"merged {counted(len(parts), 'profile')} into {output}: {_summary(merged)}", file=sys.stderr)
    known = {loss for part in parts for loss in part.losses}
    for loss in merged.losses:
        if loss.kind in _ONLY_IN_MERGES and loss not in known:
            print(f"note: {loss.kind}: {format_count(loss.amount)}: {loss.detail}", file=sys.stderr)
    return EXIT_OK


def _check_different(paths: Sequence[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        first = seen.setdefault(path.resolve(), path)
        if first is not path:
            raise UsageError(
                f"cannot merge '{path}' with '{first}': they are the same file, and its calls would count twice",
                slug="same-profile-twice",
                hint="name each file once",
            )


def _check_one_program(parts: Sequence[ContextProfile], paths: Sequence[Path]) -> None:
    for part, path in zip(parts, paths, strict=True):
        if not are_of_one_program(parts[0], part):
            raise InputError(
                f"cannot merge '{paths[0]}' and '{path}': they are of different programs, {_why(parts[0], part)}",
                slug="different-programs",
                hint="leave one out, or merge them all the same with --anyway",
            )


def _why(one: ContextProfile, other: ContextProfile) -> str:
    names = [program_name(profile.run.command) for profile in (one, other)]
    if all(names) and names[0] != names[1]:
        return f"'{names[0]}' and '{names[1]}'"
    return "no function ran in both"


def _summary(merged: ContextProfile) -> str:
    contents = f"{counted(len(merged.contexts), 'context')}, {counted(merged.total_calls, 'call')}"
    bounds = merged.approximation
    if bounds is None:
        return f"{contents}, {'sampled' if merged.sampling else 'exact'}"
    most = max(bounds.floor, max(merged.errors(), default=0))
    amount = metric_amount(bounds.metric, most)
    share = 100 * most / merged.metric_total if merged.metric_total else 0.0
    of_what = "time in threads" if bounds.metric == "time" else "calls"
    sampled = " of what was sampled" if merged.sampling else ""
    return f"{contents}; no context has more than {amount}{sampled} beyond its value ({share:.2g}% of the {of_what})"
