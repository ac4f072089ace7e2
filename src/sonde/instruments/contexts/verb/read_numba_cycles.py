"""The profile of what Numba compiled with cycle probes, from the spools of all threads that ran it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from sonde.evidence import Loss
from sonde.instruments.contexts.profile import ContextProfile, MeasuredProcess, Run
from sonde.instruments.contexts.sources.numba import CYCLES_MECHANISM, read_told_code, read_told_units
from sonde.instruments.contexts.sources.probes import CompiledUnit
from sonde.instruments.contexts.sources.spool import Recording, SpooledProcess
from sonde.instruments.contexts.verb.read_cycles import UnitSpools, cycles_profile
from sonde.native import unit_cycles_of


def numba_profile(
    recording: Recording,
    processes: Sequence[SpooledProcess],
    run: Run,
    known_rate: float | None,
    ended: Callable[[SpooledProcess], str],
) -> ContextProfile:
    """Compiled functions of Python programs, by themselves; Python functions are left out.

    Args:
        recording: where the spools are.
        processes: its Python processes.
        run, known_rate, ended: as of `cycles_profile`.
    """
    groups, losses, outer = list[UnitSpools](), Counter[tuple[str, str]](), dict[int, SpooledProcess]()
    for process in processes:
        pid, parent_pid = process.spool.pid, process.spool.parent_pid
        losses.update(read_told_code(recording.folder, pid, parent_pid).losses)
        spools = [each for each in process.inner if each.mechanism.startswith(CYCLES_MECHANISM)]
        threads = [replace(process, spool=each, inner=()) for each in spools]
        units = read_told_units(recording.folder, pid, parent_pid)
        numbers = {of.unit for each in spools for of in unit_cycles_of(each)}
        missing = range(len(units), max(numbers, default=-1) + 1)
        if missing:
            losses[
                "numba-not-probed", "what functions that Numba compiled are called was not written: there was no room"
            ] += 1
        groups.append(UnitSpools((*units, *map(_unknown, missing)), threads))
        outer[pid] = process
    for refusal in recording.refusals():
        losses["process-not-measured", f"{refusal.process}: {refusal.reason}"] += 1
    profile = cycles_profile(groups, run, known_rate, lambda each: ended(outer[each.spool.pid]))
    found = {each.pid: each for each in profile.processes}
    told = [Loss(kind, amount, detail) for (kind, detail), amount in losses.items()]
    return replace(
        profile,
        processes=tuple(_described(each, found.get(each.spool.pid), ended(each)) for each in outer.values()),
        losses=(*profile.losses, *told),
    )


def _unknown(number: int) -> CompiledUnit:
    from sonde.ir import SourceFunction  # hardly any run needs it

    return CompiledUnit(SourceFunction(f"compiled function {number}", "", 0), ())


def _described(process: SpooledProcess, found: MeasuredProcess | None, ended: str) -> MeasuredProcess:
    """A process, whether compiled functions ran in it or not."""
    spool = process.spool
    nothing = MeasuredProcess(spool.pid, spool.parent_pid, "", spool.python, CYCLES_MECHANISM, spool.threads, 0, ended)
    return replace(found or nothing, python=spool.python, command=" ".join(spool.command.split("\n")))
