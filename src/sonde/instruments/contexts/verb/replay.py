"""`sonde replay` of traces of calls: exactly, what is hot, or as if the program had been watched in bursts."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sonde import __version__
from sonde.base.errors import EXIT_FAILED, EXIT_OK, InputError, UsageError
from sonde.base.same_file import real_path
from sonde.instruments.contexts.analyses import RecordedContexts
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.options import HotOptions, bursts_of, limits_of
from sonde.instruments.contexts.profile import ContextProfile, Loss, Run, merge_profiles, write_profile
from sonde.instruments.contexts.report import ContextLimits, contexts_report
from sonde.instruments.contexts.shown_code import ShownCode
from sonde.options.bursts import Bursts
from sonde.options.declared import options_from
from sonde.options.error_message import tell_error
from sonde.options.keeping import KeepOptions
from sonde.options.output import check_answer_options
from sonde.render.answers import print_answer
from sonde.render.progress_line import ProgressLine
from sonde.trace import TraceEnding, TraceReader


def run(arguments: argparse.Namespace) -> int:
    """Replay traces; 1 when one is damaged.

    Raises:
        UsageError: options that make no sense together, or an output that exists.
        InputError: a trace cannot be read, or holds no calls.
        SondeError: `cannot-write`.
    """
    keep, asked = options_from(KeepOptions, arguments), options_from(HotOptions, arguments)
    if asked.adaptive is not None:
        raise UsageError(
            "cannot leave out bursts of a recording by chance: --adaptive is for programs that run",
            slug="bad-burst",
            hint="sonde contexts --burst 20ms/2ms --adaptive 10% ...",
        )
    check_answer_options(arguments)
    keep.check_is_told(arguments, doing="replay")
    _check_files(arguments.traces, keep.output)
    output = keep.checked_output(force=arguments.force)
    readers = [TraceReader(path) for path in arguments.traces]
    timed = all(reader.about.clock != "none" for reader in readers)
    hot, bursts = limits_of(asked, timed=timed), bursts_of(asked)
    if bursts is not None and not timed:
        raise UsageError(
            "cannot count a trace in bursts: it has no times, as it was recorded with --no-time", slug="bad-burst"
        )
    replayed = [_replay(reader, hot, bursts) for reader in readers]
    profile = replayed[0] if len(replayed) == 1 else merge_profiles(replayed, names=list(map(str, arguments.traces)))
    if not len(profile.contexts):
        raise InputError(f"cannot make a profile of '{arguments.traces[0]}': it holds no calls", slug="empty-trace")
    if output is not None:
        write_profile(output, profile)
    _report(profile, keep, arguments)
    return EXIT_FAILED if any(loss.kind == "trace-damaged" for loss in profile.losses) else EXIT_OK


def _check_files(traces: Sequence[Path], output: Path | None) -> None:
    seen: set[Path] = set()
    for path in map(real_path, traces):
        if path in seen:
            raise UsageError(
                f"cannot count '{path.name}' twice: it is the same file", slug="same-profile-twice", hint="name it once"
            )
        seen.add(path)
    if output is not None and real_path(output) in seen:
        raise UsageError(
            f"cannot write the profile to '{output}': it is the trace", slug="two-outputs", hint="another -o"
        )


def _replay(reader: TraceReader, hot: HotLimits | None, bursts: Bursts | None) -> ContextProfile:
    contexts = RecordedContexts(reader, hot, bursts)
    progress = ProgressLine("sonde: events replayed:")
    # A recording that was cut off does not know how many there are.
    tell = partial(_tell, progress, reader)
    losses: list[Loss] = []
    try:
        contexts.replay(progress=tell)
    except InputError as error:
        if error.slug != "corrupt-trace":
            raise
        tell_error(error)
        losses.append(Loss("trace-damaged", 1, str(error).partition("\n")[0].partition(": ")[2]))
    finally:
        progress.close()
    if reader.ending is not None:
        losses += _missing(reader.ending)
    run = _run(reader, damaged=bool(losses) and losses[0].kind == "trace-damaged")
    profile = contexts.snapshot(run)
    return _with_losses(profile, losses)


def _tell(progress: ProgressLine, reader: TraceReader) -> None:
    progress(reader.native.events, reader.native.total_events or None)


def _missing(ending: TraceEnding) -> list[Loss]:
    losses = []
    if ending.lost_events:
        losses.append(
            Loss(
                "events-not-recorded",
                ending.lost_events,
                "calls and returns found no room, in the trace or in the tree of the process, and were not recorded",
            )
        )
    if ending.state == "cut off":
        detail = (
            "the recording has no end: the program was killed, replaced itself or still runs, or part of the file is"
            " missing"
        )
        losses.append(Loss("trace-cut-off", max(1, ending.unreadable_bytes), detail))
    return losses


def _run(reader: TraceReader, *, damaged: bool) -> Run:
    about = reader.about
    whole = reader.ending is not None and reader.ending.state == "finished" and not damaged
    return Run(
        command=tuple(about.command.split("\n")),
        duration_ns=max(0, about.end_ns - about.start_ns) if about.end_ns is not None else 0,
        ended="ended" if whole else "cut off",
        clock=about.clock,
        sonde_version=__version__,
        complete=whole,
    )


def _with_losses(profile: ContextProfile, losses: list[Loss]) -> ContextProfile:
    return replace(profile, losses=(*profile.losses, *losses))


def _report(profile: ContextProfile, keep: KeepOptions, arguments: argparse.Namespace) -> None:
    is_data = arguments.json or arguments.markdown
    if is_data or not keep.quiet:
        code = options_from(ShownCode, arguments)
        report = contexts_report(profile, ContextLimits(code.min_share), code, with_data=arguments.json)
        print_answer(report, arguments, sys.stdout)
    if not (is_data or keep.quiet or keep.output is None):
        print(f"sonde: wrote {keep.output}", file=sys.stderr)
