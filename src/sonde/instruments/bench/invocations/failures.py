"""Why an invocation failed, in one line."""

import os
import re
from typing import Literal

from sonde.base.errors import MissingCapability
from sonde.instruments.bench.invocations.launch_record import LaunchRecord

_LONGEST_LINE = 200
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Colours and other control sequences (ECMA-48), and control characters."""

Failure = Literal["failed", "timeout", "interrupted"]


def last_line(tail: bytes) -> str:
    """The last line with something on it, without control characters, cut to 200.

    >>> last_line(b"Traceback ...\\n\\x1b[31mValueError: no data\\x1b[0m\\n\\n")
    'ValueError: no data'
    """
    lines = [" ".join(_ESCAPES.sub("", line).split()) for line in tail.decode(errors="replace").splitlines()]
    line = next((line for line in reversed(lines) if line), "")
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"


def check_set_up(record: LaunchRecord, *, pin: int | None) -> None:
    """Refuse to go on when what was asked for could not be set; it would fail each time.

    Raises:
        MissingCapability: `cannot-pin`, `cannot-set-layout`.
    """
    reason = os.strerror(record.failed_errno)
    if record.failed_step == "pin":
        raise MissingCapability(
            f"cannot run on processor {pin}: {reason}",
            slug="cannot-pin",
            hint="name one of those that `nproc` counts, or leave out --pin",
        )
    if record.failed_step == "layout":
        raise MissingCapability(
            f"cannot lay out memory the same each time: {reason}",
            slug="cannot-set-layout",
            hint="leave out --no-aslr: containers often forbid it",
        )


def overran(record: LaunchRecord, *, timeout_s: float | None) -> bool:
    """Whether a command that ended by itself took longer than it might: its end came before the launcher's alarm."""
    return record.ending == "ended" and timeout_s is not None and record.wall_s > timeout_s


def failure(record: LaunchRecord | None, *, timeout_s: float | None) -> tuple[Failure, str] | None:
    """Which failure it was and what is known of it; None if the command ended in time, with exit code 0."""
    if record is None:
        return "failed", "sonde's launcher was killed, and the command with it"
    if record.failed_step:
        doing = {"fork": "start a process", "folder": "start in its folder"}.get(record.failed_step, "be executed")
        return "failed", f"could not {doing}: {os.strerror(record.failed_errno)}"
    if record.ending == "timed out":
        return "timeout", _joined(f"ended after {timeout_s:g} s", record)
    if overran(record, timeout_s=timeout_s):
        return "timeout", _joined(f"ended after {record.wall_s:.3g} s, allowed were {timeout_s:g} s", record)
    if record.ending == "stopped":
        return "interrupted", "ended from outside"
    if record.signal_name:
        return "failed", _joined(f"killed by {record.signal_name}", record)
    if record.exit_code:
        return "failed", _joined(f"exit code {record.exit_code}", record)
    return None


def _joined(fact: str, record: LaunchRecord) -> str:
    said = last_line(record.tail)
    return f"{fact}: {said}" if said else fact
