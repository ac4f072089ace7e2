"""Run by the measured interpreter before the program (`sonde.launch.start_hooks`): it samples its own stacks."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", trigger: str, period: str, ring_bytes: str, polling: str) -> None:
    """Begin to sample into a ring in the folder of the run, until the process ends."""
    agent = process.agent("_sample_agent")
    agent.start(
        os.fsencode(process.folder),
        int(trigger),
        int(period),
        int(ring_bytes),
        bool(polling),
        process.is_followed,
        process.launcher,
        os.fsencode(" ".join(sys.orig_argv)),
    )
    import atexit

    atexit.register(agent.finish)
