"""What is said when a command ended the worker: which command, how, and what to do about it."""

import signal

from sonde.base.errors import SondeError
from sonde.base.units import format_duration
from sonde.instruments.vm.verb.shell.worker_process import WorkerEnded

_MEANINGS = {
    signal.SIGSEGV: "it used memory that is not its own, or its stack is full",
    signal.SIGBUS: "it used memory that is not there",
    signal.SIGABRT: "it gave up by itself: abort, a failed assertion, or an exception that nobody caught",
    signal.SIGFPE: "it divided by zero, or a quotient was too large",
    signal.SIGILL: "it met code that is none: __builtin_trap, or a place that cannot be reached",
    signal.SIGPIPE: "it wrote to a pipe that nobody reads",
    signal.SIGKILL: "somebody ended it; the system does so when memory is short",
}

_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGBUS)


def error_of_ending(
    text: str, ended: WorkerEnded, *, timeout_ns: int | None = None, runs_program: bool = True
) -> SondeError:
    """The error for the command `text`, during which the worker ended.

    Args:
        runs_program: whether the command runs code of the program's; else it was LLVM that crashed, or something in the
            background.
    """
    if ended.why == "timeout":
        return SondeError(
            f"cannot finish '{text}': it ran longer than {format_duration(timeout_ns or 0)}, and was stopped",
            slug="call-timed-out",
            hint="set timeout off, or longer",
        )
    if ended.why == "interrupt":
        return _interrupted(text)
    if ended.why == "exit":
        return SondeError(
            f"cannot finish '{text}': the program ended the process, with exit code {ended.number}",
            slug="program-exited",
        )
    if ended.number in _CRASHES and not runs_program:
        return SondeError(
            f"cannot finish '{text}': LLVM itself was killed by {signal.Signals(ended.number).name},"
            " unless it was a program in the background",
            slug="llvm-crashed",
            hint="what LLVM printed says more",
        )
    return error_of_signal(text, ended.number)


def error_of_signal(text: str, number: int) -> SondeError:
    """The error for the command `text`, whose program a signal has killed."""
    if number == signal.SIGINT:
        return _interrupted(text)
    known = signal.Signals(number) if number in set(signal.Signals) else None
    name = known.name if known is not None else f"signal {number}"
    meaning = f" ({_MEANINGS[known]})" if known is not None and known in _MEANINGS else ""
    return SondeError(f"cannot finish '{text}': the program was killed by {name}{meaning}", slug="program-crashed")


def with_place(error: SondeError, place: str | None) -> SondeError:
    """The error of a crash, with the place of it if that is known."""
    if place is None or error.slug != "program-crashed":
        return error
    return SondeError(f"{error.message}, in {place}", slug="program-crashed")


def _interrupted(text: str) -> SondeError:
    return SondeError(f"cannot finish '{text}': it was stopped by Ctrl-C", slug="call-interrupted")
