"""Files and folders that sonde wrote before they said of what kind they are.

This is the only place of the store that names kinds: those files hold nothing by which an instrument could claim them
but the numbers in their headers and the names in their folders, and there will be no more of them.
"""

from pathlib import Path

from sonde.store.kind import KindOfFile

_PROFILE_ID = 0x536F6E64
RESULTS_ID = 0x536F6E62
"""What results of sonde bench had as their `application_id`."""

EARLIER_FILES = {
    (_PROFILE_ID, 1): KindOfFile("contexts", "a profile of calling contexts", 1),
    (_PROFILE_ID, 2): KindOfFile("contexts", "a profile of calling contexts", 2),
    (_PROFILE_ID, 3): KindOfFile("memory", "a profile of memory accesses", 1),
    (RESULTS_ID, 1): KindOfFile("results", "results of sonde bench", 1),
}
"""By `application_id` and `user_version`."""


def kind_of_earlier_run(folder: Path) -> str:
    """Of which kind the run was that left a folder without saying so."""
    return "memory" if (folder / "memory-run.json").exists() else "contexts"
