"""The library that code with path probes calls (`native/probes/path_forests.h`), in this process."""

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sonde.launch import addresses_in, probe_library
from sonde.passes import COUNT_PATH, FOLLOW_PATH, PATH_COUNTS, PATH_FOREST

_NAME = "_path_probes.so"


@cache
def _library() -> ctypes.CDLL:
    library = probe_library(_NAME)
    library.sn_path_forests_begin.argtypes = (
        ctypes.c_char_p,
        ctypes.c_uint32,
        ctypes.c_uint64,
        ctypes.c_uint32,
        ctypes.POINTER(ctypes.c_uint32),
    )
    library.sn_path_forests_offset.restype = ctypes.c_ssize_t
    library.sn_paths_offset.restype = ctypes.c_ssize_t
    library.sn_paths_switch.restype = ctypes.c_void_p
    return library


def addresses() -> dict[str, int]:
    """What code with path probes needs to be linked with.

    Raises:
        MissingCapability: `no-agent`.
    """
    return addresses_in(_library(), (FOLLOW_PATH, PATH_FOREST))


def thread_offset() -> int:
    """`PathProbes.thread_offset` of code that this library counts in order.

    Raises:
        MissingCapability: `no-agent`.
    """
    return int(_library().sn_path_forests_offset())


class _CounterPlan(ctypes.Structure):
    """`sn_paths_plan` of native/probes/path_counts.h."""

    _fields_ = (
        ("folder", ctypes.c_char_p),
        ("command", ctypes.c_char_p),
        ("mechanism", ctypes.c_char_p),
        ("counters", ctypes.c_uint64),
        ("follow", ctypes.c_bool),
    )


def counter_addresses() -> dict[str, int]:
    """What code with probes that count single paths needs to be linked with.

    Raises:
        MissingCapability: `no-agent`.
    """
    return addresses_in(_library(), (COUNT_PATH, PATH_COUNTS))


def counter_offset() -> int:
    """`PathProbes.thread_offset` of code that counts single paths.

    Raises:
        MissingCapability: `no-agent`.
    """
    return int(_library().sn_paths_offset())


def begin_counters(folder: bytes, counters: int) -> None:
    """Begin to count single paths.

    Args:
        counters: of `ProbedPaths`.

    Raises:
        OSError: there is no room, or no memory.
    """
    plan = _CounterPlan(folder, b"", b"llvm-path-counters", counters, False)
    if error := _library().sn_paths_begin(ctypes.byref(plan)):
        raise OSError(error, "the counts of the program have no room")


def switch_address() -> int:
    """Where this process, and its forks, have the word that switches code for bursts.

    Raises:
        MissingCapability: `no-agent`; MemoryError.
    """
    address = _library().sn_paths_switch()
    if address is None:
        raise MemoryError("there is no page below 2 GiB")
    return int(address)


def begin_bursts(path: Path) -> None:
    """Let a file be the switch, and begin the first burst.

    Raises:
        OSError: it cannot be mapped.
    """
    with path.open("r+b") as file:
        error = _library().sn_paths_begin_bursts(file.fileno())
    if error:
        raise OSError(error, "the switch of the program's probes cannot be mapped")


def begin(folder: bytes, k: int, most: int, rows: Sequence[int]) -> None:
    """Begin to count sequences of up to `k` paths, at most `most` of them in each thread.

    Args:
        rows: `FunctionPaths.row` of each function.

    Raises:
        OSError: there is no room, or no memory.
    """
    error = _library().sn_path_forests_begin(folder, k, most, len(rows), (ctypes.c_uint32 * len(rows))(*rows))
    if error:
        raise OSError(error, "the counts of the program have no room")
