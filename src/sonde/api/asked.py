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
    `SONDE_SIGNAL=USR2` besides, it starts when that signal comes to the process and ends when it comes again, and FILE
    is written; of `run.sonde`, the next one is `run-2.sonde`. Without `SONDE_PROFILE` nothing is done.

    What goes wrong later is told on stderr, and the program goes on.

    Returns:
        whether anything was asked for.
    Raises:
        UsageError: `no-such-signal`.
    """
    name = os.environ.get(_FILE)
    if not name:
        return False
    path = Path(name).absolute()
    pid = os.getpid()
    told = os.environ.get(_SIGNAL)
    if not told:
        start()
        atexit.register(_end, path, pid)
        return True
    written = 0

    def turn(_number: int, _frame: FrameType | None) -> None:
        nonlocal written
        if watch().is_busy:  # it came while a block was beginning or ending in this thread
            print(f"sonde: the signal came while counting began or ended: send {told} again", file=sys.stderr)
            return
        if not is_started():
            _try(start)
            return
        written += 1
        _save(stop(), path if written == 1 else path.with_name(f"{path.stem}-{written}{path.suffix}"))

    signal.signal(_signal_of(told), turn)
    return True


def _signal_of(name: str) -> signal.Signals:
    for each in signal.Signals:
        if name.upper() in (each.name, each.name.removeprefix("SIG"), str(each.value)):
            return each
    raise UsageError(
        f"cannot wait for the signal '{name}' of {_SIGNAL}: there is none of that name",
        slug="no-such-signal",
        hint=f"{_SIGNAL}=USR2",
    )


def _end(path: Path, pid: int) -> None:
    if os.getpid() == pid and is_started():
        _save(stop(), path)


def _save(block: Block, path: Path) -> None:
    if _try(lambda: block.save(path, force=True)):
        print(f"sonde: wrote {path}; sonde view {path}", file=sys.stderr)


def _try(call: object) -> bool:
    assert callable(call)
    try:
        call()
    except SondeError as error:
        print(f"sonde: {error}", file=sys.stderr)
        return False
    return True
