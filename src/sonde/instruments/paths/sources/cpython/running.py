"""Run a command whose Python functions count their paths."""

import os
from pathlib import Path
from typing import NamedTuple

from sonde.launch import Outcome, agent_folder, run_to_end, with_start_up_file

_INJECT = Path(__file__).with_name("inject")
_VARIABLE = "SONDE_PATHS"


class PathRun(NamedTuple):
    """What is counted in the measured process."""

    k: int
    most_nodes: int
    functions: tuple[str, ...] = ()
    """Names; none: all of the program's own."""
    by_events: bool = False
    """By events of `sys.monitoring`, as from 3.14 on, where functions can be rewritten, too (3.12, 3.13)."""


def run_with_probes(argv: tuple[str, ...], folder: Path, asked: PathRun) -> Outcome:
    """Run `argv` to its end; what is counted comes into `folder`.

    Raises:
        SondeError: the command cannot be executed.
        MissingCapability: `no-agent`.
    """
    return run_to_end(argv, environment_with_probes(folder, asked, agent_folder("sonde._path_agent")))


def environment_with_probes(folder: Path, asked: PathRun, package: Path) -> dict[str, str]:
    """The environment in which Python gives functions probes at its start.

    Args:
        package: where sonde lies, with the agent for that Python.
    """
    environment = with_start_up_file(os.environ, _INJECT)
    environment[_VARIABLE] = ":".join(
        os.fsencode(field).hex()
        for field in (
            str(package),
            str(folder.resolve()),
            str(asked.k),
            str(asked.most_nodes),
            str(os.getpid()),
            "1" if "PYTHONPATH" in os.environ else "",
            "1" if asked.by_events else "",
            *asked.functions,
        )
    )
    return environment
