"""Counting in several runs: which methods are phases is known, and each run counts a group of counters."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sonde.base.errors import MissingCapability
from sonde.base.terminal import can_write_over
from sonde.evidence import Loss
from sonde.instruments.phases.analysis import align_runs
from sonde.instruments.phases.known_counters import COMPILED_COUNTERS, DEFAULT_COUNTERS, SIMULATED
from sonde.instruments.phases.options import PhaseOptions
from sonde.instruments.phases.profile import Phase, PhaseProfile, Thetas
from sonde.instruments.phases.sources.cpython import (
    CounterGroups,
    WatchedRun,
    available_counters,
    groups_of,
    keep_found,
)
from sonde.launch import Outcome
from sonde.render.progress_line import rough_duration
from sonde.valgrind import LOGS, BuiltTool, built_tool, fault_in

Watch = Callable[[WatchedRun], tuple[PhaseProfile, Outcome]]
"""Run the program, and watch this in it."""
Watched = Callable[[Sequence[Phase], tuple[str, ...]], WatchedRun]


def groups_asked_for(asked: PhaseOptions) -> CounterGroups:
    """How the counters are divided among runs: into one group where nobody asked for more.

    Of the default counters as many are counted as the hardware counts at a time.
    """
    if asked.runs == 1 and asked.counters in (DEFAULT_COUNTERS, COMPILED_COUNTERS):
        return CounterGroups((asked.counters,), ())
    return groups_of(asked.counters, asked.runs, available_counters)


def is_simulated(counters: Sequence[str]) -> bool:
    """Whether a run counts in the simulation."""
    return any(name.startswith(SIMULATED) for name in counters)


@contextmanager
def tool_for(groups: CounterGroups) -> Iterator[BuiltTool | None]:
    """Sonde's Valgrind tool, if a group needs it; built before anything is measured.

    Raises:
        MissingCapability: there is no Valgrind, no compiler, or it does not compile.
    """
    if not any(map(is_simulated, groups.groups)):
        yield None
        return
    with built_tool(announce=lambda what: print(f"sonde: {what}", file=sys.stderr, flush=True)) as tool:
        yield tool


def with_faults(profile: PhaseProfile, folder: Path) -> PhaseProfile:
    """The profile with what Valgrind could not do, as its log in that folder has it."""
    faults = [fault for log in folder.glob(LOGS) if (fault := fault_in(log))]
    lost = tuple(Loss("simulation-failed", 0, fault) for fault in faults[:1])
    return replace(profile, losses=(*profile.losses, *lost))


def methods_of(profile: PhaseProfile) -> tuple[Phase, ...]:
    """The methods of a profile, those of the virtual machine left out."""
    return tuple(phase for phase in profile.phases if phase.is_method)


def count_in_runs(
    phases: Sequence[Phase],
    groups: CounterGroups,
    watch: Watch,
    thetas: Thetas | None = None,
    watched: Watched = WatchedRun.of,
) -> tuple[PhaseProfile, Outcome]:
    """Run the program once for each group, and align the runs. A signal that ends one, or asks it to end, ends the
    counting.

    Args:
        thetas: phases that do not meet them in the first of these runs are left out; None: none is.
        watched: what is watched for these phases and some counters.
    Returns:
        The aligned profile, and how the last run ended.
    Raises:
        SondeError: the first run could not be measured. If a later one cannot, what was counted is kept.
    """
    began = time.monotonic()
    first, outcome = watch(watched(phases, groups.groups[0]))
    profiles, outcomes = [first if thetas is None else keep_found(first, thetas)], [outcome]
    failed: tuple[Loss, ...] = ()
    for done, group in enumerate(groups.groups[1:], 1):
        if outcome.is_cut_short:
            failed = (_not_made(len(profiles), groups, f"the program {outcome.cut_in_words}"),)
            outcome = outcome.of_cut_series
            break
        _tell_run(done, len(groups.groups), time.monotonic() - began)
        try:
            profile, outcome = watch(watched(phases, group))
        except MissingCapability as error:
            failed = (_not_made(len(profiles), groups, error.message),)
            break
        profiles.append(profile)
        outcomes.append(outcome)
    aligned = align_runs(profiles)
    return replace(aligned, losses=(*aligned.losses, *failed, *_unlike(outcomes), *_missing(groups))), outcome


def with_runs_missing(profile: PhaseProfile, groups: CounterGroups, outcome: Outcome) -> PhaseProfile:
    """The profile of a run that found phases, and was cut short before any other was made."""
    return replace(profile, losses=(*profile.losses, _not_made(1, groups, f"the program {outcome.cut_in_words}")))


def _tell_run(done: int, total: int, took_s: float) -> None:
    """Before a run, on a terminal: a line that stays, as what the program prints comes behind it."""
    if can_write_over(sys.stderr):
        left = rough_duration(took_s / done * (total - done))
        print(f"sonde: run {done + 1} of {total}, about {left} left", file=sys.stderr, flush=True)


def _not_made(made: int, groups: CounterGroups, why: str) -> Loss:
    had = {name for group in groups.groups[:made] for name in group}
    lost = dict.fromkeys(name for group in groups.groups[made:] for name in group if name not in had)
    without = f", without which there is no {', '.join(lost)}" if lost else ""
    return Loss("runs-missing", len(groups.groups) - made, f"runs were not made or not measured{without}: {why}")


def _unlike(outcomes: Sequence[Outcome]) -> tuple[Loss, ...]:
    ends = dict.fromkeys(outcome.in_words for outcome in outcomes)
    if len(ends) == 1:
        return ()
    return (Loss("runs-ended-differently", 0, f"runs ended differently ({', '.join(ends)}): they did other work"),)


def _missing(groups: CounterGroups) -> tuple[Loss, ...]:
    if not groups.missing:
        return ()
    detail = f"counters cannot be had here: {', '.join(groups.missing)}"
    return (Loss("counters-missing", len(groups.missing), detail, hint="sonde doctor"),)
