"""What is done around invocations and is not measured: setting up, preparing, cleaning up."""

import os
import subprocess
import tempfile
from collections.abc import Iterable

from sonde.bench.runs.plan import Alternative, Plan
from sonde.errors import SondeError


class ChoreFailed(Exception):
    """A shell command ended badly; the text says how, with the last line that it printed as an error."""


def run_chore(text: str, alternative: Alternative) -> None:
    """Let `sh` run a command where the alternative runs, with its environment; what it prints is discarded.

    Raises:
        ChoreFailed: it exited with another code than 0, or was killed.
    """
    work = alternative.work
    # A file and not a pipe: what the command starts in the background may hold it open for ever.
    with tempfile.TemporaryFile() as complaints:
        try:
            done = subprocess.run(
                ["sh", "-c", text],
                cwd=work.folder or None,
                env={**os.environ, **work.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                check=False,
            )
        except OSError as error:
            raise ChoreFailed(f"{error.strerror}: '{error.filename}'") from error
        if done.returncode == 0:
            return
        complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - 4096))
        lines = complaints.read().decode("utf-8", "replace").strip().splitlines()
    how = f"exit code {done.returncode}" if done.returncode > 0 else f"killed by signal {-done.returncode}"
    raise ChoreFailed(f"{how}: {lines[-1].strip()}" if lines else how)


class Surroundings:
    """Sets up what a plan's alternatives need, each command once however many alternatives share it.

    Use it as a context manager: leaving the block cleans up what was set up, in reverse order.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._to_clean: list[Alternative] = []
        self.complaints: list[str] = []
        """Clean-ups that failed, in words."""

    def set_up(self) -> None:
        """Run the set-up commands.

        Raises:
            SondeError: `setup-failed`.
        """
        done: set[object] = set()
        for alternative in _distinct(alternative for _, alternative in self._plan.cells()):
            self._to_clean.append(alternative)  # half a set-up is to be cleaned up too
            if not alternative.setup or _key(alternative, alternative.setup) in done:
                continue
            done.add(_key(alternative, alternative.setup))
            try:
                run_chore(alternative.setup, alternative)
            except ChoreFailed as failure:
                raise SondeError(
                    f"cannot set up '{alternative.setup}': {failure}",
                    slug="setup-failed",
                    hint="run it by hand: nothing was measured",
                ) from failure

    def clean_up(self) -> None:
        """Run the clean-up commands; those that fail are in `complaints`, and do not stop the others."""
        done: set[object] = set()
        while self._to_clean:
            alternative = self._to_clean.pop()
            if not alternative.cleanup or _key(alternative, alternative.cleanup) in done:
                continue
            done.add(_key(alternative, alternative.cleanup))
            try:
                run_chore(alternative.cleanup, alternative)
            except ChoreFailed as failure:
                self.complaints.append(f"cannot clean up '{alternative.cleanup}': {failure}")

    def __enter__(self) -> "Surroundings":
        return self

    def __exit__(self, *_: object) -> None:
        self.clean_up()


def _distinct(alternatives: Iterable[Alternative]) -> list[Alternative]:
    """One of each kind of set-up and clean-up."""
    found: dict[object, Alternative] = {}
    for alternative in alternatives:
        found.setdefault(_key(alternative, alternative.setup, alternative.cleanup), alternative)
    return list(found.values())


def _key(alternative: Alternative, *texts: str) -> object:
    work = alternative.work
    return (*texts, work.folder, tuple(sorted(work.environment.items())))
