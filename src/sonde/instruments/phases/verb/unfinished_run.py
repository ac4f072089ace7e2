"""The folder of a run of `sonde phases`: logs of its threads, and what was watched, until the profile is written.

`sonde phases -o run.sonde` has it in `run.sonde-live/`. When sonde is killed the program ends, too; what its threads
wrote until then is there, and every verb that reads `run.sonde` recovers it.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import MissingCapability
from sonde.code import Function
from sonde.instruments.phases.profile import Phase, PhaseProfile, Thetas, write_phase_profile
from sonde.instruments.phases.sources.cpython import Search, WatchedRun, processes_of, read_watched_run
from sonde.instruments.phases.stored_kind import STORED
from sonde.instruments.phases.verb.second_step import with_sources
from sonde.store.recovery import nothing_to_recover
from sonde.store.run_folder import RunFolder, remove_folder

_ABOUT = "phases-run.json"
_END_S = 2.0
"""A program whose sonde was killed has ended by then."""
_LOOK_S = 0.05


class PhaseRun(NamedTuple):
    """A run: what its logs are of."""

    command: tuple[str, ...]
    thetas: Thetas
    watched: WatchedRun

    def put_down(self, folder: Path) -> None:
        """Write it beside the logs, for who finds them."""
        search = self.watched.search
        about = {
            "command": self.command,
            "thetas": (self.thetas.weight, self.thetas.grain),
            "least_ns": None if search is None else search.least_ns,
            "counters": self.watched.counters,
            "compiled": self.watched.is_compiled,
            "methods": [
                (*(getattr(each.function, name) for name in _FUNCTION), each.planned_calls, each.planned_ns)
                for each in self.watched.phases
                if each.is_method
            ],
        }
        with suppress(OSError):  # a full disk: it can not be recovered then, which is no reason to stop the run
            (folder / _ABOUT).write_text(json.dumps(about), encoding="utf-8")

    @classmethod
    def found_in(cls, folder: Path) -> "PhaseRun | None":
        """None: the run has not begun, or this was not written by one."""
        try:
            found = json.loads((folder / _ABOUT).read_bytes())
            thetas, counters = Thetas(*map(float, found["thetas"])), tuple(map(str, found["counters"]))
            methods = [
                Phase(Function(*each[:-2]), planned_calls=each[-2], planned_ns=each[-1]) for each in found["methods"]
            ]
            command = tuple(map(str, found["command"]))
            if found["least_ns"] is None:
                watched = WatchedRun.of_compiled if found["compiled"] else WatchedRun.of
                return cls(command, thetas, watched(methods, counters))
            search = Search(thetas, float(found["least_ns"]))
            return cls(command, thetas, WatchedRun.searching(search, counters))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def profile(self, folder: Path) -> PhaseProfile:
        """What the logs tell. Raises: as `read_watched_run` does."""
        return replace(read_watched_run(folder, self.watched), command=self.command, thetas=self.thetas)


_FUNCTION = ("name", "module", "file", "first_line", "kind", "language", "library")


@contextmanager
def phase_folder(output: Path | None, *, force: bool) -> Iterator[RunFolder]:
    """The folder of a run, which is removed at the end.

    Args:
        output: where the profile will go; None: nowhere, and the folder is a temporary one.
        force: whether what is left of another run may be thrown away.
    Raises:
        UsageError: `unfinished-run`, `run-in-use`: there is another run in it.
        SondeError: `cannot-write`.
    """
    own = RunFolder.temporary(STORED.name) if output is None else RunFolder.beside(output, STORED.name, force=force)
    try:
        yield own
    finally:
        remove_folder(own.path)
        own.close()


class UnfinishedPhases:
    """See `sonde.store.recovery.UnfinishedRun`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has_ended(self) -> bool:
        """Whether none of its processes lives, a moment after its sonde was killed."""
        until = time.monotonic() + _END_S
        while processes_of(self._folder):
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
        return True

    def write(self, path: Path, *, goes_on: bool) -> None:
        """Write what was measured.

        Raises:
            InputError: `nothing-to-recover`, `corrupt-profile`.
            SondeError: `cannot-write`.
        """
        wait = "it has just begun" if goes_on else ""
        run = PhaseRun.found_in(self._folder)
        if run is None:
            raise nothing_to_recover(self._folder, "has not begun to watch phases", wait=wait)
        try:
            profile = run.profile(self._folder)
        except MissingCapability:
            raise nothing_to_recover(self._folder, "has not seen any phase", wait=wait) from None
        write_phase_profile(path, with_sources(replace(profile, is_complete=False)))

    def remove(self) -> None:
        """Take the logs away."""
        remove_folder(self._folder)
