"""What about the machine could be set better for measuring."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sonde.instruments.bench.environment import Machine
from sonde.instruments.bench.environment.machine import memory_text
from sonde.instruments.bench.environment.processor_time import OthersLoad, watch_others
from sonde.instruments.bench.environment.standing_doubts import LITTLE_MEMORY, VARYING_GOVERNORS, tolerated_load

_CPU = "/sys/devices/system/cpu"
_LAYOUTS = {"0": "fixed", "1": "partly random", "2": "random"}
_PARANOIA = 2
"""Up to this value of `perf_event_paranoid`, the kernel lets users count instructions of their own programs."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be set, or ended, or avoided."""

    name: str
    now: str
    """Empty: it cannot be looked at."""
    better: str
    effect: str
    """How much it matters, and why."""
    makes_vary: bool = False
    """Whether it makes measurements vary as it is now."""
    command: str = ""
    """What to type or do; empty where it is good as it is, or cannot be looked at."""

    @property
    def is_known(self) -> bool:
        """Whether it could be looked at."""
        return self.now != ""


def settings_of(machine: Machine | None = None, *, pause: Callable[[float], None] = time.sleep) -> tuple[Setting, ...]:
    """Look at all of them, which takes 0.3 s.

    Args:
        machine: None: this one.
        pause: how to wait for 0.3 s, to see how busy others are.
    """
    machine = machine or Machine()
    swaps = _swaps(machine)
    load = watch_others(machine, pause)
    is_swapping = _swaps(machine) != swaps
    return (*_speed(machine), *_sharing(machine, load, is_swapping=is_swapping), *_rest(machine))


def _speed(machine: Machine) -> Iterator[Setting]:
    varying = not VARYING_GOVERNORS.isdisjoint(machine.governors)
    yield Setting(
        "governor",
        ", ".join(machine.governors),
        "performance",
        "much: frequency follows load",
        varying,
        "sudo cpupower frequency-set --governor performance" if varying else "",
    )
    yield Setting(
        "turbo", _switch(machine.turbo), "off", "much: speed follows heat", bool(machine.turbo), _turbo_command(machine)
    )
    yield Setting(
        "battery",
        ("in use" if machine.on_battery else "not in use") if machine.tells_power else "",
        "not in use",
        "much: power is saved",
        machine.on_battery,
        "plug it in" if machine.on_battery else "",
    )


def _turbo_command(machine: Machine) -> str:
    if not machine.turbo:
        return ""
    if machine.text(f"{_CPU[1:]}/intel_pstate/no_turbo"):
        return f"echo 1 | sudo tee {_CPU}/intel_pstate/no_turbo"
    return f"echo 0 | sudo tee {_CPU}/cpufreq/boost"


def _sharing(machine: Machine, load: OthersLoad | None, *, is_swapping: bool) -> Iterator[Setting]:
    smt, virtual, quota = machine.smt, machine.virtual_machine, machine.quota
    yield Setting(
        "SMT",
        _switch(smt),
        "off",
        "some: programs share cores",
        bool(smt),
        f"echo off | sudo tee {_CPU}/smt/control" if smt else "",
    )
    tolerated = tolerated_load(len(machine.online))
    is_busy = load is not None and load.processors > tolerated
    yield Setting(
        "other load",
        "" if load is None else _load_text(load, is_busy=is_busy),
        f"below {tolerated:.2g}",
        "much: others use processors",
        is_busy,
        "close what runs" if is_busy else "",
    )
    memory = machine.memory_bytes
    is_short = is_swapping or (memory is not None and memory[1] < LITTLE_MEMORY * memory[0])
    yield Setting(
        "swap",
        "" if memory is None else _swap_text(memory[2], is_swapping=is_swapping, is_short=is_short),
        "not used",
        "much: waits for the disk",
        is_short,
        "close what uses memory" if is_short else "",
    )
    yield Setting(
        "virtual machine",
        virtual or ("no" if machine.text("proc/cpuinfo") else ""),
        "no",
        "much: hosts share processors",
        bool(virtual),
        "compare alternatives within one run only" if virtual else "",
    )
    yield Setting(
        "CPU quota",
        f"{quota:g} processors" if quota is not None else "none" if machine.text("proc/self/cgroup") else "",
        "none",
        "much: programs are halted",
        quota is not None,
        "measure outside the container, or give it whole processors" if quota is not None else "",
    )


def _rest(machine: Machine) -> Iterator[Setting]:
    """What does not make measurements vary, but could be better for them."""
    layout = _LAYOUTS.get(machine.text("proc/sys/kernel/randomize_va_space"), "")
    yield Setting(
        "memory layout",
        layout,
        "random",
        "some: one layout is one case",
        command="echo 2 | sudo tee /proc/sys/kernel/randomize_va_space" if layout not in ("", "random") else "",
    )
    isolated, offline = (machine.text(f"{_CPU[1:]}/{name}") for name in ("isolated", "offline"))
    told = f"{isolated or 'none'}{f' (offline: {offline})' if offline else ''}" if machine.online else ""
    last = max(machine.online, default=0)
    yield Setting(
        "isolated CPUs",
        told,
        "one",
        "little",
        command=f"boot with isolcpus={last}; sonde bench then runs there" if told and not isolated and last else "",
    )
    paranoia = machine.number("proc/sys/kernel/perf_event_paranoid")
    is_refused = paranoia is not None and paranoia > _PARANOIA
    yield Setting(
        "perf paranoia",
        "" if paranoia is None else str(paranoia),
        f"{_PARANOIA} or less",
        "none: fewer counters",
        command=f"sudo sysctl kernel.perf_event_paranoid={_PARANOIA}" if is_refused else "",
    )


def _switch(on: bool | None) -> str:
    return "" if on is None else "on" if on else "off"


def _load_text(load: OthersLoad, *, is_busy: bool) -> str:
    named = f" ({load.busiest})" if is_busy and load.busiest else ""
    return f"{load.processors:.1f} processors{named}"


def _swap_text(swapped_bytes: int, *, is_swapping: bool, is_short: bool) -> str:
    told = f"{memory_text(swapped_bytes)} in use" if swapped_bytes else "not used"
    if is_swapping:
        return f"{told}, moving"
    return f"{told}, memory short" if is_short else told


def _swaps(machine: Machine) -> tuple[str, ...]:
    """How many pages went in and out since the machine was started."""
    lines = machine.text("proc/vmstat").splitlines()
    return tuple(line for line in lines if line.startswith(("pswpin ", "pswpout ")))
