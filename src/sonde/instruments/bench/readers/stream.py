"""Reading what is not a regular file: the pipe of `<(command)`, which comes once, and may come slowly, or never."""

import errno
import os
import select
import stat
from pathlib import Path

_MOST_BYTES = 2**31
"""Of a pipe: more is no file of measurements, but something that does not end."""
_PATIENCE_MS = 2_000
"""For somebody to open the other end of a named pipe."""
_CHUNK_BYTES = 2**20


def is_endless(path: Path) -> bool:
    """Whether it is neither a file, nor a folder, nor a pipe: a device or a socket, which may never end."""
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISFIFO(mode))


def read_pipe(path: Path) -> bytes:
    """All that comes out of a pipe, for as long as somebody holds its other end.

    Raises:
        OSError: nobody writes into it; or there is too much.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # blocking, it would wait for a writer
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        parts: list[bytes] = []
        size = 0
        while True:
            try:
                part = os.read(descriptor, _CHUNK_BYTES)
            except BlockingIOError:
                poll.poll()
                continue
            if part:
                parts.append(part)
                size += len(part)
                if size > _MOST_BYTES:
                    raise OSError(errno.EFBIG, f"more than {_MOST_BYTES >> 30} GiB come out of this pipe")
            elif parts:
                return b"".join(parts)
            else:
                events = poll.poll(_PATIENCE_MS)
                if not events:
                    raise OSError(errno.EPIPE, "nobody writes into this pipe")
                if not events[0][1] & select.POLLIN:
                    return b""
    finally:
        os.close(descriptor)
