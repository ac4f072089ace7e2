"""A Python program whose functions count their paths: run it, and what it counted."""

import tempfile
from dataclasses import replace
from pathlib import Path
from time import time

from sonde.instruments.paths.analyses import NODE_BYTES
from sonde.instruments.paths.options import PathOptions
from sonde.instruments.paths.profile import PathProfile
from sonde.instruments.paths.sources.cpython import PathRun, read_counted_run, run_with_probes
from sonde.instruments.paths.verb.kept_sources import with_sources
from sonde.instruments.paths.verb.looked_at import unwatched
from sonde.instruments.paths.verb.nothing_ran import nothing_ran
from sonde.launch import Outcome, Program
from sonde.launch.burst_clock import BurstClock


def run_program(program: Program, asked: PathOptions, functions: tuple[str, ...]) -> tuple[PathProfile, Outcome]:
    """Run a program to its end, and read what its functions counted.

    Args:
        functions: names; none: all of the program's own.
    Raises:
        SondeError: the command cannot be executed.
        MissingCapability: `no-paths-measured`, `no-agent`.
    """
    began = time()
    most = max(1, asked.memory // NODE_BYTES)
    with tempfile.TemporaryDirectory(prefix="sonde-paths-") as folder:
        with BurstClock(Path(folder), asked.bursts):
            outcome = run_with_probes(program.argv, Path(folder), PathRun(asked.k, most, functions))
        profile = read_counted_run(Path(folder), asked.k, most)
        losses = (*unwatched(Path(folder)), *profile.losses)
    if not profile.routines:
        losses = (*losses, nothing_ran(functions))
    return with_sources(replace(profile, command=program.argv, losses=losses), began), outcome
