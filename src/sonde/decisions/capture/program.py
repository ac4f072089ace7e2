"""Running the program: its streams, folder and process group are sonde's own, and signals reach it once."""

import os
import signal
from collections.abc import Mapping, Sequence

from sonde.errors import SondeError

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def run_program(argv: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[int, int]:
    """Run a program to its end.

    A signal that a process sends to sonde is passed on to the program. One that comes from a terminal (Ctrl-C) reaches
    the program by itself, and sonde waits for what the program makes of it.

    Args:
        environment: all of it; None: sonde's own.
    Returns:
        its exit code, 128 and the number of the signal if one killed it, as shells say it; and its process id.
    Raises:
        SondeError: `cannot-execute`.
    """
    watched = {*_PASSED_ON, signal.SIGCHLD}
    # Blocked signals wait for sigwaitinfo: none is lost, and none interrupts us.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        pid = _spawn(argv, dict(os.environ if environment is None else environment), before)
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                return (code if code >= 0 else 128 - code), pid
            info = signal.sigwaitinfo(watched)
            if info.si_signo != signal.SIGCHLD and info.si_code <= 0:  # sent by a process
                os.kill(pid, info.si_signo)
    finally:
        while signal.sigtimedwait(watched, 0):  # too late: the program has ended
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _spawn(argv: Sequence[str], environment: dict[str, str], mask: "set[signal.Signals | int]") -> int:
    try:
        return os.posix_spawnp(
            argv[0],
            list(argv),
            environment,
            setsigmask=mask,
            # Python ignores these two for itself; other programs expect the default.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
    except OSError as error:
        raise SondeError(f"cannot run '{argv[0]}': {error.strerror}", slug="cannot-execute") from error
