"""A profile as it is named on the command line: a finished file, or a run that was cut off."""

from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.contexts.profile import write_profile
from sonde.instruments.contexts.verb.live_run import read_live
from sonde.store.run_folder import left_behind, live_folder, remove_folder, shown_or_kept


def resolve_profile(path: Path) -> Path:
    """The file to read for a profile argument.

    When the run that was to write `path` was cut off, its counts are recovered into `path`
    first. When it still goes on, the answer is a snapshot of it, and the run is left alone.

    Raises:
        InputError: the counts of the run cannot be read, or there are none.
        SondeError: the recovered profile cannot be written.
    """
    if path.is_dir():  # no profile, and nothing that a run leaves behind is called after it: it may be '.'
        return path
    folder = live_folder(path)
    if not folder.is_dir():
        return path
    from sonde.instruments.memory.verb.folder import is_memory_run, recover_memory

    if is_memory_run(folder):
        return recover_memory(folder, path)
    if path.exists():
        return path

    with left_behind(folder) as is_over:
        profile = read_live(folder, None)
        if not len(profile.contexts):
            raise InputError(
                f"cannot recover '{path}': the run in '{folder}' has not counted any call",
                slug="nothing-to-recover",
                hint=f"wait if it has just begun; else rm -r {folder}",
            )
        goes_on = not is_over or profile.run.ended == "still running"
        return shown_or_kept(
            folder, path, lambda file: write_profile(file, profile), goes_on=goes_on, remove=remove_folder
        )
