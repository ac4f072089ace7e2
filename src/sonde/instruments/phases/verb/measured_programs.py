"""Programs whose phases are measured, and of them those that a command runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sonde.instruments.phases.profile import Phase
from sonde.instruments.phases.sources.cpython import (
    WatchedRun,
    WatchingCosts,
    run_simulated,
    run_watched,
    watching_costs,
)
from sonde.instruments.phases.sources.first_step import FirstStep, time_every_call
from sonde.launch import Outcome
from sonde.valgrind import BuiltTool


class MeasuredProgram(Protocol):
    """A program that can be run as often as it takes."""

    @property
    def command(self) -> tuple[str, ...]:
        """As it would be typed without sonde."""
        ...

    def time_every_call(self) -> FirstStep:
        """The first step. Raises: as `sources.first_step.time_every_call`."""
        ...

    def watched(self, phases: Sequence[Phase], counters: tuple[str, ...]) -> WatchedRun:
        """What is watched for some phases."""
        ...

    def run(self, folder: Path, asked: WatchedRun) -> Outcome:
        """Run it to its end; its logs come into `folder`. Raises: SondeError, MissingCapability."""
        ...

    def simulate(self, folder: Path, asked: WatchedRun, tool: BuiltTool) -> Outcome:
        """The same in sonde's Valgrind tool."""
        ...

    def costs(self, counters: tuple[str, ...]) -> WatchingCosts:
        """What watching costs here. Raises: MissingCapability."""
        ...


@dataclass(frozen=True, slots=True)
class PythonProgram:
    """A command that runs a Python program."""

    command: tuple[str, ...]

    def time_every_call(self) -> FirstStep:
        """See `MeasuredProgram`."""
        return time_every_call(self.command)

    def watched(self, phases: Sequence[Phase], counters: tuple[str, ...]) -> WatchedRun:
        """See `MeasuredProgram`."""
        return WatchedRun.of(phases, counters)

    def run(self, folder: Path, asked: WatchedRun) -> Outcome:
        """See `MeasuredProgram`."""
        return run_watched(self.command, folder, asked)

    def simulate(self, folder: Path, asked: WatchedRun, tool: BuiltTool) -> Outcome:
        """See `MeasuredProgram`."""
        return run_simulated(self.command, folder, asked, tool)

    def costs(self, counters: tuple[str, ...]) -> WatchingCosts:
        """See `MeasuredProgram`."""
        return watching_costs(counters)
