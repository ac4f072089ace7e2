"""Changes of settings by writing to the kernel's files, which know how to be taken back."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sonde.instruments.bench.environment import Machine

_CPU = "sys/devices/system/cpu"
_NO_TURBO, _BOOST = f"{_CPU}/intel_pstate/no_turbo", f"{_CPU}/cpufreq/boost"
_LAYOUT = "proc/sys/kernel/randomize_va_space"
_GOVERNOR = re.compile(rf"{_CPU}/cpu\d+/cpufreq/scaling_governor")
_WORDS = {
    _NO_TURBO: {"0": "on", "1": "off"},
    _BOOST: {"0": "off", "1": "on"},
    _LAYOUT: {"0": "fixed", "1": "partly random", "2": "random"},
}
_NAMES = {_NO_TURBO: "turbo", _BOOST: "turbo", _LAYOUT: "memory layout"}


@dataclass(frozen=True, slots=True)
class Change:
    """One file's content before and after.

    Raises:
        ValueError: it is not a file that sonde sets, or not a value that such a file has. What is read from a file may
            have been written by anybody, and is written to the kernel's files by root.
    """

    path: str
    """Below the machine's root."""
    before: str
    after: str

    def __post_init__(self) -> None:
        if self.path not in _NAMES and not _GOVERNOR.fullmatch(self.path):
            raise ValueError(f"'{self.path}' is no setting of sonde's")
        for value in (self.before, self.after):
            if not re.fullmatch(r"\w+", value):
                raise ValueError(f"'{value}' is no value of a setting")

    @property
    def name(self) -> str:
        """Of the setting: `turbo`."""
        return _NAMES.get(self.path, "governor")

    def in_words(self, value: str) -> str:
        """What one of its values means: `off`."""
        return _WORDS.get(self.path, {}).get(value, value)

    def make(self, machine: Machine) -> str:
        """Write the value after it.

        Returns:
            why that could not be done; empty if it was.
        """
        return _write(machine, self.path, self.after)

    def take_back(self, machine: Machine) -> str:
        """Write the value before it; only for who has seen that the file has that after it.

        Returns:
            as `make` does.
        """
        return _write(machine, self.path, self.before)


def wanted_changes(machine: Machine, *, no_aslr: bool = False) -> tuple[Change, ...]:
    """Those that make measurements vary less, of what there is to set on this machine and is not set so already.

    Args:
        no_aslr: also lay out memory the same way each time.
    """
    return tuple(_wanted(machine, no_aslr=no_aslr))


def _wanted(machine: Machine, *, no_aslr: bool) -> Iterator[Change]:
    wanted = {f"{_CPU}/cpu{number}/cpufreq/scaling_governor": "performance" for number in machine.online}
    wanted[_NO_TURBO if machine.text(_NO_TURBO) else _BOOST] = "1" if machine.text(_NO_TURBO) else "0"
    if no_aslr:
        wanted[_LAYOUT] = "0"
    for path, value in wanted.items():
        now = machine.text(path)
        if re.fullmatch(r"\w+", now) and now != value:
            yield Change(path, now, value)


def _write(machine: Machine, path: str, value: str) -> str:
    try:
        descriptor = os.open(machine.root / path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)  # never created
        try:
            os.write(descriptor, value.encode("ascii"))
        finally:
            os.close(descriptor)
    except OSError as error:
        return error.strerror or str(error)
    now = machine.text(path)
    return "" if now == value else f"the kernel keeps '{now}'"
