"""When a program ended is known though sonde was busy meanwhile, and noticed it late."""

import os
import time
from pathlib import Path

import pytest

from sonde.launch import run_to_end

_PATIENCE_S = 60
"""Until a process that ends at once has ended."""


def dead_children() -> int:
    """Child processes of this one that have ended, and were not waited for."""
    count = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = status.read_text(errors="replace").rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it is gone
        count += (state, parent) == ("Z", str(os.getpid()))
    return count


def open_files() -> int:
    """How many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_program_ends_when_it_does_and_not_when_sonde_has_time_for_it() -> None:
    noticed_ns = 0

    def be_busy() -> None:
        nonlocal noticed_ns
        give_up = time.monotonic() + _PATIENCE_S
        while dead_children() < 2 and time.monotonic() < give_up:  # the program, and what waits for its end
            time.sleep(0.001)
        noticed_ns = time.monotonic_ns()

    began_ns = time.monotonic_ns()
    outcome = run_to_end(["true"], meanwhile=be_busy)

    assert began_ns < outcome.ended_ns < noticed_ns
    assert outcome.duration_ns <= outcome.ended_ns - began_ns


@pytest.mark.parametrize("missing", ["pidfd_open", "pipe", "fork"])
def test_where_nobody_can_wait_for_the_end_it_is_when_sonde_notices_it(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> int:
        raise OSError

    noticed_ns = 0

    def note() -> None:
        nonlocal noticed_ns
        noticed_ns = time.monotonic_ns()

    # What waits for signals forks before the program starts, and has its pipe.
    spawn = os.posix_spawnp

    def start(*words: object, **options: object) -> int:
        monkeypatch.setattr(os, missing, refuse)
        return spawn(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "posix_spawnp", start)
    open_before = open_files()
    outcome = run_to_end(["true"], meanwhile=note)

    assert (outcome.status, dead_children()) == (0, 0)
    assert outcome.ended_ns > noticed_ns
    assert open_files() == open_before
