"""Who used the processors, from the kernel's accounts."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sonde.instruments.bench.environment.machine import Machine

_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_S = 0.3
"""How long to watch others. The kernel counts in hundredths of a second: this shows what uses 3 % of a processor."""


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


@dataclass(frozen=True, slots=True)
class OthersLoad:
    """What other processes did while they were watched."""

    processors: float
    """How many of them they kept busy."""
    busiest: str
    """The name of the process that did most; empty where none is known."""


def watch_others(machine: Machine, pause: Callable[[float], None] = time.sleep) -> OthersLoad | None:
    """See for 0.3 s how busy others are; None where the kernel does not tell."""
    before, started = processor_time(machine, by_process=True), time.monotonic()
    pause(_LOOK_S)
    after = processor_time(machine, by_process=True)
    elapsed = max(_LOOK_S, time.monotonic() - started)
    if before is None or after is None:
        return None
    most = busiest(before, after)
    return OthersLoad(others_share(before, after, elapsed), most[0] if most else "")


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
