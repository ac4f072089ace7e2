"""What is done around invocations and is not measured: setting up, preparing, cleaning up."""

import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from sonde.base.errors import MissingCapability, SondeError
from sonde.instruments.bench.invocations import Command, run_command
from sonde.instruments.bench.invocations.failures import last_line
from sonde.instruments.bench.runs.plan import Alternative, Benchmark, Plan


class ChoreFailed(Exception):
    """A shell command ended badly; the text says how, with the last line that it printed as an error."""


def run_chore(text: str, alternative: Alternative, *, timeout_s: float | None = None) -> None:
    """Let `sh` run a command where the alternative runs, with its environment; what it prints is discarded.

    What it leaves running is ended.

    Args:
        timeout_s: after which it is ended with all that it started.
    Raises:
        ChoreFailed: it exited with another code than 0, was killed, or took too long.
        KeyboardInterrupt: it was ended before.
    """
    work = alternative.work
    command = Command((text,), True, Path(work.folder) if work.folder else None, work.environment)
    try:
        done = run_command(command, timeout_s=timeout_s, counters=False)
    except MissingCapability:
        raise
    except SondeError as error:
        raise ChoreFailed(error.message) from error
    if done.outcome != "ok":
        raise ChoreFailed(done.detail or done.outcome)


def run_set_up(text: str, alternative: Alternative, *, timeout_s: float | None = None) -> None:
    """As `run_chore`, but what it leaves running stays if it ends well: it may be a server that is to be measured.

    Raises:
        ChoreFailed, KeyboardInterrupt: as there; nothing of its session is left.
    """
    work = alternative.work
    # A file and not a pipe: what the command starts in the background may hold it open for ever.
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                ["sh", "-c", text],
                cwd=work.folder or None,
                env={**os.environ, **work.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                start_new_session=True,
            )
        except OSError as error:
            raise ChoreFailed(f"{error.strerror}: '{error.filename}'") from error
        try:
            code = process.wait(timeout_s)
        except BaseException as error:
            _end_session(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise ChoreFailed(f"ended after {timeout_s:g} s") from error
            raise
        if code == 0:
            return
        _end_session(process)
        complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - 4096))
        said = last_line(complaints.read())
    how = f"exit code {code}" if code > 0 else f"killed by {signal.Signals(-code).name}"
    raise ChoreFailed(f"{how}: {said}" if said else how)


def _end_session(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Surroundings:
    """Sets up what a plan's alternatives need, each command once however many alternatives share it.

    Use it as a context manager: leaving the block cleans up what was set up, in reverse order.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._to_clean: list[tuple[Benchmark, Alternative]] = []
        self.complaints: list[str] = []
        """Clean-ups that failed, in words."""

    def set_up(self) -> None:
        """Run the set-up commands.

        Raises:
            SondeError: `setup-failed`.
        """
        done: set[object] = set()
        for benchmark, alternative in _distinct(self._plan):
            self._to_clean.append((benchmark, alternative))  # half a set-up is to be cleaned up too
            if not alternative.setup or _key(alternative, alternative.setup) in done:
                continue
            done.add(_key(alternative, alternative.setup))
            try:
                run_set_up(alternative.setup, alternative, timeout_s=benchmark.conditions.timeout_s)
            except ChoreFailed as failure:
                raise SondeError(
                    f"cannot set up '{alternative.setup}': {failure}",
                    slug="setup-failed",
                    hint="run it by hand: nothing was measured",
                ) from failure

    def clean_up(self) -> None:
        """Run the clean-up commands; those that fail are in `complaints`, and do not stop the others.

        Raises:
            KeyboardInterrupt: one was cut short; the others were run.
        """
        done: set[object] = set()
        interrupted: KeyboardInterrupt | None = None
        while self._to_clean:
            benchmark, alternative = self._to_clean.pop()
            if not alternative.cleanup or _key(alternative, alternative.cleanup) in done:
                continue
            done.add(_key(alternative, alternative.cleanup))
            try:
                run_chore(alternative.cleanup, alternative, timeout_s=benchmark.conditions.timeout_s)
            except ChoreFailed as failure:
                self.complaints.append(f"cannot clean up '{alternative.cleanup}': {failure}")
            except KeyboardInterrupt as error:
                self.complaints.append(f"cannot clean up '{alternative.cleanup}': interrupted")
                interrupted = error
        if interrupted is not None:
            raise interrupted

    def __enter__(self) -> "Surroundings":
        return self

    def __exit__(self, *_: object) -> None:
        self.clean_up()


def _distinct(plan: Plan) -> list[tuple[Benchmark, Alternative]]:
    """One of each kind of set-up and clean-up."""
    found: dict[object, tuple[Benchmark, Alternative]] = {}
    for benchmark, alternative in plan.cells():
        found.setdefault(_key(alternative, alternative.setup, alternative.cleanup), (benchmark, alternative))
    return list(found.values())


def _key(alternative: Alternative, *texts: str) -> object:
    work = alternative.work
    return (*texts, work.folder, tuple(sorted(work.environment.items())))
