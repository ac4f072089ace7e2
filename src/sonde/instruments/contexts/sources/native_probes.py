"""The library that code with probes calls (`native/probes/probes.h`), in this process."""

import ctypes
import os
from functools import cache
from pathlib import Path

from sonde.launch import addresses_in, probe_library

_NAME = "_probes.so"
_CALLED = (
    "sn_probes_enter",
    "sn_probes_enter_from_interpreter",
    "sn_probes_leave_to_interpreter",
    "sn_probes_sync",
    "sn_probes_left",
)


class HotPlan(ctypes.Structure):
    """`sn_hot_plan`."""

    _fields_ = (
        ("metric", ctypes.c_int),
        ("space_saving", ctypes.c_bool),
        ("counters", ctypes.c_uint32),
        ("nodes_limit", ctypes.c_uint64),
    )


class Plan(ctypes.Structure):
    """`sn_probes_plan`."""

    _fields_ = (
        ("folder", ctypes.c_char_p),
        ("command", ctypes.c_char_p),
        ("mechanism", ctypes.c_char_p),
        ("code", ctypes.c_uint64),
        ("code_bytes", ctypes.c_uint64),
        ("plan", HotPlan),
        ("timed", ctypes.c_bool),
        ("follow", ctypes.c_bool),
        ("outer_enter", ctypes.c_void_p),
        ("outer_leave", ctypes.c_void_p),
        ("later", ctypes.c_bool),
    )


@cache
def _library() -> ctypes.CDLL:
    library = probe_library(_NAME)
    library.sn_probes_offset.restype = ctypes.c_ssize_t
    library.sn_probes_switch.restype = ctypes.c_void_p
    return library


def thread_offset() -> int:
    """Where a thread of this process, and of its forks, has what probes look at: bytes from its thread pointer.

    Raises:
        MissingCapability: `no-agent`.
    """
    return int(_library().sn_probes_offset())


def switch_address() -> int:
    """Where this process, and its forks, have the word that switches code for bursts.

    Raises:
        MissingCapability: `no-agent`; MemoryError.
    """
    address = _library().sn_probes_switch()
    if address is None:
        raise MemoryError("there is no page below 2 GiB")
    return int(address)


def addresses() -> dict[str, int]:
    """What code with probes needs to be linked with."""
    return addresses_in(_library(), _CALLED)


def begin(plan: Plan) -> None:
    """Begin to count, in the only thread of the process, or where no other begins.

    Raises:
        OSError: there is no room, or no memory.
    """
    error = _library().sn_probes_begin(ctypes.byref(plan))
    if error:
        raise OSError(error, "the counts of the program have no room")


def begin_bursts(path: Path) -> None:
    """Let a file be the switch, and begin the first burst.

    Raises:
        OSError: it cannot be mapped.
    """
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        error = _library().sn_probes_begin_bursts(file)
    finally:
        os.close(file)
    if error:
        raise OSError(error, "the switch of the program's probes cannot be mapped")
