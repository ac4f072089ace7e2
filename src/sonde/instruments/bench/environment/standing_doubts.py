"""What about the machine, before anything is measured, makes results less trustworthy."""

import os
import time
from collections.abc import Callable, Iterator

from sonde.evidence import Doubt
from sonde.instruments.bench.environment.machine import Machine, memory_text
from sonde.instruments.bench.environment.processor_time import watch_others

CLOSE_OTHERS = "close what runs, or judge by processor time: --metric cpu"
LITTLE_MEMORY = 0.05
"""Share of memory; with less than that available, the kernel drops cached files that programs will ask for."""
VARYING_GOVERNORS = frozenset({"powersave", "ondemand", "conservative", "schedutil"})
_SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "jiffies", "refined-jiffies"})


def tolerated_load(processors: int) -> float:
    """Processors that others may keep busy without a doubt: a tenth of one, or of a large machine 2 %.

    >>> tolerated_load(2), tolerated_load(64)
    (0.1, 1.28)
    """
    return max(0.1, 0.02 * processors)


def doubts(
    machine: Machine | None = None,
    *,
    pin: int | None = None,
    aslr: bool = True,
    hash_seed: int | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[Doubt, ...]:
    """What is to be said before results of this machine are believed.

    Args:
        machine: None: this one.
        pin, aslr, hash_seed: as commands are going to be run.
        pause: how to wait for 0.3 s, to see how busy others are.
    """
    machine = machine or Machine()
    return (
        *_frequency(machine),
        *_sharing(machine, pin),
        *_busy(machine, pause),
        *_memory(machine),
        *_clock(machine),
        *_sampled_too_little(machine, aslr, hash_seed),
    )


def _frequency(machine: Machine) -> Iterator[Doubt]:
    varying = [governor for governor in machine.governors if governor in VARYING_GOVERNORS]
    if varying:
        yield Doubt(
            "varying-frequency",
            f"the governor '{varying[0]}' changes the processor's frequency with the load",
            hint="sudo cpupower frequency-set --governor performance",
        )
    if machine.turbo:
        intel = machine.text("sys/devices/system/cpu/intel_pstate/no_turbo") != ""
        yield Doubt(
            "turbo",
            "processors run faster than their nominal frequency for as long as they are cool enough",
            hint="echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
            if intel
            else "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
        )
    if machine.on_battery:
        yield Doubt("on-battery", "the machine runs on its battery, and saves power", hint="plug it in")


def _sharing(machine: Machine, pin: int | None) -> Iterator[Doubt]:
    if machine.virtual_machine:
        yield Doubt(
            "virtual-machine",
            "this is a virtual machine, which shares its processors with others unseen",
            hint="compare alternatives within one run only",
        )
    if machine.quota is not None:
        yield Doubt(
            "cpu-quota",
            f"control groups allow {machine.quota:g} processors' time: who uses more is halted in between",
            hint="measure outside the container, or give it whole processors",
        )
    if machine.smt and pin is not None:
        siblings = machine.text(f"sys/devices/system/cpu/cpu{pin}/topology/thread_siblings_list")
        yield Doubt(
            "shared-core",
            f"processor {pin} shares its core" + (f" (processors {siblings})" if siblings else ""),
            hint="echo off | sudo tee /sys/devices/system/cpu/smt/control",
        )


def _busy(machine: Machine, pause: Callable[[float], None]) -> Iterator[Doubt]:
    load = watch_others(machine, pause)
    if load is not None and load.processors > tolerated_load(len(machine.online)):
        named = f", most of all '{load.busiest}'" if load.busiest else ""
        told = f"other processes keep {load.processors:.1f} processors busy{named}"
        yield Doubt("busy-machine", told, hint=CLOSE_OTHERS)


def _memory(machine: Machine) -> Iterator[Doubt]:
    memory = machine.memory_bytes
    if memory and memory[1] < LITTLE_MEMORY * memory[0]:
        yield Doubt(
            "little-memory",
            f"only {memory_text(memory[1])} of {memory_text(memory[0])} memory are available",
            hint="close what uses it",
        )


def _clock(machine: Machine) -> Iterator[Doubt]:
    source = machine.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
    if source in _SLOW_CLOCKS:
        yield Doubt(
            "slow-clock", f"reading the clock '{source}' takes about a microsecond", hint="measure in longer loops"
        )


def _sampled_too_little(machine: Machine, aslr: bool, hash_seed: int | None) -> Iterator[Doubt]:
    """Where chance is held fixed, the results hold for that one draw of it."""
    if not aslr or machine.text("proc/sys/kernel/randomize_va_space") == "0":
        yield Doubt(
            "layout-fixed",
            "memory is laid out the same way in every invocation: its effect, which can be larger than that of what "
            "is compared, looks like a difference of the alternatives (Mytkowicz et al., ASPLOS 2009)",
            hint="vary the size of the environment, or leave the layout to chance",
        )
    inherited = os.environ.get("PYTHONHASHSEED", "random")
    seed = str(hash_seed) if hash_seed is not None else inherited
    if seed not in ("", "random"):
        yield Doubt(
            "hash-seed-fixed",
            f"Python programs run with hash seed {seed} in every invocation: results hold for that order of sets",
            hint="leave out --hash-seed" if hash_seed is not None else "unset PYTHONHASHSEED",
        )
