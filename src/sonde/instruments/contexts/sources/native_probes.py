"""The library that code with probes calls (`native/probes/probes.h`), in this process."""

import ctypes
from functools import cache
from pathlib import Path

import sonde
from sonde.base.errors import MissingCapability

_NAME = "_probes.so"


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
    )


@cache
def _library() -> ctypes.CDLL:
    folder = Path(sonde.__file__).parent
    if not (folder / _NAME).is_file():
        raise MissingCapability(
            "cannot put probes into a program: this installation of sonde has none",
            slug="no-agent",
            hint="python -m pip install --force-reinstall sonde",
        )
    library = ctypes.CDLL(str(folder / _NAME))
    library.sn_probes_offset.restype = ctypes.c_ssize_t
    return library


def thread_offset() -> int:
    """Where a thread of this process, and of its forks, has what probes look at: bytes from its thread pointer.

    Raises:
        MissingCapability: `no-agent`.
    """
    return int(_library().sn_probes_offset())


def addresses() -> dict[str, int]:
    """What code with probes needs to be linked with."""
    found = {}
    for name in ("sn_probes_enter", "sn_probes_enter_from_interpreter", "sn_probes_leave_to_interpreter"):
        address = ctypes.cast(getattr(_library(), name), ctypes.c_void_p).value
        assert address is not None
        found[name] = address
    return found


def begin(plan: Plan) -> None:
    """Begin to count, in the only thread of the process, or where no other begins.

    Raises:
        OSError: there is no room, or no memory.
    """
    error = _library().sn_probes_begin(ctypes.byref(plan))
    if error:
        raise OSError(error, "the counts of the program have no room")
