"""A profile that keeps threads apart."""

from dataclasses import replace

from sonde.instruments.contexts.profile import (
    ContextProfile,
    MeasuredProcess,
    MeasuredThread,
    ThreadTrees,
    contexts_from_self,
)
from tree_builder import profile_of


def two_threads(pids: tuple[int, ...] = (4711,), clock: str = "tsc") -> ContextProfile:
    """`main` runs on one thread, `work` on both."""
    whole = profile_of("main 10\n  work @101 50 x4\nwork 40 x3", clock=clock)
    main, work = 0, 1
    contexts = contexts_from_self(
        parent=[-1, 0, 1, -1, 3],
        function=[-1, main, work, -2, work],
        call_line=[0, 0, 101, 0, 0],
        calls=[0, 1, 4, 0, 3],
        self_ns=[0, 10, 50, 0, 40],
    )
    processes = [MeasuredProcess(pid, 1, "app.py", "3.12.1", "cpython-monitoring", 1, 4, "ended") for pid in pids]
    threads = (MeasuredThread(0, 1, "MainThread", 90, 60), MeasuredThread(len(pids) - 1, 2, "", 50, 40))
    return replace(whole, processes=tuple(processes), threads=ThreadTrees(threads, contexts))
