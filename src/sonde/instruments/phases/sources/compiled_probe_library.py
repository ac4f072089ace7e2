"""The library that code with probes of phases calls (`native/probes/phase_calls.h`), in this process.

It is no part of the package `compiled`, with which compilers and passes are loaded: a simulation, which is slow, needs
this without them.
"""

import ctypes
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, NoReturn

from sonde.jit import LoadedCode, run_main
from sonde.launch import addresses_in, probe_library

_NAME, _START, _STOP = "_phase_probes.so", "sn_phases_start", "sn_phases_stop"


class _Plan(ctypes.Structure):
    """`sn_phases_plan`."""

    _fields_ = (
        ("folder", ctypes.c_char_p),
        ("counters", ctypes.c_char_p),
        ("most_bytes", ctypes.c_uint64),
        ("switches_stacks", ctypes.c_bool),
    )


class PhasePlan(NamedTuple):
    """What is told, and where."""

    folder: bytes
    """Where logs go."""
    counters: tuple[str, ...]
    most_log_bytes: int
    """Of one thread."""
    switches_stacks: bool
    """Whether the program has more stacks than threads."""


@cache
def _library() -> ctypes.CDLL:
    library = probe_library(_NAME)
    library.sn_phases_cost.restype = ctypes.c_double
    return library


def phase_addresses(called: Iterable[str]) -> dict[str, int]:
    """What code with such probes needs to be linked with.

    Args:
        called: names of the functions.
    Raises:
        MissingCapability: `no-agent`.
    """
    return addresses_in(_library(), called)


def begin_phases(plan: PhasePlan) -> None:
    """Begin to tell, in the only thread of the process.

    Raises:
        OSError: there is no room, or no memory.
    """
    words = _Plan(plan.folder, ",".join(plan.counters).encode(), plan.most_log_bytes, plan.switches_stacks)
    error = _library().sn_phases_begin(ctypes.byref(words))
    if error:
        raise OSError(error, "the phases of the program have no room")


def become_program(code: LoadedCode, arguments: Sequence[str], plan: PhasePlan) -> NoReturn:
    """Begin to tell, and be the program from its first constructor to the end of its last destructor.

    Raises:
        OSError: there is no room, or no memory.
    """
    begin_phases(plan)
    found = addresses_in(_library(), (_START, _STOP))
    code.destructors = [*code.destructors, found[_STOP]]
    run_main(code, arguments, [found[_START], *code.constructors])


def call_cost_ns() -> float:
    """What telling of a call takes, of a process in which `begin_phases` was called."""
    return float(_library().sn_phases_cost())
