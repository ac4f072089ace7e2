"""Starting a program with sonde's own streams, folder and process group, and what a Python finds at its start."""

import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

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


def with_start_up_file(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment in which Python loads `sitecustomize` from `folder`."""
    path = environment.get("PYTHONPATH")
    return {**environment, "PYTHONPATH": str(folder) if not path else f"{folder}{os.pathsep}{path}"}
