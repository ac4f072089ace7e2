"""The library that code with path probes calls (`native/probes/path_forests.h`), in this process."""

import ctypes
from functools import cache

from sonde.launch import addresses_in, probe_library
from sonde.passes import ENTER_PATHS, NEXT_PATH

_NAME = "_path_probes.so"


@cache
def _library() -> ctypes.CDLL:
    library = probe_library(_NAME)
    library.sn_path_forests_begin.argtypes = (ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64)
    return library


def addresses() -> dict[str, int]:
    """What code with path probes needs to be linked with.

    Raises:
        MissingCapability: `no-agent`.
    """
    return addresses_in(_library(), (ENTER_PATHS, NEXT_PATH))


def begin(folder: bytes, k: int, most: int) -> None:
    """Begin to count sequences of up to `k` paths, at most `most` of them in each thread.

    Raises:
        OSError: there is no room, or no memory.
    """
    error = _library().sn_path_forests_begin(folder, k, most)
    if error:
        raise OSError(error, "the counts of the program have no room")
