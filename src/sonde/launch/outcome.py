"""How a program ended, and ending like it."""

import os
import signal
import sys
from typing import NamedTuple


class Outcome(NamedTuple):
    """How the measured program ended."""

    pid: int
    status: int
    """As `os.waitpid` gives it."""
    started_at: float
    """Seconds since the epoch."""
    duration_ns: int
    processor_ns: int = 0
    """At most so much processor time had the program and what it started and waited for; 0: not known."""
    interrupted_by: int = 0
    """A signal that asked sonde, and so the program, to end while this ran; 0: none came."""
    ended_ns: int = 0
    """When it ended, by the clock of `time.monotonic_ns`; 0: not known."""

    @property
    def exit_code(self) -> int | None:
        """The exit code; None when a signal killed it."""
        return os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None

    @property
    def signal(self) -> int | None:
        """The signal that killed it, if one did."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None

    @property
    def shell_code(self) -> int:
        """The exit code; 128 and the number of the signal if one killed it, as shells say it."""
        code = os.waitstatus_to_exitcode(self.status)
        return code if code >= 0 else 128 - code

    @property
    def in_words(self) -> str:
        """`exited 0` or `killed by SIGTERM`."""
        return f"exited {self.exit_code}" if self.signal is None else f"killed by {_signal_name(self.signal)}"

    @property
    def is_cut_short(self) -> bool:
        """Whether a signal killed the program, or asked it to end: it is not to be run again."""
        return self.signal is not None or self.interrupted_by != 0

    @property
    def cut_in_words(self) -> str:
        """Of what is cut short: `was killed by SIGTERM`, or `was interrupted by SIGINT and exited 5`."""
        if self.signal is not None:
            return f"was {self.in_words}"
        return f"was interrupted by {_signal_name(self.interrupted_by)} and {self.in_words}"

    @property
    def of_cut_series(self) -> "Outcome":
        """How a series of runs ends with one that is cut short: as that did, but not as if all had succeeded."""
        return self if self.shell_code else self._replace(status=(128 + self.interrupted_by) << 8)


def end_as(outcome: Outcome) -> int:
    """What this process exits with, as the program did; if a signal killed that, this one ends here, by the same."""
    return outcome.shell_code if outcome.signal is None else end_by(outcome.signal)


def end_by(number: int) -> int:
    """End by a signal, with all printed that was to be; returns an exit code that says the same."""
    sys.stdout.flush()
    sys.stderr.flush()
    die_by(number)
    return 128 + number  # SIGKILL of oneself has been known to take a moment


def die_by(number: int) -> None:
    """End this process by the signal that ended the program, so that a shell sees the same."""
    import resource  # only the rare path needs it

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
