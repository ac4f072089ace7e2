"""When did the program end? We may notice late: modules are loaded and lines are sampled while it runs."""

import os
import time
from contextlib import suppress
from select import POLLIN, poll
from signal import SIGKILL

_PATIENCE_MS = 1000
"""Of who asks when the program, which has ended, did so; a witness that runs at all tells it in far less."""
_STAMP_BYTES = 8


class EndWitness:
    """A process that does nothing but wait for the end of the program, and read the clock then.

    A thread of ours would have to wait for the interpreter lock. Where the process cannot be had (no more processes
    allowed, a kernel without `pidfd_open`), the end is not known. It ends with this process, too.
    """

    def __init__(self, program: int) -> None:
        """`program`: a child of ours that was not waited for yet."""
        self._pid, self._read_end = 0, -1
        if not hasattr(os, "pidfd_open"):  # a Python that was built for older kernels
            return
        opened: list[int] = []
        with suppress(OSError):
            ended = os.pidfd_open(program)
            opened.append(ended)
            self._read_end, write_end = os.pipe()
            opened.append(write_end)
            ours = os.getpid()
            self._pid = os.fork()
            if not self._pid:
                _watch(ended, write_end, ours)
        for each in opened:
            os.close(each)

    def ended_ns(self) -> int | None:
        """When the program ended, by the clock of `time.monotonic_ns`; called once, after its end."""
        if self._read_end < 0:
            return None
        answer = poll()
        answer.register(self._read_end, POLLIN)
        stamp = os.read(self._read_end, _STAMP_BYTES) if answer.poll(_PATIENCE_MS) else b""
        return int.from_bytes(stamp, "little") if len(stamp) == _STAMP_BYTES else None

    def end(self) -> None:
        """Let it go."""
        if self._read_end >= 0:
            os.close(self._read_end)
        if self._pid:
            os.kill(self._pid, SIGKILL)
            os.waitpid(self._pid, 0)


def _watch(ended: int, write_end: int, ours: int) -> None:
    """What the witness does; it never returns."""
    try:
        # Copies of pipes would keep others waiting for the end of these.
        for each in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - names that are numbers
            if each not in (ended, write_end):
                os.closerange(each, each + 1)  # one that is open no longer is no error
        with suppress(OSError):  # few users may; without it, a busy machine lets it wait some milliseconds
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        either = poll()
        either.register(ended, POLLIN)
        either.register(os.pidfd_open(ours), POLLIN)
        if os.getppid() == ours and ended in dict(either.poll()):
            os.write(write_end, time.monotonic_ns().to_bytes(_STAMP_BYTES, "little"))
    finally:
        os._exit(0)
