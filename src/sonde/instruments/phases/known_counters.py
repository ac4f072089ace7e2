"""Counters that can be asked for: what each counts, and what a phase does that has many more of it than the program."""

from typing import NamedTuple

from sonde.report import Unit


class KnownCounter(NamedTuple):
    """A counter that can be asked for."""

    name: str
    unit: Unit
    words: str
    """What one of them is, several of them."""
    advice: str
    """What to look at in a phase that has many more of them than the program as a whole."""
    cycles: float = 0.0
    """What one of them takes on a processor of today, to the order of magnitude: for comparing changes, no times."""


KNOWN_COUNTERS = (
    KnownCounter("task-clock", "duration", "processor time", "it computes; the others wait"),
    KnownCounter("page-faults", "count", "page faults", "it touches new memory: reuse buffers, or build less", 2000),
    KnownCounter(
        "major-faults", "count", "page faults from the disk", "it reads mapped files for the first time", 200000
    ),
    KnownCounter(
        "context-switches", "count", "context switches", "it waits for locks, input, output or a processor", 5000
    ),
    KnownCounter(
        "migrations", "count", "moves to another processor", "it loses its caches: fewer threads, or pin them", 5000
    ),
    KnownCounter("instructions", "count", "instructions", "it has more work to do: look for a better algorithm", 0.3),
    KnownCounter("cycles", "count", "cycles", "it runs at another frequency"),
    KnownCounter("cache-references", "count", "accesses to the last cache", "its data do not fit the first caches"),
    KnownCounter(
        "cache-misses",
        "count",
        "misses of the last cache",
        "its data do not fit the caches: work on smaller parts",
        200,
    ),
    KnownCounter("branches", "count", "branches", "it decides more"),
    KnownCounter(
        "branch-misses",
        "count",
        "mispredicted branches",
        "its branches follow no pattern: sort the data, or branch less",
        15,
    ),
    KnownCounter(
        "l1d-misses", "count", "misses of the first data cache", "its data lie far apart: put them side by side", 10
    ),
    KnownCounter(
        "llc-misses", "count", "misses of the last cache", "its data do not fit the caches: work on smaller parts", 200
    ),
    KnownCounter("dtlb-misses", "count", "misses of the address cache", "its data lie on many pages", 30),
    KnownCounter("allocations", "count", "allocations", "it makes many objects: reuse them, or make them once", 60),
    KnownCounter(
        "allocated-bytes",
        "bytes",
        "bytes allocated",
        "it makes large objects: reuse them, or work on smaller parts",
        0.25,
    ),
    KnownCounter("collections", "count", "garbage collections", "its objects are many: make fewer", 10000),
    KnownCounter(
        "simulated:instructions",
        "count",
        "simulated instructions",
        "it has more work to do: look for a better algorithm",
        0.3,
    ),
    KnownCounter("simulated:accesses", "count", "simulated accesses to memory", "it moves more data"),
    KnownCounter(
        "simulated:l1d-misses",
        "count",
        "simulated misses of the first data cache",
        "its data lie far apart: put them side by side",
        10,
    ),
    KnownCounter(
        "simulated:llc-misses",
        "count",
        "simulated misses of the last cache",
        "its data do not fit the caches: work on smaller parts",
        200,
    ),
    KnownCounter(
        "simulated:branch-misses",
        "count",
        "simulated mispredicted branches",
        "its branches follow no pattern: sort the data, or branch less",
        15,
    ),
)
"""The order is that of the agent's table (native/core/phases/thread_counters.c)."""

DEFAULT_COUNTERS = (
    "task-clock",
    "page-faults",
    "context-switches",
    "collections",
    "instructions",
    "cycles",
    "cache-misses",
    "branch-misses",
)
"""Those that cost next to nothing; of the hardware's, so many as it counts at a time."""
INTERPRETER_COUNTERS = ("collections", "allocations", "allocated-bytes")
"""Those of CPython, which compiled programs do not have."""
COMPILED_COUNTERS = tuple(name for name in DEFAULT_COUNTERS if name not in INTERPRETER_COUNTERS)
"""What is counted of compiled programs if nobody asks for anything."""
MOST_COUNTERS = 12
"""That the agent counts in a run."""
SIMULATED = "simulated:"
"""How the names of counters begin that are simulated, in a run of their own."""
SLOWING_COUNTERS = ("allocations", "allocated-bytes")
"""Those that cost some percent of the time."""
HARDWARE_COUNTERS = (
    "instructions",
    "cycles",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "l1d-misses",
    "llc-misses",
    "dtlb-misses",
)
"""Those of which a processor counts a few at a time."""
