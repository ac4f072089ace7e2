"""What the two ways to measure have in common: how long, into which file, progress, interruptions, the report."""

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from sonde.bench.runs.quantities import count_of, seconds_of, share_of
from sonde.cli.bench_judgement import add_report_options, check_report_options, report
from sonde.cli.bench_policy import add_policy_options, policy_of
from sonde.cli.output import check_output_path
from sonde.errors import EXIT_FAILED, EXIT_OK, UsageError

if TYPE_CHECKING:
    from sonde.bench.results_file import ResultsWriter
    from sonde.bench.runs.observer import Observer
    from sonde.bench.runs.plan import Plan
    from sonde.bench.runs.run import Ending

_T = TypeVar("_T")
_ASKING_TO_END = (signal.SIGTERM, signal.SIGHUP)


def checked_by(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """What reads a value for argparse, from what raises ValueError with a sentence."""

    def checked(text: str) -> _T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


@checked_by
def natural_number(text: str) -> int:
    """Read a whole number for argparse, 0 or more."""
    return count_of(text, 0)


@checked_by
def _two_or_more(text: str) -> int:
    return count_of(text, 2)


def add_measuring_options(parser: argparse.ArgumentParser) -> None:
    """Add what says how long, into which file, and how it is judged and reported."""
    parser.add_argument("-o", dest="results", type=Path, metavar="FILE", help="keep the results (.sonde)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in FILE, where there is one")
    parser.add_argument("--rounds", type=checked_by(count_of), metavar="N", help="invocations of each alternative")
    parser.add_argument(
        "--precision",
        type=checked_by(share_of),
        metavar="SHARE",
        help="repeat until the half-width of each interval is below this share (default: 1%%)",
    )
    parser.add_argument("--budget", type=checked_by(seconds_of), metavar="TIME", help="at most so long: 60s, 10min")
    parser.add_argument("--min-rounds", type=_two_or_more, metavar="N", help="with --precision (default: 10)")
    parser.add_argument(
        "--max-rounds", type=_two_or_more, metavar="N", help="with --precision (default: 1000, in a suite 100)"
    )
    parser.add_argument(
        "--warmup", type=natural_number, metavar="N", help="rounds before, which do not count (default: 1)"
    )
    parser.add_argument("--timeout", type=checked_by(seconds_of), metavar="TIME", help="of each invocation")
    parser.add_argument("--seed", type=natural_number, metavar="N", help="of the random order (default: a new one)")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    add_policy_options(parser)
    add_report_options(parser)


def measure(plan: "Plan", arguments: argparse.Namespace, *, seed_is_chosen: bool) -> int:
    """Carry out a plan, and report.

    Returns:
        The exit code: 0; 1 when an invocation failed; 128 and the signal's number when it was interrupted.
    Raises:
        SondeError: something cannot be run, stored or written.
    """
    _check(arguments)
    policy = policy_of(arguments)
    # NumPy, SciPy and SQLite, which --help does without.
    from sonde.bench.environment import LoadWatch, describe, doubts
    from sonde.bench.judging import judge
    from sonde.bench.runs.half_widths import half_widths_by
    from sonde.bench.runs.process_invoker import ProcessInvoker
    from sonde.bench.runs.run import Run
    from sonde.bench.runs.session import open_session

    invoker, observer = ProcessInvoker(), _observer(quiet=arguments.quiet, alone=len(plan.benchmarks) == 1)
    for benchmark, alternative in plan.cells():
        invoker.check(benchmark, alternative)
    with _interruptible() as signals, _Place(arguments.results) as place:
        force = arguments.force and not arguments.resume
        writer, plan = open_session(
            place.path, plan, describe(), resume=arguments.resume, force=force, seed_is_chosen=seed_is_chosen
        )
        with writer:
            place.is_open(writer)
            usual = plan.benchmarks[0].conditions
            for doubt in doubts(pin=usual.pin, aslr=usual.aslr, hash_seed=usual.hash_seed):
                writer.add_doubt(doubt)
            run = Run(plan, writer, invoker, observer, half_widths=half_widths_by(policy), watch=LoadWatch())
            ending = run.go()
            measurements = writer.measurements()
        if not ending.interrupted:
            place.is_done()
    if not arguments.quiet:
        _tell(ending, place, plan)
    if any(series.invocations for series in measurements.series):
        if not place.is_kept:  # the file is gone
            measurements = replace(measurements, provenance=replace(measurements.provenance, file=""))
        report(judge(measurements, policy), arguments)
    if ending.interrupted:
        return 128 + (signals[0] if signals else signal.SIGINT)
    return EXIT_FAILED if ending.failures else EXIT_OK


class _Place:
    """Where results go: the file that was named, or a temporary one that stays when the run is cut off."""

    def __init__(self, named: Path | None) -> None:
        self.is_temporary = named is None
        self._folder = Path(tempfile.mkdtemp(prefix="sonde-bench-")) if named is None else None
        self.path = named if named is not None else Path(self._folder or "") / "results.sonde"
        self._was_there = self.path.exists()
        self._writer: ResultsWriter | None = None
        self._is_done = False
        self.is_kept = True

    def is_open(self, writer: "ResultsWriter") -> None:
        """From now on it may hold something worth keeping."""
        self._writer = writer

    def is_done(self) -> None:
        """All that was to be measured will be reported."""
        self._is_done = True

    def __enter__(self) -> "_Place":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        has_some = self._writer is not None and self._writer.has_recorded
        if self._folder is not None:
            self.is_kept = has_some and not self._is_done
            if not self.is_kept:
                shutil.rmtree(self._folder, ignore_errors=True)
        elif self._writer is not None and not has_some and not self._was_there:
            self.is_kept = False
            self.path.unlink(missing_ok=True)
        if kind is not None and self.is_kept and has_some:
            print(f"sonde: what was measured is in '{self.path}'", file=sys.stderr)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what does not fit together, and outputs that cannot be written, before any work."""
    if arguments.rounds is not None:
        for option, value in (
            ("--precision", arguments.precision),
            ("--min-rounds", arguments.min_rounds),
            ("--max-rounds", arguments.max_rounds),
        ):
            if value is not None:
                raise UsageError(
                    f"cannot use {option} with --rounds: that is a fixed number, and this asks for as many as it takes",
                    slug="usage",
                    hint=f"leave out {option}",
                )
    if arguments.resume and arguments.results is None:
        raise UsageError("cannot resume: no file was named", slug="usage", hint="add -o results.sonde")
    if arguments.results is not None:
        check_output_path(arguments.results, force=arguments.force or arguments.resume, device_allowed=False)
    check_report_options(arguments)


def _observer(*, quiet: bool, alone: bool) -> "Observer":
    if quiet:
        from sonde.bench.runs.observer import Silence

        return Silence()
    from sonde.cli.bench_progress import Progress

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


def _tell(ending: "Ending", place: _Place, plan: "Plan") -> None:
    """Say what the report does not: how the run ended, and where the results are."""
    said = []
    if ending.interrupted:
        how = "; go on with --resume" if not place.is_temporary else ""
        where = f"; what was measured is in '{place.path}'{how}" if place.is_kept else "; nothing was measured"
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
