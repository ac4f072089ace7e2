"""What is left of a run whose sonde was killed: of which kind it is, and how it becomes a file.

While a program runs, what was measured is in a folder beside the output (see run_folder.py). An orderly end turns it
into the output and removes the folder. After a kill the folder is still there, and every verb that reads the output
recovers it.
"""

import sys
from pathlib import Path
from typing import Protocol

from sonde.base.errors import InputError
from sonde.store.earlier_versions import kind_of_earlier_run
from sonde.store.run_folder import KIND_SUFFIX, left_behind, output_of, written_before


class UnfinishedRun(Protocol):
    """What an instrument makes of the folder of a run that it began."""

    def has_ended(self) -> bool:
        """Whether all that was measured is there, now that its sonde has gone."""

    def write(self, path: Path, *, goes_on: bool) -> None:
        """Write what there is as a file.

        Raises:
            InputError: `nothing-to-recover`, see below, and where what is there cannot be read.
            SondeError: `cannot-write`.
        """

    def remove(self) -> None:
        """Take the folder away, and what else the run has left."""


def kind_of_run(folder: Path) -> str:
    """Of which kind the run of a folder is."""
    names = sorted(each.name.removesuffix(KIND_SUFFIX) for each in folder.glob(f"?*{KIND_SUFFIX}"))
    return names[0] if names else kind_of_earlier_run(folder)


def recover(run: UnfinishedRun, folder: Path, path: Path) -> Path:
    """The file with what a run has left in its folder: `path`, or a snapshot of a run that goes on.

    An older file at `path` was to be replaced: it is, but only by that of a run that has ended. A newer one stays: the
    run wrote it, and was killed before it could remove the folder.

    Raises:
        InputError, SondeError: as `run.write` does.
    """
    with left_behind(folder) as is_over:
        is_older = path.exists()
        if is_older and not written_before(path, folder):
            if is_over:
                print(f"sonde: '{path}' is newer than the run that was cut off in '{folder}'", file=sys.stderr)
            return path
        goes_on = not is_over or not run.has_ended()
        if is_older and goes_on:
            print(f"sonde: '{path}' is of an earlier run; the one that will replace it still goes on", file=sys.stderr)
            return path
        target = folder / "snapshot.sonde" if goes_on else path
        try:
            run.write(target, goes_on=goes_on)
        except InputError as error:
            if not is_older or error.slug != "nothing-to-recover":
                raise
            print(f"sonde: '{path}' is of an earlier run: {error}", file=sys.stderr)
            return path
        if goes_on:
            print(f"sonde: the run of '{path}' still goes on; this is a snapshot", file=sys.stderr)
        else:
            run.remove()
            print(f"sonde: the run of '{path}' was cut off; recovered what it had counted", file=sys.stderr)
        return target


def nothing_to_recover(folder: Path, fact: str, *, wait: str = "") -> InputError:
    """The error for a run that has left nothing.

    Args:
        fact: what the run has not done.
        wait: for what, where the run goes on; empty if it does not.
    """
    return InputError(
        f"cannot recover '{output_of(folder)}': the run in '{folder}' {fact}",
        slug="nothing-to-recover",
        hint=f"wait: {wait}" if wait else f"rm -r {folder}",
    )
