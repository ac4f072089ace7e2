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
    callgrind    callgrind_annotate, KCachegrind; also for profiles of memory accesses

formats of address traces (sonde memory --trace):
    din            Dinero: label and address
    lackey         what valgrind --tool=lackey --trace-mem=yes prints
    addresses-csv  ip, address, size, kind, thread
    addresses-raw  the same in records of 24 bytes

A profile has no time axis: speedscope and chrome show sums per calling context, laid out
side by side, not moments in time. In profiles of bounded memory, "(not listed)" holds the
values of contexts that were not kept. Files state the errors of such values, and of sampled ones;
for collapsed stacks, which have no room for it, they are printed.
"""

import argparse
import sys
from pathlib import Path
from shlex import quote
from typing import Any

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.units import format_count
from sonde.base.whole_file import written_whole
from sonde.cli.export_addresses import export_addresses
from sonde.cli.kinds import kind_of, not_offered, resolve_profile
from sonde.formats import FORMATS, METRICS, Format, choose_metric, unknown_format
from sonde.instruments.kind import About, Kind
from sonde.options.declared import suggest
from sonde.options.output import add_force_option, add_json_option, check_output_path, print_json
from sonde.registry import entries
from sonde.render.stages import Stages
from sonde.trace import ADDRESS_FORMS, is_address_trace

_STREAM = "-"
_STAGES = {"reading": 35.0, "writing": 65.0}
"""About what part of the time each takes."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde export`."""
    parser.add_argument("profile", type=Path, help="a .sonde file, or an address trace")
    names = [*dict.fromkeys(each.name for each in FORMATS), *ADDRESS_FORMS]
    target = parser.add_argument("--to", required=True, metavar="FORMAT", help=f"format to write: {'|'.join(names)}")
    suggest(target, names)
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
        UsageError: unknown format, one of another kind of profile, no such metric in this profile, output exists, a
            binary format to a terminal, or two answers for one stdout.
        InputError: the profile cannot be read.
        SondeError: `cannot-write`.
    """
    if arguments.to in ADDRESS_FORMS or is_address_trace(arguments.profile):
        return export_addresses(arguments)
    formats: list[Format] = [entry.load() for entry in entries("format").values()]
    if arguments.to not in {each.name for each in formats}:
        raise unknown_format(arguments.to, (each.name for each in formats))
    source = resolve_profile(arguments.profile)
    kind = kind_of(source)
    target = _format_of_kind(formats, arguments, kind)
    if kind.read is None or kind.about is None:
        raise not_offered("export", kind, arguments.profile)
    if arguments.output == _STREAM:
        _check_stream(arguments, target)
        sys.stdout.flush()
        with Stages("sonde: exporting", _STAGES) as stages:
            profile = kind.read(source)
            stages.begin("writing")
            _write(target, profile, sys.stdout.buffer, arguments.metric)
        _say_what_the_file_cannot(profile, kind.about(profile), target)
        return EXIT_OK
    path = Path(arguments.output or arguments.profile.name.removesuffix(".sonde") + target.suffix)
    check_output_path(path, force=arguments.force)
    with Stages("sonde: exporting", _STAGES) as stages:
        profile = kind.read(source)
        about = kind.about(profile)
        metric = choose_metric(profile, arguments.metric) if target.has_metrics else None
        stages.begin("writing")
        with written_whole(path) as stream:
            _write(target, profile, stream, metric)
    size_bytes = path.stat().st_size
    if arguments.json:
        fields = {"format": target.name, "metric": metric, "path": str(path), "size_bytes": size_bytes}
        fields |= {"contents": about.summary, "losses": len(about.losses), "losses_in_file": target.holds_losses}
        print_json("export", 2, fields)
    else:
        weights = f", weights are {metric}" if metric else ""
        print(f"wrote {path}: {about.summary}, {format_count(size_bytes)} bytes{weights}", file=sys.stderr)
        print(f"open with: {target.open_with.format(path=quote(str(path)))}", file=sys.stderr)
    _say_what_the_file_cannot(profile, about, target)
    return EXIT_OK


def _format_of_kind(formats: list[Format], arguments: argparse.Namespace, kind: Kind[Any]) -> Format:
    """The format of the name that was given, for profiles of a kind."""
    of_kind = [each for each in formats if each.kind == kind.name]
    target = next((each for each in of_kind if each.name == arguments.to), None)
    if target is None:
        raise UsageError(
            f"cannot write '{arguments.profile}' as {arguments.to}: it holds {kind.words}",
            slug="format-of-other-kind",
            hint=" or ".join(f"--to {each.name}" for each in of_kind) or "sonde export --help",
        )
    if arguments.metric is not None and not target.has_metrics:
        raise UsageError(
            f"cannot use --metric on '{arguments.profile}': it holds {kind.words}",
            slug="option-of-other-kind",
            hint="leave out --metric",
        )
    return target


def _check_stream(arguments: argparse.Namespace, target: Format) -> None:
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


def _write(target: Format, profile: Any, stream: Any, metric: Any) -> None:
    if target.has_metrics:
        target.write(profile, stream, metric=metric)
    else:
        target.write(profile, stream)


def _say_what_the_file_cannot(profile: Any, about: About, target: Format) -> None:
    if target.holds_losses:
        return
    unsaid = [*target.doubts(profile), *(f"{loss.kind}: {loss.amount}: {loss.detail}" for loss in about.losses)]
    if not about.is_complete:
        unsaid.append("the run was cut off, the profile is partial")
    for fact in unsaid:
        print(f"note: {target.name} has no room to say it: {fact}", file=sys.stderr)
