"""The agent of `sonde contexts`, put into the process that asks for it."""

import atexit
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from sonde.base.errors import MissingCapability, SondeError
from sonde.launch import agent_folder
from sonde.store.run_folder import RunFolder, left_behind, remove_folder

_KIND = "block"
_TIMED = 1


class Agent(Protocol):
    """What blocks ask of it, see `native/cpython/blocks.h`."""

    def watch(self, skip: int, /) -> None:
        """Count from now on, in the function so many frames above."""

    def pause(self) -> None:
        """Count no longer."""

    def mark(self, path: bytes, /) -> None:
        """Write what was counted into a new file. Raises: OSError."""

    def around(
        self,
        before: Callable[[], object] | None,
        call: Callable[[], object] | None,
        after: Callable[[], object] | None,
        /,
    ) -> Callable[[], None]:
        """A callable that calls these; the first and the last unseen."""
        ...


def start_agent() -> tuple[Agent, bytes] | None:
    """Start it, with its hook out.

    Returns:
        it and the folder of its counts, which lives as long as the process; None: another has started it, and it
        measures the whole process.
    Raises:
        MissingCapability: `no-agent`; `cannot-watch`, the interpreter does not let it.
        SondeError: `cannot-write`.
    """
    agent_folder("sonde._agent")
    from sonde import _agent  # it may be missing

    if _agent.is_running():
        return None
    folder = RunFolder.temporary(_KIND)
    _remove_left_behind(folder.path)
    try:
        _start(folder)
    except BaseException:
        remove_folder(folder.path)
        folder.close()
        raise
    atexit.register(_remove, folder, os.getpid())
    return _agent, os.fsencode(folder.path.absolute())


def _start(folder: RunFolder) -> None:
    from sonde import _agent  # as above

    command = os.fsencode("\n".join(sys.orig_argv))
    where = os.fsencode(folder.path)
    follow = raw = by_thread = by_line = space_saving = builtins = False
    launcher = metric = counters = nodes = interval_ns = burst_ns = one_in = 0
    try:
        # fmt: off
        _agent.start(
            where, _agent.recommended(builtins), command, _TIMED, builtins, follow, launcher, metric, space_saving,
            counters, nodes, interval_ns, burst_ns, one_in, raw, by_thread, by_line, b"", True,
        )
        # fmt: on
    except OSError as error:
        raise SondeError(
            f"cannot keep what is counted in '{folder.path}': {error.strerror}",
            slug="cannot-write",
            hint="make room there, or set TMPDIR",
        ) from error
    except RuntimeError as error:
        raise MissingCapability(
            f"cannot watch this process: {error}",
            slug="cannot-watch",
            hint="end what else watches calls here: a profiler, a debugger, a tool for coverage",
        ) from error


def _remove_left_behind(ours: Path) -> None:
    """Folders of processes that were killed, or have left by `os._exit`, as forked children do."""
    for each in ours.parent.glob(f"sonde-{_KIND}-*-live"):
        if each != ours:
            with left_behind(each) as is_over:
                if is_over:
                    remove_folder(each)


def _remove(folder: RunFolder, pid: int) -> None:
    if os.getpid() == pid:
        folder.close()
        remove_folder(folder.path)
