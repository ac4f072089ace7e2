"""Decoding what the launcher writes, and what it means for an invocation."""

import signal
import struct

import pytest

from sonde.base.errors import InternalError, MissingCapability
from sonde.instruments.bench.invocations.failures import check_set_up, failure, last_line
from sonde.instruments.bench.invocations.launch_record import (
    LAUNCHER_VERSION,
    Counter,
    LaunchRecord,
    read_launch_record,
)

ENDED, TIMED_OUT, STOPPED = 1, 2, 3
PIN, LAYOUT, EXEC = 3, 4, 5


def written(
    *,
    version: int = LAUNCHER_VERSION,
    ending: int = ENDED,
    step: int = 0,
    errno: int = 0,
    status: int = 0,
    left: int = 0,
    counters: tuple[tuple[int, int, int, int, int], ...] = (),
    tail: bytes = b"",
) -> bytes:
    """A record by the book: `native/launcher/launch.h`."""
    numbers = (1_000, 2_500_001_000, 1_500_000, 250_000, 4096, 11, 2, 5, 7)
    data = struct.pack("=4sIIIii9QII", b"SNDL", version, ending, step, errno, status, *numbers, left, len(counters))
    for row in (*counters, *[(0, 0, 0, 0, 0)] * (6 - len(counters))):
        data += struct.pack("=QQQII", *row)
    return data + struct.pack("=II", len(tail), 0) + tail


def record(**fields: object) -> LaunchRecord:
    return read_launch_record(written(**fields))  # type: ignore[arg-type]


def test_quantities_have_their_units() -> None:
    got = record(tail=b"so long", left=3)

    assert (got.wall_s, got.user_s, got.system_s, got.peak_bytes) == (2.5, 1.5, 0.25, 4096)
    assert (got.minor_faults, got.major_faults, got.voluntary_switches, got.involuntary_switches) == (11, 2, 5, 7)
    assert (got.ending, got.exit_code, got.signal_name, got.left_behind, got.tail) == ("ended", 0, "", 3, b"so long")


def test_a_counter_that_shared_its_register_is_scaled_up() -> None:
    got = record(counters=((300, 100, 75, 0, 0), (7, 10, 10, 3, 1), (2_000_000_000, 10, 10, 4, 1)))

    assert got.counters == (
        Counter("instructions", 400.0, 0.75),
        Counter("branch-misses:u", 7.0, 1.0),
        Counter("task-clock", 2.0, 1.0),
    )


@pytest.mark.parametrize("data", [b"", written()[:-1], written(version=99), b"XXXX" + written()[4:]])
def test_what_is_no_record_is_a_bug(data: bytes) -> None:
    with pytest.raises(InternalError):
        read_launch_record(data)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, None),
        ({"status": 3 << 8}, ("failed", "exit code 3")),
        (
            {"status": 1 << 8, "tail": b"Traceback\nValueError: no data\n"},
            ("failed", "exit code 1: ValueError: no data"),
        ),
        ({"status": signal.SIGSEGV}, ("failed", "killed by SIGSEGV")),
        ({"status": 60, "tail": b"bye"}, ("failed", "killed by signal 60: bye")),
        ({"ending": TIMED_OUT, "status": signal.SIGTERM}, ("timeout", "ended after 2.5 s")),
        ({"ending": TIMED_OUT, "status": 0}, ("timeout", "ended after 2.5 s")),
        ({"ending": STOPPED, "status": signal.SIGTERM}, ("interrupted", "ended from outside")),
        ({"ending": 0, "step": EXEC, "errno": 8}, ("failed", "could not be executed: Exec format error")),
    ],
)
def test_each_end_is_told_in_words(fields: dict[str, object], told: tuple[str, str] | None) -> None:
    assert failure(record(**fields), timeout_s=2.5) == told


def test_a_launcher_that_was_killed_is_a_failed_invocation() -> None:
    assert (failure(None, timeout_s=None) or ("", ""))[0] == "failed"


@pytest.mark.parametrize(("step", "slug"), [(PIN, "cannot-pin"), (LAYOUT, "cannot-set-layout")])
def test_what_cannot_be_set_would_fail_each_time(step: int, slug: str) -> None:
    with pytest.raises(MissingCapability) as refused:
        check_set_up(record(ending=0, step=step, errno=1), pin=3)

    assert refused.value.slug == slug


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        (b"", ""),
        (b"\n \n\t\n", ""),
        (b"one\ntwo", "two"),
        (b"progress 1%\rprogress 2%\n", "progress 2%"),
        (b"\x1b[1;31merror:\x1b[0m  \x07no  such\tfile\n", "error: no such file"),
        (b"caf\xe9\n", "caf\ufffd"),
        (b"x" * 1000, "x" * 199 + "…"),
    ],
)
def test_the_last_line_is_fit_to_be_printed(tail: bytes, line: str) -> None:
    assert last_line(tail) == line
