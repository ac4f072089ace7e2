"""The runs of `sonde phases`: one, or one for each step and each group of counters."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sonde.evidence import Loss
from sonde.instruments.phases.options import PhaseOptions
from sonde.instruments.phases.profile import PhaseProfile, Thetas
from sonde.instruments.phases.sources.cpython import CounterGroups, Search, WatchedRun, read_watched_run
from sonde.instruments.phases.sources.first_step import FirstStepCut, read_times
from sonde.instruments.phases.verb.measured_programs import MeasuredProgram
from sonde.instruments.phases.verb.second_step import WORTH, planned, selected_methods, with_sources
from sonde.instruments.phases.verb.several_runs import (
    count_in_runs,
    groups_asked_for,
    is_simulated,
    methods_of,
    tool_for,
    with_faults,
    with_runs_missing,
)
from sonde.instruments.phases.verb.unfinished_run import PhaseRun
from sonde.launch import Outcome
from sonde.valgrind import BuiltTool


def measured(program: MeasuredProgram, asked: PhaseOptions, folder: Path) -> tuple[PhaseProfile, Outcome]:
    """Run a program as often as it takes.

    Args:
        folder: for the logs of a run that is recovered if sonde is killed.
    Raises:
        InputError: times that were measured before cannot be read.
        MissingCapability: `no-phases-measured`, `no-agent`, and what is missing for counters that were asked for.
        FirstStepCut: the run that finds phases was ended by a signal, or interrupted.
        SondeError: `cannot-execute`.
    """
    groups = groups_asked_for(asked)
    with tool_for(groups) as tool:
        runs = _Runs(program, Thetas(asked.theta_weight, asked.theta_grain), groups, tool, folder)
        return _in_steps(runs, asked) if asked.steps or asked.times is not None else _found(runs, asked)


class _Runs(NamedTuple):
    program: MeasuredProgram
    thetas: Thetas
    groups: CounterGroups
    tool: BuiltTool | None
    folder: Path

    @property
    def are_several(self) -> bool:
        return len(self.groups.groups) > 1

    def watch(self, asked: WatchedRun) -> tuple[PhaseProfile, Outcome]:
        """One that can be recovered."""
        run = PhaseRun(self.program.command, self.thetas, asked)
        run.put_down(self.folder)
        outcome = self.program.run(self.folder, asked)
        return _ended(run.profile(self.folder), asked, outcome), outcome

    def watch_apart(self, asked: WatchedRun) -> tuple[PhaseProfile, Outcome]:
        """One of several, which count."""
        with tempfile.TemporaryDirectory(prefix="sonde-phases-") as name:
            folder = Path(name)
            if self.tool is None or not is_simulated(asked.counters):
                outcome = self.program.run(folder, asked)
                return _ended(read_watched_run(folder, asked), asked, outcome), outcome
            outcome = self.program.simulate(folder, asked, self.tool)
            profile = _ended(read_watched_run(folder, asked), asked, outcome)
            return with_faults(profile, folder), outcome

    def named(self, profile: PhaseProfile) -> PhaseProfile:
        return with_sources(replace(profile, command=self.program.command, thetas=self.thetas))


def _ended(profile: PhaseProfile, asked: WatchedRun, outcome: Outcome) -> PhaseProfile:
    """The profile of a run that has ended: any thread of a compiled program may end it."""
    return replace(profile, is_complete=outcome.signal is None) if asked.is_compiled else profile


def _found(runs: _Runs, asked: PhaseOptions) -> tuple[PhaseProfile, Outcome]:
    """Phases that are found while the program runs, and counted in further runs if there are several groups."""
    counters = runs.groups.groups[0] if runs.are_several else asked.counters
    least_ns = WORTH * runs.program.costs(counters).call_ns
    profile, outcome = runs.watch(WatchedRun.searching(Search(runs.thetas, least_ns), counters))
    if runs.are_several and outcome.is_cut_short:
        profile, outcome = with_runs_missing(profile, runs.groups, outcome), outcome.of_cut_series
    elif runs.are_several:
        profile, outcome = count_in_runs(methods_of(profile), runs.groups, runs.watch_apart, runs.thetas)
    return runs.named(profile), outcome


def _in_steps(runs: _Runs, asked: PhaseOptions) -> tuple[PhaseProfile, Outcome]:
    first: Outcome | None = None
    if asked.times is not None:
        tree = read_times(asked.times)
    else:
        tree, first = runs.program.time_every_call()
    phases = selected_methods(tree, runs.thetas)
    if first is not None and first.is_cut_short:
        raise FirstStepCut(first, [phase.function.label for phase in phases])
    watched = runs.program.watched
    if runs.are_several:
        profile, outcome = count_in_runs(phases, runs.groups, runs.watch_apart, watched=watched)
    else:
        profile, outcome = runs.watch(watched(phases, asked.counters))
    if first is not None and first.shell_code and first.status != outcome.status:
        detail = f"the first run of the program {first.in_words}: what came after is not known"
        profile = replace(profile, losses=(Loss("first-step-failed", 0, detail), *profile.losses))
    costs = runs.program.costs(tuple(counter.name for counter in profile.counters))
    return runs.named(planned(profile, tree, runs.thetas, costs)), outcome
