"""Watch: the agent in this process, whose hook is in while any block is open, and out else.

The agent has one tree for the life of the process, in which counts only grow. A `Mark` is that tree at a moment; what
a block has counted is what lies between two of them. The mark at the end of the outermost block is the tree itself, and
costs nothing until counting goes on; then it becomes a file.
"""

import os
import sys
from _thread import RLock
from _weakref import ref
from time import monotonic_ns
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sonde.api.own_agent import Agent


_T = TypeVar("_T")


class Mark:
    """What had been counted at a moment; its file goes with it."""

    def __init__(self, path: bytes) -> None:
        self.path = path
        self.pid = os.getpid()
        self.is_written = False

    def __del__(self) -> None:
        if self.is_written and not sys.is_finalizing() and os.getpid() == self.pid:
            try:
                os.unlink(self.path)  # noqa: PTH108 - without pathlib, which may be going, too
            except OSError:
                self.is_written = False  # the folder went before


class Watch:
    """Blocks of this process: how many are open, and the agent that counts for them.

    All methods are called with `lock` held. Between `begin` and `end` they call no Python function but those of this
    package, which are known not to be the program's.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.pid = os.getpid()
        self.why_not = ""
        """Why blocks count nothing in this process; empty: they do."""
        self.is_open = False
        """Whether any block is."""
        self.moment_ns = 0
        """When counting last began or ended, by the clock of `time.monotonic_ns`."""
        self._count = 0
        self._folder = b""
        self._agent: Agent
        self._marks = 0
        self._last: ref[Mark] | None = None
        """The mark that the tree itself still is."""

    @property
    def is_busy(self) -> bool:
        """Whether the calling thread is within one of these methods: in a handler of a signal, that may be."""
        return bool(self.lock._is_owned())  # type: ignore[attr-defined]

    def prepare(self) -> None:
        """Have the agent in the process; the first time, it is loaded and finds out what watching costs.

        Raises:
            MissingCapability: `no-agent`, `cannot-watch`.
            SondeError: `cannot-write`, there is no place for what is counted.
        """
        if not self._folder and not self.why_not:
            from sonde.api.own_agent import start_agent  # with the first block

            started = start_agent()
            if started is not None:
                self._agent, self._folder = started
            else:
                self.why_not = "sonde measures this whole process already, and that profile has what the block did"

    def begin(self, own_end: Mark | None, skip: int) -> Mark | None:
        """Count from now on; the last thing that the beginning of a block does.

        Args:
            own_end: where the same block ended, the last time.
            skip: Python frames of ours, this one included.
        Returns:
            where the block begins; None when it goes on at `own_end`.
        """
        last = self._last() if self._last is not None else None
        start = None
        if last is None or last is not own_end:
            if last is not None:
                self._write(last)
            start = self.reach()
        self._last = None
        self._count += 1
        self.is_open = True
        self.moment_ns = monotonic_ns()
        if self._count == 1:
            self._agent.watch(skip)
        return start

    def end(self) -> Mark:
        """Count no longer, unless another block is open."""
        self.moment_ns = monotonic_ns()
        self._count -= 1
        if self._count:
            return self.reach()
        self._agent.pause()
        self.is_open = False
        mark = self._new()
        self._last = ref(mark)
        return mark

    def reach(self) -> Mark:
        """A mark of now, as a file. Raises: SondeError: `cannot-write`."""
        mark = self._new()
        self._write(mark)
        return mark

    def file_of(self, mark: Mark) -> bytes:
        """The spool of a mark. Raises: SondeError: `cannot-write`."""
        self._write(mark)
        return mark.path

    def call_unseen(self, call: "Callable[[], None]") -> None:
        """Call what raises nothing, as if it did not happen."""
        self._agent.around(call, None, None)()

    def _new(self) -> Mark:
        self._marks += 1
        return Mark(b"%b/%d.mark" % (self._folder, self._marks))

    def _write(self, mark: Mark) -> None:
        if mark.is_written:
            return
        try:
            self._agent.mark(mark.path)
        except OSError as error:
            from sonde.base.errors import SondeError  # few runs need it

            raise SondeError(
                f"cannot keep what was counted in '{os.fsdecode(mark.path)}': {error.strerror}",
                slug="cannot-write",
                hint="make room there, or set TMPDIR",
            ) from error
        mark.is_written = True


_watches: list[Watch] = [Watch()]


def watch() -> Watch:
    """That of this process: a forked child has one of its own, in which nothing is open."""
    if _watches[0].pid != os.getpid():
        _watches[0] = Watch()
    return _watches[0]


def unseen(call: "Callable[[], _T]") -> _T:
    """What a call returns or raises; while a block is open, its calls are not counted, nor its time."""
    mine = watch()
    if not mine.is_open:
        return call()
    result: list[_T] = []
    error: list[BaseException] = []

    def kept() -> None:
        try:
            result.append(call())
        except BaseException as raised:  # noqa: BLE001 - raised again below
            error.append(raised)

    mine.call_unseen(kept)
    if error:
        raise error[0]
    return result[0]
