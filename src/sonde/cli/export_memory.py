"""What `sonde export` does with profiles of memory accesses."""

import argparse
import sys
from pathlib import Path
from shlex import quote

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.units import format_count
from sonde.base.whole_file import written_whole
from sonde.cli.profile_argument import check_options
from sonde.formats import CALLGRIND, CALLGRIND_SUFFIX, write_callgrind
from sonde.instruments.memory.kind import MEMORY
from sonde.instruments.memory.profile import read_memory_profile
from sonde.options.output import check_output_path, print_json


def export_memory(path: Path, arguments: argparse.Namespace) -> int:
    """Export a profile, to callgrind's format: others have no place for what it tells.

    Raises:
        UsageError: another format is asked for, or the output exists.
    """
    if arguments.to != CALLGRIND:
        raise UsageError(
            f"cannot write '{arguments.profile}' as {arguments.to}: it is a profile of memory accesses, without calls",
            slug="format-of-other-kind",
            hint=f"write --to {CALLGRIND}",
        )
    check_options(MEMORY, arguments.profile, {"--metric": arguments.metric is not None})
    if arguments.output == "-":
        if arguments.json:
            raise UsageError(
                "cannot print JSON about the export: '-o -' already sends the export itself to stdout",
                slug="two-outputs-on-stdout",
                hint="drop --json, or write to a file",
            )
        profile = read_memory_profile(path, with_sources=False)
        sys.stdout.flush()
        write_callgrind(profile, sys.stdout.buffer)
        return EXIT_OK
    output = Path(arguments.output or arguments.profile.name.removesuffix(".sonde") + CALLGRIND_SUFFIX)
    check_output_path(output, force=arguments.force)
    profile = read_memory_profile(path, with_sources=False)
    with written_whole(output) as stream:
        write_callgrind(profile, stream)
    size_bytes = output.stat().st_size
    if arguments.json:
        fields = {"format": CALLGRIND, "path": str(output), "size_bytes": size_bytes, "losses": len(profile.losses)}
        print_json("export", 1, {**fields, "losses_in_file": False})
    else:
        print(f"wrote {output}: {format_count(size_bytes)} bytes", file=sys.stderr)
        name = quote(str(output))
        print(f"open with: callgrind_annotate {name}, or kcachegrind {name}", file=sys.stderr)
    unsaid = [f"{loss.kind}: {loss.amount}: {loss.detail}" for loss in profile.losses]
    for fact in unsaid + ["the run was cut off, the profile is partial"] * (not profile.run.complete):
        print(f"note: {CALLGRIND} has no room to say it: {fact}", file=sys.stderr)
    return EXIT_OK
