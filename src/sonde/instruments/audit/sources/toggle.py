"""The optimisation that half of the runs of an audit are without: inlined calls."""

from pathlib import Path

import sonde
from sonde.base.errors import MissingCapability

INLINED_CALLS = "inlined calls"
"""Since 3.11 CPython runs Python functions that Python calls in the loop of the interpreter that runs the caller;
before, and where a frame evaluator (PEP 523) is set, each call goes through C."""
_LIBRARY = "_plain_frames.so"


def plain_frames() -> Path:
    """The library that turns inlined calls off.

    Raises:
        MissingCapability: `no-agent`, the package was built without it.
    """
    path = Path(sonde.__file__).with_name(_LIBRARY)
    if not path.is_file():
        raise MissingCapability(
            "cannot turn inlined calls off: this installation of sonde has no library for it",
            slug="no-agent",
            hint="python -m pip install --force-reinstall sonde",
        )
    return path
