"""What is made of a run under the tool: its profile, kept and shown; or why there is none."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from sonde.base.errors import EXIT_FAILED, EXIT_MISSING_CAPABILITY, SondeError
from sonde.instruments.memory.options import MemoryOptions, WatchOptions
from sonde.instruments.memory.profile.latencies import Latencies
from sonde.instruments.memory.source import ToolRun, read_advice, read_jit_code, read_record, read_totals
from sonde.options.output import print_json

if TYPE_CHECKING:
    from sonde.instruments.memory.profile.memory_profile import (  # loaded while the program runs
        MemoryProfile,
        MemoryRun,
    )
    from sonde.instruments.memory.toolkit import ToolSource

_LOSSES_OF_TRACE = {
    "accesses-not-traced": "writing failed, and it lacks {:,} accesses",
    "segments-not-traced": "it lacks {:,} runs of code, for which the tool had no space",
}


class Wanted(NamedTuple):
    """What is to become of the profile."""

    output: Path | None
    is_quiet: bool
    watch: WatchOptions
    shown: MemoryOptions
    latencies: Latencies | None
    """What misses are weighed by."""
    arguments: argparse.Namespace
    """With the form of the answer."""

    @property
    def is_data(self) -> bool:
        """Whether programs read the answer, which is given even if people shall hear nothing."""
        return bool(self.arguments.json or self.arguments.markdown)


def finish(
    ended: ToolRun,
    command: tuple[str, ...],
    own: "ToolSource | None",
    wanted: Wanted,
) -> int:
    """Whatever becomes of the profile, the program has run and ends as it ended; the exit code if it succeeded."""
    if ended.fault is not None:
        print(f"sonde: {ended.fault}", file=sys.stderr)
    for refusal in ended.refusals:
        said = f"{refusal.process}: {refusal.reason}"
        print(f"sonde: Python lines and objects are not known: no agent in {said}", file=sys.stderr)
    if ended.refusals:
        hint = ended.refusals[0].cure(
            "sonde memory measures CPython 3.11 to 3.15, by the sonde that is installed there"
        )
        print(f"hint: {hint}", file=sys.stderr)
    from sonde.render.kept_answer import concluded  # once the program has run

    return concluded(lambda: _report(ended, command, own, wanted))


def _report(
    ended: ToolRun,
    command: tuple[str, ...],
    own: "ToolSource | None",
    wanted: Wanted,
) -> int:
    from sonde.instruments.memory.profile import write_memory_profile
    from sonde.instruments.memory.report import memory_report
    from sonde.instruments.memory.verb.sources import with_source_texts
    from sonde.render.answers import print_answer
    from sonde.render.kept_answer import keep_profile

    if not ended.record.exists():
        _explain_nothing(ended)
        return EXIT_MISSING_CAPABILITY if ended.fault is None else EXIT_FAILED
    if wanted.watch.count_only:
        return _report_counts(ended, command, wanted)
    counted = read_record(ended.record, read_jit_code(ended.folder)).profile(_run_of(ended, command))
    profile = with_source_texts(replace(counted, measured_latencies=wanted.latencies))
    if not profile.accesses:
        _explain_nothing(ended)
        return EXIT_MISSING_CAPABILITY
    unkept = None
    if wanted.output is not None:
        unkept = keep_profile(wanted.output, lambda file: write_memory_profile(file, profile))
    if wanted.is_data or not wanted.is_quiet:
        print_answer(memory_report(profile, wanted.shown), wanted.arguments, sys.stderr)
    if not wanted.is_quiet and wanted.output is None:
        print("sonde: the profile was not kept; -o run.sonde keeps it", file=sys.stderr)
    elif not wanted.is_quiet and unkept is None:
        kept = quote(str(wanted.output))
        print(f"sonde: wrote {wanted.output}; sonde view {kept} --html run.html", file=sys.stderr)
    if own is not None:
        _report_tool(own, ended)
    if unkept is not None:
        raise unkept
    if wanted.watch.trace is not None:
        _check_trace(wanted.watch.trace, profile)
    return 0


def _check_trace(trace: Path, profile: "MemoryProfile") -> None:
    """What a trace lacks is an error, which `--quiet` does not silence."""
    lacking = [
        _LOSSES_OF_TRACE[loss.kind].format(loss.amount) for loss in profile.losses if loss.kind in _LOSSES_OF_TRACE
    ]
    if not trace.exists():
        lacking = ["the tool could not make it"]
    if lacking:
        raise SondeError(
            f"cannot write '{trace}': {lacking[0]}", slug="cannot-write", hint="choose another place, or make room"
        )


def _report_tool(own: "ToolSource", ended: ToolRun) -> None:
    from sonde.instruments.memory.toolkit import ResultNames, read_results, tool_report

    advice = read_advice(ended.record)
    report = tool_report(own, read_results(advice.lines), ResultNames(advice.types, advice.methods, advice.places))
    print(report.text, end="", file=sys.stderr)
    for notice in report.notices:
        print(f"sonde: {notice}", file=sys.stderr)


def _report_counts(ended: ToolRun, command: tuple[str, ...], wanted: Wanted) -> int:
    import shlex

    totals = read_totals(ended.record)
    counts = {key: totals[key] for key in ("instructions", "loads", "stores", "modifies")}
    if not counts["instructions"]:
        _explain_nothing(ended)
        return EXIT_MISSING_CAPABILITY
    if wanted.arguments.json:
        print_json("memory-counts", 1, {"command": command, "ended": ended.outcome.in_words, **counts})
    else:
        print(
            f"{shlex.join(command)}\n{counts['loads'] + counts['stores']:,} data accesses: {counts['loads']:,} loads"
            f" ({counts['modifies']:,} of them store, too), {counts['stores']:,} stores"
            f"\n{counts['instructions']:,} instructions · {ended.outcome.in_words} · {ended.tool}",
            file=sys.stderr,
        )
    return 0


def _run_of(ended: ToolRun, command: tuple[str, ...]) -> "MemoryRun":
    import platform
    from datetime import UTC, datetime

    from sonde import __version__
    from sonde.instruments.memory.profile.memory_profile import MemoryRun

    return MemoryRun(
        command=command,
        started_at=datetime.fromtimestamp(ended.outcome.started_at, UTC).isoformat(timespec="milliseconds"),
        duration_ns=ended.outcome.duration_ns,
        ended=ended.outcome.in_words,
        machine=f"{platform.system()} {platform.machine()}",
        sonde_version=__version__,
        tool=ended.tool,
    )


def _explain_nothing(ended: ToolRun) -> None:
    """Say on stderr why there is no profile."""
    if ended.fault is not None or ended.refusals:
        return  # it has been said
    if ended.outcome.signal is not None and not ended.record.exists():
        message = f"nothing was measured: {ended.outcome.in_words}, before the tool could write what it had found"
        hint = "stop a program with SIGINT or SIGTERM: SIGKILL leaves what was written after each 2^28 accesses"
    elif not ended.record.exists():
        message = "nothing was measured: the command became another program, which Valgrind does not follow"
        hint = 'name that program itself, e.g. sonde memory -- "$(pyenv which python)" app.py'
    else:
        message = "nothing was measured: no window of measuring was opened"
        hint = (
            "a program that ends before it begins has none, nor has one without marks; --window all measures it whole"
        )
    print(f"sonde: {message}\nhint: {hint}", file=sys.stderr)
