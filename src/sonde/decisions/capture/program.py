"""Running the program: its streams, folder and process group are sonde's own, and signals reach it once."""

import os
from collections.abc import Mapping, Sequence

from sonde.launch import SignalRelay, spawn


def run_program(argv: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[int, int]:
    """Run a program to its end.

    Args:
        environment: all of it; None: sonde's own.
    Returns:
        its exit code, 128 and the number of the signal if one killed it, as shells say it; and its process id.
    Raises:
        SondeError: `cannot-execute`.
    """
    with SignalRelay() as relay:
        pid = spawn(argv, os.environ if environment is None else environment, relay.mask_before)
        code = os.waitstatus_to_exitcode(relay.wait(pid))
    return (code if code >= 0 else 128 - code), pid
