"""What the two ways to measure have in common: how long, into which file, progress, interruptions, the report."""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from sonde.base.errors import EXIT_FAILED, EXIT_OK, SondeError, UsageError
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import BaselineOptions, MeasuringOptions
from sonde.instruments.bench.verb.judgement import report
from sonde.instruments.bench.verb.outputs import check_current_folder, check_outputs
from sonde.instruments.bench.verb.place import Place
from sonde.options.declared import options_from

if TYPE_CHECKING:
    from sonde.instruments.bench.measurements import Series
    from sonde.instruments.bench.runs.observer import Observer
    from sonde.instruments.bench.runs.plan import Plan
    from sonde.instruments.bench.runs.run import Ending

_ASKING_TO_END = (signal.SIGTERM, signal.SIGHUP)


def measure(plan: "Plan", arguments: argparse.Namespace, *, seed_is_chosen: bool) -> int:
    """Carry out a plan, and report.

    Returns:
        The exit code: 0; 1 when an invocation failed; 128 and the signal's number when it was interrupted (130 by
        Ctrl-C, 143 by SIGTERM, 129 by SIGHUP).
    Raises:
        SondeError: something cannot be run, stored or written.
        UsageError: `no-such-alternative`.
    """
    from sonde.instruments.bench.judging import check_baseline  # NumPy and SciPy, which --help does without

    check_current_folder()
    options = options_from(MeasuringOptions, arguments)
    _check(options)
    check_outputs(plan, arguments, options)
    baseline = options_from(BaselineOptions, arguments).baseline
    check_baseline([[one.name for one in each.alternatives] for each in plan.benchmarks], baseline)
    with _interruptible() as signals:
        try:
            ending = _carry_out(plan, arguments, options_from(Policy, arguments), seed_is_chosen=seed_is_chosen)
            is_interrupted = ending.interrupted
        except KeyboardInterrupt:
            is_interrupted = True
    if is_interrupted:
        return 128 + (signals[0] if signals else signal.SIGINT)
    return EXIT_FAILED if ending.failures else EXIT_OK


def _carry_out(plan: "Plan", arguments: argparse.Namespace, policy: Policy, *, seed_is_chosen: bool) -> "Ending":
    # NumPy, SciPy and SQLite, which --help does without.
    from sonde.instruments.bench.environment import LoadWatch, describe, doubts
    from sonde.instruments.bench.judging import judge, take_samples
    from sonde.instruments.bench.runs.half_widths import half_widths_by
    from sonde.instruments.bench.runs.process_invoker import ProcessInvoker
    from sonde.instruments.bench.runs.run import Run
    from sonde.instruments.bench.runs.session import open_session

    options = options_from(MeasuringOptions, arguments)
    invoker, observer = ProcessInvoker(), _observer(quiet=options.quiet, alone=len(plan.benchmarks) == 1)
    for benchmark, alternative in plan.cells():
        invoker.check(benchmark, alternative)

    def check(series: "Series") -> None:
        try:
            take_samples((series,), policy)
        except UsageError:
            place.is_done()  # a first invocation is not worth a temporary file
            raise

    lost: SondeError | None = None
    with Place(options.results) as place:
        force = arguments.force and not options.resume
        writer, plan = open_session(
            place.path, plan, describe(), resume=options.resume, force=force, seed_is_chosen=seed_is_chosen
        )
        with writer:
            place.is_open(writer)
            usual = plan.benchmarks[0].conditions
            for doubt in doubts(pin=usual.pin, aslr=usual.aslr, hash_seed=usual.hash_seed):
                writer.add_doubt(doubt)
            begun = writer.measurements()
            half_widths = half_widths_by(policy)
            run = Run(plan, writer, invoker, observer, half_widths=half_widths, watch=LoadWatch(), check=check)
            ending: Ending | None = None
            try:
                ending = run.go()
            except SondeError:
                if place.stored(run.series()) is not None:
                    raise
        measurements = place.stored(run.series())
        if measurements is None:
            measurements = replace(begun, series=run.series(), provenance=replace(begun.provenance, file=""))
            has_some = any(series.invocations for series in measurements.series)
            lost = _lost(place.path, place.rescue(measurements) if has_some else None)
        if ending is not None and (not ending.interrupted or run.is_complete):
            place.is_done()
    if lost is None and ending is not None and (not options.quiet or (place.is_temporary and place.is_kept)):
        _tell(ending, place, plan)
    if any(series.invocations for series in measurements.series):
        if not place.is_kept:  # the file is gone
            measurements = replace(measurements, provenance=replace(measurements.provenance, file=""))
        report(judge(measurements, policy, baseline=options_from(BaselineOptions, arguments).baseline), arguments)
    if lost is not None:
        raise lost
    assert ending is not None
    return ending


def _lost(path: Path, rescued: Path | None) -> SondeError:
    return SondeError(
        f"cannot keep results in '{path}': it was removed, replaced or damaged while the run went on",
        slug="results-lost",
        hint=f"what was measured is in '{rescued}'" if rescued else "run it again",
    )


def _check(options: MeasuringOptions) -> None:
    """Refuse options that do not fit together."""
    if options.rounds is not None:
        for option, value in (
            ("--precision", options.precision),
            ("--min-rounds", options.min_rounds),
            ("--max-rounds", options.max_rounds),
        ):
            if value is not None:
                raise UsageError(
                    f"cannot use {option} with --rounds: that is a fixed number, and this asks for as many as it takes",
                    slug="usage",
                    hint=f"leave out {option}",
                )
    if options.resume and options.results is None:
        raise UsageError("cannot resume: no file was named", slug="usage", hint="add -o results.sonde")


def _observer(*, quiet: bool, alone: bool) -> "Observer":
    if quiet:
        from sonde.instruments.bench.runs.observer import Silence

        return Silence()
    from sonde.instruments.bench.verb.progress import Progress

    return Progress(alone=alone)


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Let those who ask sonde to end have the same answer as Ctrl-C: the process under way is ended, all is reported.

    Yields:
        the signals that came.
    """
    came: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt

    before: dict[signal.Signals, Any] = {}
    try:
        for number in _ASKING_TO_END:
            if signal.getsignal(number) == signal.SIG_DFL:  # ignored, as by nohup: it stays so
                before[number] = signal.signal(number, interrupt)
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(ending: "Ending", place: Place, plan: "Plan") -> None:
    """Say what the report does not: how the run ended, and where the results are."""
    said = []
    if ending.interrupted:
        how = "; go on with --resume" if not place.is_temporary else ""
        where = f"; what was measured is in '{place.path}'{how}" if place.is_kept else ""
        said.append(f"interrupted{where}")
    elif not place.is_temporary:
        said.append(f"wrote {place.path}")
    for names, why, option in (
        (ending.out_of_time, f"{plan.budget_s or 0.0:g} s were used up", "--budget"),
        (ending.not_precise, "the most rounds that are allowed were run", "--max-rounds"),
    ):
        if names:
            who = f"{_listed(names)} became" if len(plan.benchmarks) > 1 else "it became"
            said.append(f"{why} before {who} as precise as asked for; {option} allows more")
    for text in said:
        print(f"sonde: {text}", file=sys.stderr)


def _listed(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" for name in names[:most]) + more
