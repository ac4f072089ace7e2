"""The library that code with path probes calls (`native/probes/path_forests.h`), in this process."""

import ctypes
from functools import cache
from pathlib import Path

import sonde
from sonde.base.errors import MissingCapability
from sonde.passes import ENTER_PATHS, NEXT_PATH

_NAME = "_path_probes.so"


@cache
def _library() -> ctypes.CDLL:
    path = Path(sonde.__file__).parent / _NAME
    if not path.is_file():
        raise MissingCapability(
            "cannot put probes into a program: this installation of sonde has none",
            slug="no-agent",
            hint="python -m pip install --force-reinstall sonde",
        )
    library = ctypes.CDLL(str(path))
    library.sn_path_forests_begin.argtypes = (ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64)
    return library


def addresses() -> dict[str, int]:
    """What code with path probes needs to be linked with.

    Raises:
        MissingCapability: `no-agent`.
    """
    found = {}
    for name in (ENTER_PATHS, NEXT_PATH):
        address = ctypes.cast(getattr(_library(), name), ctypes.c_void_p).value
        assert address is not None
        found[name] = address
    return found


def begin(folder: bytes, k: int, most: int) -> None:
    """Begin to count sequences of up to `k` paths, at most `most` of them in each thread.

    Raises:
        OSError: there is no room, or no memory.
    """
    error = _library().sn_path_forests_begin(folder, k, most)
    if error:
        raise OSError(error, "the counts of the program have no room")
