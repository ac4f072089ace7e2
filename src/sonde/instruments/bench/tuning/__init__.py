"""The machine's settings that make measurements vary: looked at, and changed for the time of one command.

Everything is read from and written to files below `/proc` and `/sys`, of this machine or of a made-up one.
"""

from sonde.instruments.bench.tuning.changes import Change, wanted_changes
from sonde.instruments.bench.tuning.changes_file import ChangesFile
from sonde.instruments.bench.tuning.settings import Setting, settings_of
from sonde.instruments.bench.tuning.tuned_run import put_back_leftovers, run_tuned

__all__ = [
    "Change",
    "ChangesFile",
    "Setting",
    "put_back_leftovers",
    "run_tuned",
    "settings_of",
    "wanted_changes",
]
