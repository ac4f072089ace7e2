"""Starting a program with sonde's own streams, folder and process group."""

import os
import signal
from collections.abc import Iterable, Mapping, Sequence

from sonde.base.errors import SondeError


def spawn(argv: Sequence[str], environment: Mapping[str, str], mask: Iterable[int]) -> int:
    """Start a program, and return its process id.

    Args:
        mask: signals that are blocked in it.
    Raises:
        SondeError: `cannot-execute`.
    """
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
