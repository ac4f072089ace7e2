"""Write a profile in another tool's format.

    sonde export run.sonde --to speedscope            writes run.speedscope.json
    sonde export run.sonde --to pprof -o run.pb.gz
    sonde export run.sonde --to collapsed -o - | flamegraph.pl > run.svg
    sonde export run.sonde --to chrome --metric calls
    sonde export run.sonde --to callgrind             or what sonde memory wrote
    sonde export t.addr --to din -o - |
      dineroIV -informat d -l1-dsize 32k -l1-dbsize 64

formats:
    speedscope   https://www.speedscope.app
    pprof        go tool pprof, and everything that reads its files
    collapsed    one line per stack, for flame graph tools
    chrome       trace events, for https://ui.perfetto.dev and chrome://tracing
    callgrind    callgrind_annotate, KCachegrind; the only one for profiles of memory accesses

formats of address traces (sonde memory --trace):
    din            Dinero: label and address
    lackey         what valgrind --tool=lackey --trace-mem=yes prints
    addresses-csv  ip, address, size, kind, thread
    addresses-raw  the same in records of 24 bytes

A profile has no time axis: speedscope and chrome show sums per calling context, laid out
side by side, not moments in time. In profiles of bounded memory, "(not listed)" holds what
contexts had that were given up. Files say how far such values, and sampled ones, may be off;
for collapsed stacks, which have no room for it, it is printed.
"""

import argparse
import sys
from pathlib import Path
from shlex import quote

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.units import format_count
from sonde.base.whole_file import written_whole
from sonde.cli.export_addresses import export_addresses
from sonde.cli.export_memory import export_memory
from sonde.cli.profile_argument import kind_of_profile, resolve_profile
from sonde.formats import FORMATS, METRICS, Format, choose_metric, doubts, format_named
from sonde.instruments.contexts.profile import ContextProfile, read_profile
from sonde.options.output import add_force_option, add_json_option, check_output_path, print_json
from sonde.trace import ADDRESS_FORMS, is_address_trace

_STREAM = "-"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde export`."""
    parser.add_argument("profile", type=Path, help="a .sonde file, or an address trace")
    names = "|".join([*(each.name for each in FORMATS), *ADDRESS_FORMS])
    parser.add_argument("--to", required=True, metavar="FORMAT", help=f"format to write: {names}")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to write, '-' for stdout (default: the profile's name with the format's suffix, in this folder)",
    )
    parser.add_argument(
        "--metric",
        choices=METRICS,
        help="what weights are: nanoseconds of time, or calls (default: time when it was measured, else calls)",
    )
    add_force_option(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Export one profile.

    Raises:
        UsageError: unknown format, no such metric in this profile, output exists, a binary
            format to a terminal, or two answers for one stdout.
        InputError: the profile cannot be read.
        SondeError: `cannot-write`.
    """
    if arguments.to in ADDRESS_FORMS or is_address_trace(arguments.profile):
        return export_addresses(arguments)
    target = format_named(arguments.to)
    source = resolve_profile(arguments.profile)
    if kind_of_profile(source).name == "memory":
        return export_memory(source, arguments)
    if arguments.output == _STREAM:
        return _export_to_stdout(arguments, target)
    path = Path(arguments.output or _default_name(arguments.profile, target))
    check_output_path(path, force=arguments.force)
    profile = read_profile(resolve_profile(arguments.profile), with_sources=False)
    metric = choose_metric(profile, arguments.metric)
    with written_whole(path) as stream:
        target.write(profile, stream, metric=metric)
    size_bytes = path.stat().st_size
    if arguments.json:
        print_json(
            "export",
            1,
            {
                "format": target.name,
                "metric": metric,
                "path": str(path),
                "size_bytes": size_bytes,
                "contexts": len(profile.contexts),
                "losses": len(profile.losses),
                "losses_in_file": target.holds_losses,
            },
        )
    else:
        contents = f"{format_count(len(profile.contexts))} contexts, {format_count(size_bytes)} bytes"
        print(f"wrote {path}: {contents}, weights are {metric}", file=sys.stderr)
        print(f"open with: {target.open_with.format(path=quote(str(path)))}", file=sys.stderr)
    _say_what_the_file_cannot(profile, target)
    return EXIT_OK


def _export_to_stdout(arguments: argparse.Namespace, target: Format) -> int:
    if arguments.json:
        raise UsageError(
            "cannot print JSON about the export: '-o -' already sends the export itself to stdout",
            slug="two-outputs-on-stdout",
            hint="drop --json, or write to a file",
        )
    if target.binary and sys.stdout.isatty():
        raise UsageError(
            f"cannot write {target.name} to the terminal: it is binary",
            slug="binary-to-terminal",
            hint=f"drop '-o -', or redirect: > run{target.suffix}",
        )
    profile = read_profile(resolve_profile(arguments.profile), with_sources=False)
    sys.stdout.flush()
    target.write(profile, sys.stdout.buffer, metric=arguments.metric)
    _say_what_the_file_cannot(profile, target)
    return EXIT_OK


def _default_name(profile: Path, target: Format) -> str:
    return profile.name.removesuffix(".sonde") + target.suffix


def _say_what_the_file_cannot(profile: ContextProfile, target: Format) -> None:
    if target.holds_losses:
        return
    unsaid = [*doubts(profile), *(f"{loss.kind}: {loss.amount}: {loss.detail}" for loss in profile.losses)]
    if not profile.run.complete:
        unsaid.append("the run was cut off, the profile is partial")
    for fact in unsaid:
        print(f"note: {target.name} has no room to say it: {fact}", file=sys.stderr)
