"""Servers: counting from one moment to another, wherever in the program these are."""

from sonde.api.block import Block
from sonde.api.watching import watch

_under_way: list[tuple[int, Block]] = []
"""The process that began it, and its block; at most one."""


def start() -> Block:
    """Begin to count, until `stop`; in a program that does so already, nothing changes.

    Returns:
        the block that is open.
    """
    mine = watch()
    with mine.lock:
        if not _under_way or _under_way[0][0] != mine.pid:
            _under_way[:] = [(mine.pid, Block())]
            _under_way[0][1].open_below()
        return _under_way[0][1]


def stop() -> Block:
    """Count no longer.

    Returns:
        the block that was open: `sonde.stop().report()`.
    Raises:
        UsageError: `not-started`.
    """
    mine = watch()
    with mine.lock:
        if _under_way and _under_way[0][0] == mine.pid:
            block = _under_way.pop()[1]
            block.__exit__(None, None, None)
            return block
    from sonde.base.errors import UsageError  # few programs need it

    raise UsageError(
        "cannot stop counting: it was not started in this process",
        slug="not-started",
        hint="call sonde.start() first; a forked child has to start by itself",
    )


def is_started() -> bool:
    """Whether `start` was called, and `stop` was not."""
    return bool(_under_way) and _under_way[0][0] == watch().pid
