"""What can be set in the shell: fields of one value, from which `set`, its help and completion derive."""

import argparse
from dataclasses import dataclass, field, fields, replace

from sonde.base.errors import UsageError
from sonde.base.near_names import near_or_all
from sonde.base.units import format_duration
from sonde.options.numbers import duration_ns

_OFF = ("off", "on")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the shell behaves."""

    timeout: int | None = field(default=None, metadata={"about": "stop a call or run after so long; off: never"})
    """Nanoseconds."""
    times: bool = field(default=False, metadata={"about": "tell after each command how long it took"})

    def shown(self, name: str) -> str:
        """One setting's value, as it is typed."""
        if name == "timeout":
            return "off" if self.timeout is None else format_duration(self.timeout).replace(" ", "")
        return _OFF[self.times]

    def changed(self, name: str, value: str) -> "Settings":
        """The settings with one of them as `value` says.

        Raises:
            UsageError: `unknown-setting`, `bad-setting`.
        """
        check_setting(name)
        if name == "timeout":
            return replace(self, timeout=None if value == "off" else _duration(value))
        if value not in _OFF:
            raise _bad(name, value, "it is on or off")
        return replace(self, times=value == "on")


SETTINGS: dict[str, str] = {each.name: each.metadata["about"] for each in fields(Settings)}
"""Name -> what it is about."""


def check_setting(name: str) -> None:
    """Refuse a setting that there is not.

    Raises:
        UsageError: `unknown-setting`.
    """
    if name not in SETTINGS:
        raise UsageError(
            f"cannot set '{name}': there is no such setting",
            slug="unknown-setting",
            hint=near_or_all(name, SETTINGS),
        )


def _duration(value: str) -> int:
    try:
        return duration_ns(value)
    except argparse.ArgumentTypeError:
        raise _bad("timeout", value, "it is a duration, as 500ms or 5s, or off") from None


def _bad(name: str, value: str, fact: str) -> UsageError:
    return UsageError(
        f"cannot set {name} to '{value}': {fact}", slug="bad-setting", hint=f"set shows what {name} is now"
    )
