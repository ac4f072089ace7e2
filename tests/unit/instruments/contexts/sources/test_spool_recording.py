"""Which process of a spool ended when: one that was replaced by another of its number, one that goes on."""

import os
from pathlib import Path

from cell_file import CellFile
from sonde.instruments.contexts.sources.spool import Recording

HERE = os.getpid()
"""A process that runs."""


def test_a_program_ends_when_it_is_replaced_and_not_with_its_process(tmp_path: Path) -> None:
    first = CellFile(pid=HERE, start=10, end_ticks=0, replaced_ticks=300)
    first.cursor(first.root, now=200)
    first.write(tmp_path / "1-0.cells")
    CellFile(pid=HERE, start=320, end_ticks=900).write(tmp_path / "1-1.cells")

    before, after = Recording(tmp_path).processes(ended_pid=HERE)

    assert (before.is_replaced, before.is_last, before.alive, before.end_ticks) == (True, False, False, 300)
    assert (after.is_replaced, after.is_last, after.end_ticks) == (False, True, 900)


def test_a_program_that_ended_unseen_ends_with_its_last_event_when_its_number_is_used_again(tmp_path: Path) -> None:
    first = CellFile(pid=HERE, start=10, end_ticks=0)
    first.cursor(first.root, now=200)
    first.write(tmp_path / "1-0.cells")
    CellFile(pid=HERE, start=320, end_ticks=0).write(tmp_path / "1-1.cells")

    before, after = Recording(tmp_path).processes()

    assert (before.alive, before.end_ticks) == (False, 200)
    assert after.alive
    assert after.end_ticks > 320


def test_a_program_that_is_not_measured_any_more_ends_when_it_was_replaced(tmp_path: Path) -> None:
    CellFile(pid=HERE, end_ticks=0, replaced_ticks=300).write(tmp_path / "1-0.cells")

    (process,) = Recording(tmp_path).processes(ended_pid=HERE)

    assert (process.is_replaced, process.is_last, process.alive, process.end_ticks) == (True, True, False, 300)


def test_a_program_that_was_killed_ends_then_and_not_when_its_cells_are_read(tmp_path: Path) -> None:
    killed = CellFile(pid=HERE, start=10, end_ticks=0)
    killed.cursor(killed.root, now=200)
    killed.write(tmp_path / "1-0.cells")

    def end_ticks(ended_ns: int) -> int:
        (process,) = Recording(tmp_path).processes(ended_pid=HERE, ended_ns=ended_ns)
        return process.end_ticks

    assert [end_ticks(at) for at in (700, 150, 5)] == [700, 200, 200]
    assert end_ticks(0) > 700
