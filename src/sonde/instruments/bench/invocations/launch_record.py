"""What the launcher writes down about one command: `native/launcher/launch.h`, `sn_launch_record`."""

import os
import signal
import struct
from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import InternalError

LAUNCHER_VERSION = 1
_HEAD = struct.Struct("=4sIIIii9QII")
_COUNTER = struct.Struct("=QQQII")
_FOOT = struct.Struct("=II")
_COUNTERS = 6
_MAGIC = b"SNDL"
_SIZE = _HEAD.size + _COUNTERS * _COUNTER.size + _FOOT.size

Ending = Literal["not started", "ended", "timed out", "stopped"]
_ENDINGS: tuple[Ending, ...] = ("not started", "ended", "timed out", "stopped")
Step = Literal["", "fork", "folder", "pin", "layout", "exec"]
_STEPS: tuple[Step, ...] = ("", "fork", "folder", "pin", "layout", "exec")
_COUNTER_NAMES = ("instructions", "cycles", "cache-misses", "branch-misses", "task-clock", "migrations")


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of the kernel or the processor, over the command and all its descendants."""

    name: str
    """With `:u` after it when only what ran outside the kernel was counted."""
    value: float
    """Seconds for `task-clock`; else a count, scaled up where the counter was shared."""
    share: float
    """Of the time that it was really counting; below 1 the value is an estimate."""


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """How one command went."""

    ending: Ending
    failed_step: Step
    """What could not be done on the way to the command's first instruction; empty when all was."""
    failed_errno: int
    wait_status: int
    wall_s: float
    """From just before exec to when its end was seen."""
    user_s: float
    system_s: float
    peak_bytes: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    left_behind: int
    """Processes that outlived the command, and were killed."""
    counters: tuple[Counter, ...]
    tail: bytes
    """The end of standard error, at most 4 KiB."""
    started_s: float = 0.0
    """When it was started, as `time.monotonic` tells it."""

    @property
    def exit_code(self) -> int | None:
        """None when a signal ended it."""
        return os.WEXITSTATUS(self.wait_status) if os.WIFEXITED(self.wait_status) else None

    @property
    def signal_name(self) -> str:
        """Of the signal that ended it; empty when none did."""
        if not os.WIFSIGNALED(self.wait_status):
            return ""
        number = os.WTERMSIG(self.wait_status)
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"


def read_launch_record(data: bytes) -> LaunchRecord:
    """Decode what the launcher wrote.

    Raises:
        InternalError: it is not whole, or of another version.
    """
    if len(data) < _SIZE:
        raise InternalError(f"cannot read the launcher's record: {len(data)} bytes of {_SIZE}", slug="bug")
    magic, version, ending, step, errno, status, *numbers = _HEAD.unpack_from(data)
    if (magic, version) != (_MAGIC, LAUNCHER_VERSION):
        raise InternalError(
            f"cannot read the launcher's record: it is of version {version}, this is {LAUNCHER_VERSION}", slug="bug"
        )
    started_ns, ended_ns, user_us, system_us, peak, minor, major, voluntary, involuntary, left, counters = numbers
    tail_bytes, _ = _FOOT.unpack_from(data, _SIZE - _FOOT.size)
    return LaunchRecord(
        _ENDINGS[ending],
        _STEPS[step],
        errno,
        status,
        max(0, ended_ns - started_ns) / 1e9,
        user_us / 1e6,
        system_us / 1e6,
        peak,
        minor,
        major,
        voluntary,
        involuntary,
        left,
        tuple(_counter(data, _HEAD.size + row * _COUNTER.size) for row in range(counters)),
        data[_SIZE : _SIZE + tail_bytes],
        started_ns / 1e9,
    )


def _counter(data: bytes, at: int) -> Counter:
    value, enabled_ns, running_ns, kind, user_only = _COUNTER.unpack_from(data, at)
    share = running_ns / enabled_ns if enabled_ns else 1.0
    name = _COUNTER_NAMES[kind]
    scaled = value / share / 1e9 if name == "task-clock" else value / share
    return Counter(f"{name}:u" if user_only and name != "task-clock" else name, scaled, share)
