"""Who used the processors, from the kernel's accounts."""

import os
from dataclasses import dataclass, field

from sonde.instruments.bench.environment.machine import Machine

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """Seconds of all processors since the machine was started."""

    busy_s: float
    stolen_s: float
    """That the host of a virtual machine gave to others while this one had something to do."""
    total_s: float
    own_s: float
    """Of it, sonde's and that of the processes it started, once they have ended."""
    by_process: dict[int, tuple[str, float]] = field(default_factory=dict)
    """Process -> name and seconds; only where asked for."""


def processor_time(machine: Machine, *, by_process: bool = False) -> ProcessorTime | None:
    """The accounts as they are now; None where the kernel does not tell.

    Cost: 50 microseconds; with `by_process` as many for each process.
    """
    first = machine.text("proc/stat").partition("\n")[0].split()
    if len(first) < 9 or first[0] != "cpu":
        return None
    user, nice, system, idle, waiting, interrupts, soft_interrupts, stolen = (int(word) / _TICKS for word in first[1:9])
    busy = user + nice + system + interrupts + soft_interrupts
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    processes = _by_process(machine) if by_process else {}
    return ProcessorTime(busy, stolen, busy + stolen + idle + waiting, own, processes)


def others_share(before: ProcessorTime, after: ProcessorTime, elapsed_s: float) -> float:
    """How many processors others kept busy in between."""
    return max(0.0, (after.busy_s - before.busy_s) - (after.own_s - before.own_s)) / elapsed_s


def busiest(before: ProcessorTime, after: ProcessorTime) -> tuple[str, float] | None:
    """Name and seconds of the process that used most in between; not sonde, nor what it started."""
    used = [
        (seconds - before.by_process.get(process, (name, 0.0))[1], name)
        for process, (name, seconds) in after.by_process.items()
        if process != os.getpid()
    ]
    most, name = max(used, default=(0.0, ""))
    return (name, most) if most > 0.0 else None


def _by_process(machine: Machine) -> dict[int, tuple[str, float]]:
    found = {}
    try:
        numbers = [entry.name for entry in (machine.root / "proc").iterdir() if entry.name.isdigit()]
    except OSError:
        return {}
    for number in numbers:
        head, _, tail = machine.text(f"proc/{number}/stat").rpartition(")")
        words = tail.split()
        if len(words) > 12:  # user and system time are the 14th and 15th field, the state after the name is the third
            found[int(number)] = (head.partition("(")[2], (int(words[11]) + int(words[12])) / _TICKS)
    return found
