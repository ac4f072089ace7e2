"""Python stacks of processes, looked at from here while they run."""

import os
import queue
import threading
import time
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sonde._native import StackSampler, TaskSampler, find_unwinder
from sonde.base.errors import MissingCapability
from sonde.base.process_state import is_alive
from sonde.instruments.contexts.sources.sampling.stack_snapshot import StackSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUND_NS = 20_000_000
"""So long we look without thinking of anything else."""
_RETRY_S, _LONGEST_RETRY_S = 0.001, 0.1
"""A program that starts is asked so often whether its interpreter is there: Python takes ten times that to start. Later
ever less often: what is no Python by then will hardly become one."""
_GROWTH = 1.1
_PROCESSOR, _WALL, _OF_LOCK = range(3)
"""As `sn_sampled_kind`."""
_CHILDREN_S = 0.05
"""How often we look for processes that were started."""


_UNWINDERS = "apt install libdw1, or dnf install elfutils-libs: 0.188 or newer"
_NO_UNWINDER = {
    1: ("there is no libdw.so.1 here, which unwinds their stacks", _UNWINDERS),
    2: ("the libdw.so.1 here, which unwinds their stacks, is older than 0.188", _UNWINDERS),
    3: ("only registers of x86-64 are known so far", "leave out --native"),
}
"""What `find_unwinder` says, and what to do about it."""


class Found(IntEnum):
    """What became of the search for an interpreter: `sn_python_result`."""

    FOUND = 0
    NO_PROCESS = 1
    FORBIDDEN = 2
    NOT_PYTHON = 3
    OTHER_MACHINE = 4
    NO_SYMBOLS = 5
    UNKNOWN_VERSION = 6
    NOT_READY = 7
    NO_LOCK = 8
    LOCKLESS_3_13 = 9


_REASONS = (Found.OTHER_MACHINE, Found.NO_SYMBOLS, Found.UNKNOWN_VERSION, Found.NO_LOCK, Found.LOCKLESS_3_13)
"""Why there is nothing to look at, which stays true when the process has ended."""
_OF_ITS_END = (Found.NO_PROCESS, Found.NOT_PYTHON, Found.NOT_READY)


class Target(NamedTuple):
    """A process that was looked at."""

    pid: int
    version: str
    """Of its Python: `3.12.1`."""
    threads: int
    has_ended: bool
    stacks: int
    command: str
    is_free_threaded: bool = False
    """Its Python is built without a GIL."""


class _Waiting(NamedTuple):
    """For the interpreter of a process."""

    next_try: float
    """Of the monotonic clock."""
    pause: float
    """Seconds from then to the one after it."""


class StackSampling:
    """A thread of ours that looks at the Python stacks of processes, over and over.

    Nothing runs in the processes, and nothing is installed there.

    Args:
        period_ns: mean time from one look to the next.
        is_processor: whether only threads count that have, or want, a processor.
        of_lock: whether only threads count that have the interpreter's lock.
        apart: whether each thread has a tree of its own.
        by_tasks: whether tasks of asyncio have, too, by their names.
        of_tasks: whether all tasks of asyncio are looked at, those that wait, too, in place of threads.
        follow: whether processes that are started by those looked at are looked at, too.
        for_ns: how long; None: until all have ended.
        native: whether C functions are looked at, too; threads are stopped for it.
    Raises:
        MissingCapability: `no-unwinder`.
    """

    mechanism = "process-memory"

    def __init__(
        self,
        period_ns: int,
        *,
        is_processor: bool,
        of_lock: bool = False,
        apart: bool = False,
        by_tasks: bool = False,
        of_tasks: bool = False,
        follow: bool = False,
        for_ns: int | None = None,
        native: bool = False,
    ) -> None:
        if native:
            check_unwinder()
        self.period_ns = period_ns
        self.is_processor, self.of_lock, self.of_tasks = is_processor, of_lock, of_tasks
        self.for_ns = for_ns
        self.is_native = native
        kind = _OF_LOCK if of_lock else _PROCESSOR if is_processor else _WALL
        self.sampler: StackSampler | TaskSampler = (
            TaskSampler(period_ns) if of_tasks else StackSampler(period_ns, kind, apart, by_tasks, native)
        )
        self.found: dict[int, Found] = {}
        """Of each process."""
        self.began_at = 0.0
        """Seconds since the epoch."""
        self.began_ns = self.ended_ns = 0
        """Of the monotonic clock: the first look could be then, and the last was."""
        self._follow = follow
        self._commands: dict[int, str] = {}
        self._waited_for: dict[int, _Waiting] = {}
        self._found_again: dict[int, int] = {}
        self._is_over = threading.Event()
        self._is_asked = threading.Event()
        self._snapshots: queue.SimpleQueue[StackSnapshot] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._sample, name="sonde stacks", daemon=True)

    def native_sums(self) -> dict[str, int]:
        """What became of C stacks; empty: they were not looked at."""
        return self.sampler.native_sums() if isinstance(self.sampler, StackSampler) else {}

    def try_pid(self, pid: int) -> Found:
        """Look at a process that runs already, if that can be done."""
        found = self._add(pid)
        self.found[pid] = found
        return found

    def wait_for(self, pid: int) -> None:
        """Look at a process that begins, as soon as its interpreter is there."""
        self._waited_for[pid] = _Waiting(time.monotonic(), _RETRY_S)
        self.found[pid] = Found.NOT_PYTHON

    def begin(self) -> None:
        """Begin to look."""
        self.began_at, self.began_ns = time.time(), time.monotonic_ns()
        self._thread.start()

    def end(self) -> None:
        """Stop; what was seen stays."""
        self._is_over.set()
        self.sampler.stop()
        if self._thread.ident is not None:
            self._thread.join()
        self.ended_ns = self.ended_ns or time.monotonic_ns()

    def wait(self, seconds: float) -> bool:
        """Whether there is nothing more to look at, or is not within so long."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def snapshot(self, patience_s: float = 0.1) -> StackSnapshot | None:
        """What was seen until now; None if that is not told within so long, as it is not between two looks."""
        if self._thread.ident is None or not self._thread.is_alive():
            return StackSnapshot.of(self.sampler)
        while not self._snapshots.empty():  # came too late for who asked before
            self._snapshots.get()
        self._is_asked.set()
        try:
            return self._snapshots.get(timeout=patience_s)
        except queue.Empty:
            return None

    @property
    def targets(self) -> list[Target]:
        """Processes in the order in which they were found."""
        return [
            Target(pid, version_text(version), threads, state != 0, stacks, self._commands.get(pid, ""), is_free)
            for pid, version, threads, state, stacks, is_free in self.sampler.targets()
        ]

    def _sample(self) -> None:
        next_children = 0.0
        while not self._is_over.is_set() and not self._is_time_over():
            self._look_for_interpreters()
            self._answer()
            if self._follow and time.monotonic() >= next_children:
                self._look_for_children()
                next_children = time.monotonic() + _CHILDREN_S
            if any(state == 0 for _, _, _, state, *_ in self.sampler.targets()):
                self.sampler.run(_ROUND_NS if not self._waited_for else _ROUND_NS // 10)
            elif self._waited_for:
                self._is_over.wait(min(pause for _, pause in self._waited_for.values()))
            elif not self._find_again():
                break
        self.ended_ns = time.monotonic_ns()

    def _answer(self) -> None:
        """To who asks for a snapshot: only here nothing looks."""
        if self._is_asked.is_set():
            self._is_asked.clear()
            self._snapshots.put(StackSnapshot.of(self.sampler))

    def _is_time_over(self) -> bool:
        return self.for_ns is not None and time.monotonic_ns() >= self.began_ns + self.for_ns

    def _look_for_interpreters(self) -> None:
        """In processes that are waited for."""
        for pid, (next_try, pause) in tuple(self._waited_for.items()):
            now = time.monotonic()
            if now < next_try:
                continue
            found = self._add(pid)
            if found not in _OF_ITS_END or self.found[pid] not in _REASONS:
                self.found[pid] = found
            if found in (Found.FOUND, Found.NO_PROCESS, Found.FORBIDDEN):
                del self._waited_for[pid]
            else:
                self._waited_for[pid] = _Waiting(now + pause, min(_GROWTH * pause, _LONGEST_RETRY_S))

    def _find_again(self) -> bool:
        """A process whose interpreter is gone may have become another program; whether there is one to wait for."""
        lost = [pid for pid, _, _, state, *_ in self.sampler.targets() if state == 2 and is_alive(pid)]
        for pid in set(lost):
            if lost.count(pid) > self._found_again.get(pid, 0):
                self._found_again[pid] = lost.count(pid)
                self.wait_for(pid)
        return bool(self._waited_for)

    def _add(self, pid: int) -> Found:
        found = Found(self.sampler.add(pid))
        if found is Found.FOUND:
            self._commands[pid] = _command_of(pid)
        return found

    def _look_for_children(self) -> None:
        for pid in tuple(self.found):
            for child in _children_of(pid):
                if child not in self.found:
                    self.wait_for(child)


def check_unwinder() -> None:
    """See to it that C stacks can be unwound.

    Raises:
        MissingCapability: `no-unwinder`.
    """
    if found := find_unwinder():
        fact, hint = _NO_UNWINDER[found]
        raise MissingCapability(f"cannot sample C functions: {fact}", slug="no-unwinder", hint=hint)


def version_text(version: int) -> str:
    """A version as people write it, of PY_VERSION_HEX."""
    return f"{version >> 24}.{version >> 16 & 255}.{version >> 8 & 255}"


def _command_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return ""
    return " ".join(os.fsdecode(word) for word in words)


def _children_of(pid: int) -> "Iterator[int]":
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            yield from map(int, task.read_text().split())
        except OSError:
            continue
