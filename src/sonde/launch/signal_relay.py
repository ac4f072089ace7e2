"""Signals while a program runs as our child: each reaches it once."""

import os
import signal
from collections.abc import Callable
from types import TracebackType
from typing import Self

from sonde.launch.group_witness import GroupWitness

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_ASKING_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_WATCHED = {*_PASSED_ON, signal.SIGCHLD}


class SignalRelay:
    """Passes on to a child what is sent to sonde alone.

    A signal that is sent to the whole process group, as a terminal, `timeout` or a job control shell does, reaches the
    child by itself and must not reach it twice. Use it as a context manager around the start of the child and `wait`;
    a fork may leave the block, too, and has the signals as they were before.
    """

    def __enter__(self) -> Self:
        self._process = os.getpid()
        self._came_early: set[int] = set()
        self.asked_to_end_by = 0
        """The first signal that came and asks a program to end, unless it is ignored here, as by `nohup`; 0: none."""
        # Blocked signals wait for sigwaitinfo below: none is lost and none interrupts us.
        self.mask_before: set[int] = set(signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED))
        """Signals that were blocked before: what the child is to have blocked."""
        try:
            self._witness = GroupWitness()
        except BaseException:
            signal.pthread_sigmask(signal.SIG_SETMASK, self.mask_before)
            raise
        return self

    def begin(self) -> None:
        """Call it as soon as there is a child: what came until now may have come before that, and is passed on."""
        self._came_early = signal.sigpending() & set(_PASSED_ON)

    def wait(self, pid: int, every_s: float | None = None, chore: Callable[[], None] = lambda: None) -> int:
        """Wait for the child, and pass signals on.

        Args:
            every_s: seconds between one time that `chore` is called and the next; None: it is not called.
            chore: must not raise.
        Returns:
            its status, as `os.waitpid` gives it.
        """
        while True:
            if _has_ended(pid):
                while late := signal.sigtimedwait(_WATCHED, 0):  # they came with what has ended it
                    self._note(late.si_signo)
                return os.waitpid(pid, 0)[1]
            info = signal.sigwaitinfo(_WATCHED) if every_s is None else signal.sigtimedwait(_WATCHED, every_s)
            if info is None:
                chore()
                continue
            self._note(info.si_signo)
            if info.si_signo == signal.SIGCHLD:
                continue
            is_sent_by_a_process = info.si_code <= 0
            is_early = info.si_signo in self._came_early
            self._came_early.discard(info.si_signo)
            if is_early or (is_sent_by_a_process and not self._witness.saw(info.si_signo)):
                os.kill(pid, info.si_signo)

    def _note(self, number: int) -> None:
        if not self.asked_to_end_by and number in _ASKING_TO_END and signal.getsignal(number) != signal.SIG_IGN:
            self.asked_to_end_by = number

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._witness.end()
        # What came too late to be passed on concerned the program, which has ended.
        while os.getpid() == self._process and signal.sigtimedwait(_WATCHED, 0):
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask_before)


def _has_ended(pid: int) -> bool:
    """Whether a child has; that it was stopped is left to who traces it, maybe another thread of ours."""
    told = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return told is not None and told.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED)
