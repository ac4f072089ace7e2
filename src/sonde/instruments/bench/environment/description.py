"""The machine in words, for a paper and for comparison with another one."""

import os
from collections.abc import Sequence

from sonde.base.errors import MissingCapability
from sonde.instruments.bench.environment.machine import Machine, memory_text
from sonde.instruments.bench.invocations.counters import available_counters

LASTING = ("cpu", "cores", "governor", "turbo", "smt", "aslr", "virtual machine", "kernel", "clock source")
"""Which of the facts do not change from one minute to the next: where they differ, it was another machine, or it was
set up differently."""


def describe(machine: Machine | None = None, *, counters: Sequence[str] | None = None) -> dict[str, str]:
    """Facts about the machine, by name; what cannot be found out is left out.

    Args:
        machine: None: this one.
        counters: those that can be had; None finds out, with the launcher, if it is this machine.

    >>> "kernel" in describe()
    True
    """
    if machine is None:
        machine, counters = Machine(), _counters() if counters is None else counters
    facts = {
        "cpu": machine.field("proc/cpuinfo", "model name"),
        "cores": _cores(machine),
        "isolated": machine.text("sys/devices/system/cpu/isolated"),
        "governor": ", ".join(machine.governors),
        "turbo": _switch(machine.turbo),
        "smt": _switch(machine.smt),
        "load": machine.text("proc/loadavg").partition(" ")[0],
        "aslr": {"0": "off", "1": "partly", "2": "on"}.get(machine.text("proc/sys/kernel/randomize_va_space"), ""),
        "virtual machine": machine.virtual_machine or ("no" if machine.text("proc/cpuinfo") else ""),
        "quota": "" if machine.quota is None else f"{machine.quota:g} processors",
        "kernel": machine.text("proc/sys/kernel/osrelease"),
        "clock source": machine.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "counters": "" if counters is None else ", ".join(counters) or "none",
        "hash seed": os.environ.get("PYTHONHASHSEED", "random for each invocation"),
        "environment size": memory_text(_environment_bytes()),
    }
    memory = machine.memory_bytes
    if memory:
        facts["memory"] = memory_text(memory[0])
        facts["swapped"] = memory_text(memory[2])
    return {name: text for name, text in facts.items() if text}


def _cores(machine: Machine) -> str:
    usable, online = len(machine.processors), len(machine.online)
    return f"{usable} of {online}" if usable < online else str(usable or "")


def _switch(on: bool | None) -> str:
    return "" if on is None else "on" if on else "off"


def _environment_bytes() -> int:
    """As it lies above the stack of every process: `NAME=VALUE` and a zero."""
    return sum(len(name) + len(value) + 2 for name, value in os.environb.items())


def _counters() -> Sequence[str] | None:
    try:
        return available_counters()
    except MissingCapability:
        return None
