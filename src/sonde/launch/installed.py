"""What this installation has for measured programs: agents for Python, and libraries that code with probes calls."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import sonde
from sonde.base.errors import MissingCapability
from sonde.base.free_threading import refuse_free_threaded

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Iterable

_AGENTS_UP_TO_3_15 = ("sonde._path_agent",)
_HINT = "python -m pip install --force-reinstall sonde"


def agent_folder(extension: str) -> Path:
    """Where an agent's extension lies; found without loading it into this process.

    Args:
        extension: its module.
    Raises:
        MissingCapability: `no-agent`, the package was built without it; `free-threaded`.
    """
    refuse_free_threaded()
    spec = find_spec(extension)
    if spec is None or spec.origin is None:
        if extension in _AGENTS_UP_TO_3_15 and sys.version_info >= (3, 16):
            version = "{}.{}".format(*sys.version_info)
            raise MissingCapability(
                f"cannot do this in Python {version}: its bytecode is not known, that of 3.11 to 3.15 is",
                slug="no-agent",
                hint="install sonde in an older Python: python3.15 -m pip install sonde",
            )
        raise MissingCapability(
            "cannot measure anything: this installation of sonde has no agent", slug="no-agent", hint=_HINT
        )
    return Path(spec.origin).parent


def probe_library(name: str) -> "ctypes.CDLL":
    """A library that code with probes calls, loaded into this process.

    Args:
        name: of its file.
    Raises:
        MissingCapability: `no-agent`; `no-probes-here`: it cannot be used on this machine.
    """
    import ctypes  # few runs need it

    if os.uname().machine != "x86_64":
        raise _no_probes(f"its probes are for x86-64, this is {os.uname().machine}")
    path = Path(sonde.__file__).parent / name
    if not path.is_file():
        raise MissingCapability(
            "cannot put probes into a program: this installation of sonde has none", slug="no-agent", hint=_HINT
        )
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        # That of musl takes no libraries with thread-local variables at fixed places after a program's start.
        raise _no_probes(f"the C library does not load them: {error}") from error


def _no_probes(why: str) -> MissingCapability:
    return MissingCapability(
        f"cannot put probes into a program: {why}",
        slug="no-probes-here",
        hint="measure it on an x86-64 machine with glibc, or look at it from outside: sonde sample",
    )


def addresses_in(library: "ctypes.CDLL", names: "Iterable[str]") -> dict[str, int]:
    """Of functions of a library, which it has."""
    import ctypes  # few runs need it

    return {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names}
