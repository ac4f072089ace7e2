"""Methods that were found while a program ran: what they are called, and which of them were phases in the end."""

import os
import struct
from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sonde.code import Function, FunctionKind, is_import_machinery, module_of_file
from sonde.instruments.phases.analysis import can_be_phase, figures_of, phase_sums
from sonde.instruments.phases.profile import NO_CALL, Phase, PhaseProfile, PhaseThread, Thetas

_RUNPY = "<frozen runpy>"
_HEAD = struct.Struct("=4I")
_PIECE_BYTES = 256 << 10
"""Records do not go across these (native/phase_agent/online.c)."""


def read_names(folder: Path) -> dict[int, Phase]:
    """Methods by the number that the agent gave them, in order."""
    found: dict[int, Phase] = {}
    for path in sorted(folder.glob("*.names")):
        data = path.read_bytes()
        at = 0
        while at + _HEAD.size <= len(data):
            number, line, file_bytes, name_bytes = _HEAD.unpack_from(data, at)
            if not number:
                at = (at // _PIECE_BYTES + 1) * _PIECE_BYTES
                continue
            start = at + _HEAD.size
            file = os.fsdecode(data[start : start + file_bytes])
            name = os.fsdecode(data[start + file_bytes : start + file_bytes + name_bytes])
            module = module_of_file(file) or Path(file).stem if name == "<module>" else ""
            found[number] = Phase(Function(name, module, file, line, _kind(name)))
            at += (_HEAD.size + file_bytes + name_bytes + 7) & ~7
    return found


def with_main_module(phases: Sequence[Phase], main_thread: PhaseThread) -> tuple[Phase, ...]:
    """The phases, with the module of the program by its name: no import runs its body, but the interpreter or `-m`."""
    calls = main_thread.calls
    is_launched = array("b")
    mains: set[int] = set()
    for phase, parent in zip(calls.phase, calls.parent, strict=True):
        function = phases[phase].function
        is_by_launcher = parent == NO_CALL or bool(is_launched[parent])
        is_launched.append(is_by_launcher and function.file == _RUNPY)
        if is_by_launcher and function.kind == "module":
            mains.add(phase)
    return tuple(
        replace(each, function=replace(each.function, module="__main__")) if number in mains else each
        for number, each in enumerate(phases)
    )


def _kind(name: str) -> FunctionKind:
    return "module" if name == "<module>" else "lambda" if name.endswith("<lambda>") else "function"


def keep_phases(profile: PhaseProfile, thetas: Thetas, first: int, module_bodies: int) -> PhaseProfile:
    """Leave out calls of methods that were no phases in the end; what they called is their callers'.

    Args:
        first: phases from here on were found; those before stay.
        module_bodies: the phase that bodies of modules are of which are none themselves.
    Guarantee: times and counts of what stays are as before; methods that stay meet both thresholds.
    """
    whole = profile.whole_ns
    chosen = {
        each.phase
        for each in phase_sums(figures_of(profile))
        if each.phase >= first
        and thetas.admits(each.total_ns, each.calls, whole)
        and can_be_phase(profile.phases[each.phase].function)
        and not is_import_machinery(profile.phases[each.phase].function)
    }
    kept = [*range(first), *sorted(chosen)]
    into = [NO_CALL] * len(profile.phases)
    for number, phase in enumerate(profile.phases):
        if number >= first and phase.function.kind == "module":
            into[number] = module_bodies
    for place, phase_number in enumerate(kept):
        into[phase_number] = place
    phases = tuple(profile.phases[number] for number in kept)
    return replace(profile, phases=phases, threads=tuple(_kept(thread, into) for thread in profile.threads))


def keep_found(profile: PhaseProfile, thetas: Thetas) -> PhaseProfile:
    """Leave out methods that were found in another run, and are no phases in this one."""
    first = sum(not phase.is_method for phase in profile.phases)
    bodies = next(at for at, phase in enumerate(profile.phases) if phase.component == "module bodies")
    return keep_phases(profile, thetas, first, bodies)


def _kept(thread: PhaseThread, into: Sequence[int]) -> PhaseThread:
    calls = thread.calls
    # Of each call, where it is now; or where the nearest call around it is that stays.
    place = array("q", [NO_CALL]) * len(calls)
    rows, parents = array("q"), array("q")
    for row, (phase, parent) in enumerate(zip(calls.phase, calls.parent, strict=True)):
        around = place[parent] if parent != NO_CALL else NO_CALL
        if into[phase] == NO_CALL:
            place[row] = around
            continue
        place[row] = len(rows)
        rows.append(row)
        parents.append(around)

    def of(column: Sequence[int]) -> "array[int]":
        return array("q", [column[row] for row in rows])

    left = replace(
        calls,
        phase=array("q", [into[calls.phase[row]] for row in rows]),
        parent=parents,
        start_ns=of(calls.start_ns),
        end_ns=of(calls.end_ns),
        taken_ns=of(calls.taken_ns),
        ending=of(calls.ending),
        is_resumed=of(calls.is_resumed),
        counters=tuple(of(column) for column in calls.counters),
    )
    return replace(thread, calls=left)
