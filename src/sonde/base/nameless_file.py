"""A file without a name: in memory where the system has such files, else in the temporary folder."""

import errno
import os
import tempfile


def nameless_file(purpose: str) -> int:
    """Open one for reading and writing; nothing is left of it when its last descriptor is closed.

    Systems without `memfd_create`, and containers that refuse it, get a temporary file that is unlinked.

    Args:
        purpose: what `/proc` calls it.
    Returns:
        a descriptor, which a child does not inherit unless it is passed on.
    Raises:
        OSError: there are too many descriptors, or no room.
    """
    try:
        return os.memfd_create(purpose, os.MFD_CLOEXEC)
    except (PermissionError, AttributeError):
        pass
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
    with tempfile.TemporaryFile(prefix="sonde-") as file:
        return os.dup(file.fileno())
