"""A program that sonde compiles, run with probes where its paths end."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Literal, NoReturn

from sonde.base.compilation_steps import COMPILATION
from sonde.base.errors import SondeError
from sonde.instruments.paths.analyses import NODE_BYTES
from sonde.instruments.paths.options import PathOptions
from sonde.instruments.paths.profile import PathProfile
from sonde.instruments.paths.sources.compiled import OrderedProgram
from sonde.instruments.paths.verb.kept_sources import with_sources
from sonde.instruments.paths.verb.looked_at import unwatched
from sonde.instruments.paths.verb.nothing_ran import nothing_ran
from sonde.jit import check_source
from sonde.launch import Outcome, end_with, run_fork
from sonde.launch.burst_clock import BurstClock
from sonde.options.compiled_program import compiled_program_of_words
from sonde.options.error_message import tell_error
from sonde.render.compiling import Compiling


def run_compiled(words: list[str], asked: PathOptions, function: str = "") -> tuple[PathProfile, Outcome]:
    """Compile a program, run it to its end, and read what its functions counted.

    Args:
        words: PROGRAM.
        function: only functions of this name count; "": all.
    Raises:
        UsageError: `usage`, `no-source`, `no-such-function`, `bad-burst`.
        InputError, MissingCapability: it does not compile, as `link_program` says.
    """
    began = time()
    asked_program = compiled_program_of_words(words, "paths")
    for file in asked_program.files:
        check_source(file)
    when: Literal["late", "early"] = "early" if asked.probes == "early" else "late"
    bursts = asked.bursts
    acyclic = asked.k == 1 and bursts is None
    with Compiling(COMPILATION) as steps:
        program = OrderedProgram.compile(
            asked_program, function, when, bursts=bursts is not None, acyclic=acyclic, steps=steps
        )
    sonde = os.getpid()
    most = max(1, asked.memory // NODE_BYTES)
    with tempfile.TemporaryDirectory(prefix="sonde-paths-") as folder:

        def become() -> NoReturn:
            end_with(sonde)
            try:
                program.become(Path(folder), asked.k, most)
            except SondeError as error:  # the run is sonde's to end, not its fork's
                tell_error(error)
                os._exit(error.exit_code)

        clock = BurstClock(Path(folder), bursts)
        try:
            outcome = run_fork(become, meanwhile=clock.begin)
        finally:
            clock.end()
        profile = program.counted(Path(folder), asked.k, most)
        profile = replace(profile, losses=(*unwatched(Path(folder)), *profile.losses))
    losses = profile.losses if profile.routines else (*profile.losses, nothing_ran((function,) if function else ()))
    return with_sources(replace(profile, command=tuple(words), losses=losses), began), outcome
