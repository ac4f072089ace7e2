"""Was a signal sent to us alone, or to our whole process group?"""

import os
import time
from pathlib import Path

_PATIENCE_S = 0.02
"""A signal to a group reaches its members within microseconds of each other; this is a thousand times that."""


class GroupWitness:
    """A second member of our process group, which does nothing but collect signals.

    It inherits our blocked signals, so whatever is sent to the group stays pending in it, where
    the kernel lets us see it. It lives as long as our end of a pipe. Where it cannot be had (no
    more processes allowed, no `/proc`), every signal counts as sent to us alone.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._renew()

    def saw(self, number: int) -> bool:
        """Whether the signal, which has just reached us, was sent to the group.

        Takes 20 ms when it was not.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while not self._is_pending(number):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        self.end()
        self._renew()
        return True

    def end(self) -> None:
        """Let it go; in a fork of the process that made it, only the pipe is closed."""
        os.close(self._write_end)
        if self._pid > 0 and os.getpid() == self._process:
            os.waitpid(self._pid, 0)

    def _is_pending(self, number: int) -> bool:
        try:
            status = Path(f"/proc/{self._pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return False
        for line in status.splitlines():
            name, _, value = line.partition(":")
            if name == "ShdPnd":
                return bool(int(value, 16) >> (number - 1) & 1)
        return False

    def _renew(self) -> None:
        read_end, self._write_end = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            self._pid = -1
        if self._pid == 0:
            os.close(self._write_end)
            os.read(read_end, 1)
            os._exit(0)
        os.close(read_end)
