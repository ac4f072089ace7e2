"""Ctrl-C in the worker: it reaches what a command runs, and nothing while the shell waits for a command.

Otherwise clearing a line that is being typed would kill a program that was started in the background.
"""

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ACTION_BYTES = 256
"""More than `struct sigaction` has anywhere; it is only kept and put back."""


class Interrupts:
    """Keeps what SIGINT does to programs, and puts it in force while a command is done.

    A program may set a handler of its own in one call and rely on it in the next: so what is put back is what was
    there at the end of the last command, as the C library has it. Python's own record knows nothing of it.
    """

    def __init__(self) -> None:
        """In the main thread; from now on SIGINT is ignored."""
        self._is_left = False
        self._sigaction = ctypes.CDLL(None).sigaction
        self._for_programs = ctypes.create_string_buffer(_ACTION_BYTES)
        self._ignored = ctypes.create_string_buffer(_ACTION_BYTES)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self._sigaction(int(signal.SIGINT), None, self._for_programs)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._sigaction(int(signal.SIGINT), None, self._ignored)

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """While this lasts, SIGINT does what programs have asked for; at first, it ends the process."""
        self._sigaction(int(signal.SIGINT), self._for_programs, None)
        self._is_left = False
        try:
            yield
        finally:
            if not self._is_left:
                self._sigaction(int(signal.SIGINT), self._ignored, self._for_programs)

    def leave_to_child(self) -> None:
        """From now to the command's end it is a child that Ctrl-C is for, and that this process waits for.

        Called before the fork: the child may run, and Ctrl-C come, before this process does anything after it.
        """
        self._sigaction(int(signal.SIGINT), self._ignored, self._for_programs)
        self._is_left = True

    def take_over_in_child(self) -> None:
        """SIGINT is for this process again, the child."""
        self._sigaction(int(signal.SIGINT), self._for_programs, None)
