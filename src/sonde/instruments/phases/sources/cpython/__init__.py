"""CPython programs: run one whose phases are watched, and read what its threads wrote."""

from sonde.instruments.phases.sources.cpython.agent_here import available_counters
from sonde.instruments.phases.sources.cpython.counter_groups import CounterGroups, groups_of
from sonde.instruments.phases.sources.cpython.found_methods import keep_found
from sonde.instruments.phases.sources.cpython.phase_logs import processes_of, read_watched_run
from sonde.instruments.phases.sources.cpython.running import (
    MACHINE_PARTS,
    MODULE_BODIES,
    Search,
    WatchedRun,
    environment_to_watch,
    run_simulated,
    run_watched,
    simulation_words,
)
from sonde.instruments.phases.sources.cpython.watching_costs import WatchingCosts, watching_costs

__all__ = [
    "MACHINE_PARTS",
    "MODULE_BODIES",
    "CounterGroups",
    "Search",
    "WatchedRun",
    "WatchingCosts",
    "available_counters",
    "environment_to_watch",
    "groups_of",
    "keep_found",
    "processes_of",
    "read_watched_run",
    "run_simulated",
    "run_watched",
    "simulation_words",
    "watching_costs",
]
