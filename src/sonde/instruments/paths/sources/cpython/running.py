"""Run a command whose Python functions count their paths."""

import os
from pathlib import Path
from typing import NamedTuple

from sonde.launch import Outcome, StartHook, agent_folder, run_to_end, with_start_hook

_HOOK = Path(__file__).with_name("start_hook.py")


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
    fields = (str(asked.k), str(asked.most_nodes), "1" if asked.by_events else "", *asked.functions)
    return with_start_hook(os.environ, StartHook(_HOOK, folder, fields, package=package))
