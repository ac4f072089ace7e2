"""Who Ctrl-C is for: the program while a command runs, its child from before the fork on, nobody in between."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonde.instruments.vm.verb.shell.interrupts import Interrupts


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    before = signal.getsignal(signal.SIGINT)
    yield Interrupts()
    signal.signal(signal.SIGINT, before)


def is_ignored() -> bool:
    """As the kernel has it; Python's own record does not follow what is set past it."""
    status = Path("/proc/self/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn:"))
    return bool(int(mask, 16) & 1 << signal.SIGINT - 1)


def test_it_is_for_programs_while_a_command_runs(interrupts: Interrupts) -> None:
    assert is_ignored()
    with interrupts.allowed():
        assert not is_ignored()
    assert is_ignored()


def test_a_parent_leaves_it_to_its_child_before_there_is_one(interrupts: Interrupts) -> None:
    with interrupts.allowed():
        interrupts.leave_to_child()
        assert is_ignored()
        child = os.fork()
        if not child:
            interrupts.take_over_in_child()
            os._exit(int(is_ignored()))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert is_ignored()
    with interrupts.allowed():
        assert not is_ignored()
