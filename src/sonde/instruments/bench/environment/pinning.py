"""Which processor to run on, if there is one that was set apart for that."""

from sonde.base.errors import UsageError
from sonde.instruments.bench.environment.machine import Machine


def choose_pin(machine: Machine | None = None) -> int | None:
    """A processor that the scheduler leaves alone and we may use; None if there is none.

    Without such a one, pinning trades migrations for whatever else the scheduler puts there, and makes programs with
    several threads slower: it is not done unless asked for.
    """
    machine = machine or Machine()
    usable = [number for number in machine.isolated if number in machine.online]
    return usable[-1] if usable else None  # interrupts gather on the first ones


def check_pin(pin: int, machine: Machine | None = None) -> None:
    """See that there is such a processor.

    Raises:
        UsageError: `no-such-cpu`.
    """
    machine = machine or Machine()
    if pin not in machine.online:
        online = machine.text("sys/devices/system/cpu/online")
        raise UsageError(
            f"cannot run on processor {pin}: those that there are have the numbers {online}",
            slug="no-such-cpu",
            hint=f"--pin {machine.online[-1]}" if machine.online else None,
        )
