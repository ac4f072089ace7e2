"""Runs of a program by itself, and sampled in every way that there is, in rounds."""

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import InputError, SondeError
from sonde.instruments.contexts.sources.sampling import (
    MECHANISMS,
    TRIGGERS,
    OwnSampling,
    OwnSamplingPlan,
    StackSampling,
)


class Way(NamedTuple):
    """One way of sampling."""

    mechanism: str
    trigger: str
    rate: float
    """Samples a second that are asked for."""


class StudyRun(NamedTuple):
    """A run of the program to its end."""

    elapsed_ns: int
    processor_ns: int
    sampling: OwnSampling | StackSampling | None
    """What was seen; None: it ran by itself."""
    refusal: str = ""
    """Why nothing could be seen."""


def all_ways(rates: Sequence[float]) -> list[Way]:
    """Every trigger with every mechanism that it goes with, at every rate."""
    own = [(mechanism, trigger) for mechanism in MECHANISMS for trigger in TRIGGERS]
    return [Way(*each, rate) for each in (("outside", "sleep"), *own) for rate in rates]


class StudyRuns:
    """Runs of one program; what it prints is thrown away.

    Args:
        argv: the command.
        ways: with those that turn out not to work on this machine, which are tried once.
        dense: the one that others are compared with.
    """

    def __init__(self, argv: tuple[str, ...], ways: Sequence[Way], dense: Way, seed: int = 0) -> None:
        self.argv = argv
        self.ways = [*ways, *([] if dense in ways else [dense])]
        self.dense = dense
        self.plain: list[StudyRun] = []
        self.runs: dict[Way, list[StudyRun]] = {way: [] for way in self.ways}
        self.refused: dict[Way, str] = {}
        self._random = random.Random(seed)

    def run_round(self) -> Iterator[None]:
        """Run the program by itself, and in each way, in random order; a step for each run.

        Raises:
            InputError: `program-fails`.
            SondeError: `cannot-execute`, `cannot-write`.
            MissingCapability: `no-agent`.
        """
        turns: list[Way | None] = [None, *(way for way in self.ways if way not in self.refused)]
        self._random.shuffle(turns)
        done: list[tuple[Way | None, StudyRun]] = []
        for way in turns:
            run = self._run(way)
            if run.refusal and way is not None:
                self.refused[way] = run.refusal
            else:
                done.append((way, run))
            yield
        for way, run in done:  # a round that was cut off does not count
            (self.plain if way is None else self.runs[way]).append(run)

    def _run(self, way: Way | None) -> StudyRun:
        if way is None:
            return _timed(self.argv, None, lambda _: None, None)
        period_ns = round(1e9 / way.rate)
        if way.mechanism == "outside":
            looking = StackSampling(period_ns, is_processor=True)

            def look(pid: int) -> None:
                looking.wait_for(pid)
                looking.begin()

            try:
                return _timed(self.argv, None, look, looking)
            finally:
                looking.end()
        with _folder() as folder:
            own = OwnSampling(OwnSamplingPlan(way.mechanism, way.trigger, period_ns), folder)
            try:
                run = _timed(self.argv, own.environment(), lambda _: own.begin(), own)
            finally:
                own.end()
            refusals = [refusal.reason for refusal in own.refusals()]
            if not refusals and not own.targets:
                refusals = ["it ran no Python that sonde has an agent for"]
            return run._replace(refusal=refusals[0] if refusals else "")


@contextmanager
def _folder() -> Iterator[Path]:
    try:
        with tempfile.TemporaryDirectory(prefix="sonde-study-") as folder:
            yield Path(folder)
    except OSError as error:
        raise SondeError(
            f"cannot make a folder for samples: {error.strerror}", slug="cannot-write", hint="set TMPDIR"
        ) from error


def _timed(
    argv: tuple[str, ...],
    environment: dict[str, str] | None,
    started: Callable[[int], None],
    sampling: OwnSampling | StackSampling | None,
) -> StudyRun:
    with tempfile.TemporaryFile() as errors:
        begin_ns = time.monotonic_ns()
        try:
            process = subprocess.Popen(
                argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
            )
        except OSError as error:
            raise SondeError(f"cannot run '{argv[0]}': {error.strerror}", slug="cannot-execute") from error
        try:
            started(process.pid)
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        elapsed_ns = time.monotonic_ns() - begin_ns
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
            how = f"exited with {process.returncode}" if process.returncode > 0 else f"died by {-process.returncode}"
            raise InputError(
                f"cannot study '{' '.join(argv)}': it {how}{': ' + last if last else ''}",
                slug="program-fails",
                hint="study a program that comes to its end by itself",
            )
    return StudyRun(elapsed_ns, round((used.ru_utime + used.ru_stime) * 1e9), sampling)
