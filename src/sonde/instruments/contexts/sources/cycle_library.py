"""The library that code with cycle probes calls (`native/probes/unit_cycles.h`), in this process."""

import ctypes
from functools import cache

from sonde.launch import addresses_in, probe_library
from sonde.passes.cycle_probes import BEGIN, END, THREAD_OF_CYCLES

_NAME = "_cycle_probes.so"
SHARE_OF_TIME = 0.05
"""Of a function's own time, that measuring may take where intervals are chosen. Five percent is what `sonde contexts`
takes of most programs; half of it doubles the error of short functions, and saves what few would see."""


class CyclePlan(ctypes.Structure):
    """`sn_cycles_plan`."""

    _fields_ = (
        ("folder", ctypes.c_char_p),
        ("command", ctypes.c_char_p),
        ("mechanism", ctypes.c_char_p),
        ("units", ctypes.c_uint64),
        ("share", ctypes.c_double),
        ("follow", ctypes.c_bool),
        ("loops", ctypes.c_uint64),
    )


@cache
def _library() -> ctypes.CDLL:
    library = probe_library(_NAME)
    library.sn_cycles_offset.restype = ctypes.c_ssize_t
    return library


def cycles_offset() -> int:
    """Where a thread of this process, and of its forks, has the address of its cycles: bytes from its thread pointer.

    Raises:
        MissingCapability: `no-agent`.
    """
    return int(_library().sn_cycles_offset())


def cycle_addresses() -> dict[str, int]:
    """What code with cycle probes needs to be linked with."""
    return addresses_in(_library(), (BEGIN, END, THREAD_OF_CYCLES))


def begin_cycles(plan: CyclePlan) -> None:
    """Begin to count, in the only thread of the process.

    Raises:
        OSError: there is no room, or no memory.
    """
    error = _library().sn_cycles_begin(ctypes.byref(plan))
    if error:
        raise OSError(error, "the cycles of the program have no room")
