"""A run of `sonde contexts` that was cut off, or goes on, as its spool tells."""

from functools import cached_property
from pathlib import Path

from sonde.instruments.contexts.profile import ContextProfile, write_profile
from sonde.instruments.contexts.verb.live_run import read_live
from sonde.store.recovery import nothing_to_recover
from sonde.store.run_folder import remove_folder


class UnfinishedContexts:
    """See `sonde.store.recovery.UnfinishedRun`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _profile(self) -> ContextProfile:
        return read_live(self._folder, None)

    def has_ended(self) -> bool:
        """Whether none of its processes lives."""
        return self._profile.run.ended != "still running"

    def write(self, path: Path, *, goes_on: bool) -> None:
        """Write what was counted.

        Raises:
            InputError: `nothing-to-recover`, `corrupt-spool`.
            SondeError: `cannot-write`.
        """
        if not len(self._profile.contexts):
            wait = "it has just begun" if goes_on else ""
            raise nothing_to_recover(self._folder, "has not counted any call", wait=wait)
        write_profile(path, self._profile)

    def remove(self) -> None:
        """Take the spool away."""
        remove_folder(self._folder)
