"""Servers: counting that whoever runs the program asks for, by environment variables and a signal."""

import atexit
import os
import signal
import sys
from pathlib import Path
from types import FrameType

from sonde.api.block import Block
from sonde.api.process_block import is_started, start, stop
from sonde.api.watching import watch
from sonde.base.errors import SondeError, UsageError

_FILE, _SIGNAL = "SONDE_PROFILE", "SONDE_SIGNAL"


def start_if_asked() -> bool:
    """Count if the environment says so; a line at the beginning of a server's main function.

    With `SONDE_PROFILE=FILE` counting starts here and ends with the program, which leaves its profile in FILE. With
    `SONDE_SIGNAL=USR2` besides, it starts when that signal comes to the process and ends when it comes again, or with
    the program, and FILE is written; of `run.sonde`, the next one is `run-2.sonde`. Without `SONDE_PROFILE` nothing is
    done.

    It raises nothing: what goes wrong, now or later, is told on stderr, and the program goes on.

    Returns:
        whether anything was asked for.
    """
    name = os.environ.get(_FILE)
    if not name:
        return False
    path = Path(name).absolute()
    told = os.environ.get(_SIGNAL)
    if told:
        _try(lambda: _count_by_signal(told, path))
    elif _try(start):
        atexit.register(_end, path, os.getpid())
    return True


def _count_by_signal(told: str, path: Path) -> None:
    """Count from one signal to the next. Raises: UsageError: `no-such-signal`."""
    written = 0

    def turn(_number: int, _frame: FrameType | None) -> None:
        if watch().is_busy:  # it came while a block was beginning or ending in this thread
            print(f"sonde: the signal came while counting began or ended: send {told} again", file=sys.stderr)
        elif is_started():
            write()
        elif _try(start):
            # Anew: before the folder of what is counted is removed, which was registered when it was made.
            atexit.unregister(end)
            atexit.register(end)

    def write() -> None:
        nonlocal written
        written += 1
        _save(stop(), path if written == 1 else path.with_name(f"{path.stem}-{written}{path.suffix}"))

    def end() -> None:
        if is_started():
            write()

    number = _signal_of(told)
    try:
        signal.signal(number, turn)
    except OSError as error:
        raise _no_signal(told, "no program can catch it") from error
    except ValueError as error:
        raise _no_signal(told, "only the main thread can; sonde.start_if_asked() was called in another") from error


def _signal_of(name: str) -> signal.Signals:
    for each in signal.Signals:
        if name.upper() in (each.name, each.name.removeprefix("SIG"), str(each.value)):
            return each
    raise _no_signal(name, "there is none of that name")


def _no_signal(name: str, why: str) -> UsageError:
    return UsageError(
        f"cannot wait for the signal '{name}' of {_SIGNAL}: {why}", slug="no-such-signal", hint=f"{_SIGNAL}=USR2"
    )


def _end(path: Path, pid: int) -> None:
    if os.getpid() == pid and is_started():
        _save(stop(), path)


def _save(block: Block, path: Path) -> None:
    if _try(lambda: block.save(path, force=True)) and not watch().why_not:  # else `save` says that it wrote nothing
        print(f"sonde: wrote {path}; sonde view {path}", file=sys.stderr)


def _try(call: object) -> bool:
    assert callable(call)
    try:
        call()
    except SondeError as error:
        print(f"sonde: {error}", file=sys.stderr)
        return False
    return True
