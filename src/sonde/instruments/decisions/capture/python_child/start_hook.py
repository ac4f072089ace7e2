"""Run by the measured interpreter before the program (`sonde.launch.start_hooks`): what is specialised is recorded."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", interval_s: str, tick_s: str) -> None:
    """Start the recorder that lies beside this file.

    Raises:
        ImportError: there is no GIL.
    """
    process.need_gil()  # the recorder touches objects of the program only where no other thread can run
    before = set(sys.modules)
    recorder = process.names_of(os.path.join(os.path.dirname(__file__), "recorder.py"))
    recorder["start"](process.folder, float(interval_s), float(tick_s))
    # What only the recorder needed, the program has not imported.
    for name in set(sys.modules) - before:
        del sys.modules[name]
