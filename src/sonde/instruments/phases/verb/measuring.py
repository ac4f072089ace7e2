"""The runs of `sonde phases`: one, or one for each step and each group of counters."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sonde.evidence import Loss
from sonde.instruments.phases.options import PhaseOptions
from sonde.instruments.phases.profile import PhaseProfile, Thetas
from sonde.instruments.phases.sources.cpython import (
    CounterGroups,
    Search,
    WatchedRun,
    read_watched_run,
    run_simulated,
    run_watched,
    watching_costs,
)
from sonde.instruments.phases.sources.first_step import read_times, time_every_call
from sonde.instruments.phases.verb.second_step import WORTH, planned, selected_methods, with_sources
from sonde.instruments.phases.verb.several_runs import (
    count_in_runs,
    groups_asked_for,
    is_simulated,
    methods_of,
    tool_for,
    with_faults,
)
from sonde.instruments.phases.verb.unfinished_run import PhaseRun
from sonde.launch import Outcome, Program
from sonde.valgrind import BuiltTool


def measured(program: Program, asked: PhaseOptions, folder: Path) -> tuple[PhaseProfile, Outcome]:
    """Run a program as often as it takes.

    Args:
        folder: for the logs of a run that is recovered if sonde is killed.
    Raises:
        InputError: times that were measured before cannot be read.
        MissingCapability: `no-phases-measured`, `no-agent`, and what is missing for counters that were asked for.
        SondeError: `cannot-execute`.
    """
    groups = groups_asked_for(asked)
    with tool_for(groups) as tool:
        runs = _Runs(program, Thetas(asked.theta_weight, asked.theta_grain), groups, tool, folder)
        return _in_steps(runs, asked) if asked.steps or asked.times is not None else _found(runs, asked)


class _Runs(NamedTuple):
    program: Program
    thetas: Thetas
    groups: CounterGroups
    tool: BuiltTool | None
    folder: Path

    @property
    def are_several(self) -> bool:
        return len(self.groups.groups) > 1

    def watch(self, asked: WatchedRun) -> tuple[PhaseProfile, Outcome]:
        """One that can be recovered."""
        run = PhaseRun(self.program.argv, self.thetas, asked)
        run.put_down(self.folder)
        outcome = run_watched(run.command, self.folder, asked)
        return run.profile(self.folder), outcome

    def watch_apart(self, asked: WatchedRun) -> tuple[PhaseProfile, Outcome]:
        """One of several, which count."""
        with tempfile.TemporaryDirectory(prefix="sonde-phases-") as name:
            folder = Path(name)
            if self.tool is None or not is_simulated(asked.counters):
                outcome = run_watched(self.program.argv, folder, asked)
                return read_watched_run(folder, asked), outcome
            outcome = run_simulated(self.program.argv, folder, asked, self.tool)
            return with_faults(read_watched_run(folder, asked), folder), outcome

    def named(self, profile: PhaseProfile) -> PhaseProfile:
        return with_sources(replace(profile, command=self.program.argv, thetas=self.thetas))


def _found(runs: _Runs, asked: PhaseOptions) -> tuple[PhaseProfile, Outcome]:
    """Phases that are found while the program runs, and counted in further runs if there are several groups."""
    counters = runs.groups.groups[0] if runs.are_several else asked.counters
    least_ns = WORTH * watching_costs(counters).call_ns
    profile, outcome = runs.watch(WatchedRun.searching(Search(runs.thetas, least_ns), counters))
    if runs.are_several and outcome.signal is None:
        profile, outcome = count_in_runs(methods_of(profile), runs.groups, runs.watch_apart, runs.thetas)
    return runs.named(profile), outcome


def _in_steps(runs: _Runs, asked: PhaseOptions) -> tuple[PhaseProfile, Outcome]:
    losses: tuple[Loss, ...] = ()
    if asked.times is not None:
        tree = read_times(asked.times)
    else:
        tree, first = time_every_call(runs.program.argv)
        if first.shell_code:
            detail = f"the first run of the program {first.in_words}: what came after is not known"
            losses = (Loss("first-step-failed", 0, detail),)
    phases = selected_methods(tree, runs.thetas)
    if runs.are_several:
        profile, outcome = count_in_runs(phases, runs.groups, runs.watch_apart)
    else:
        profile, outcome = runs.watch(WatchedRun.of(phases, asked.counters))
    profile = replace(profile, losses=(*losses, *profile.losses))
    return runs.named(planned(profile, tree, runs.thetas)), outcome
