"""Trees that agents counted, brought together: by names, with everything that is missing."""

import os
from pathlib import Path

import pytest

from cell_file import CellFile
from sonde.analyses import SpooledContexts
from sonde.native import Spool
from sonde.profiles import ContextProfile, Loss, Run


def profile_of(*files: Path, ns_per_tick: float = 1.0, end_ticks: int = 1000) -> ContextProfile:
    contexts = SpooledContexts()
    for file in files:
        contexts.update(Spool(os.fsencode(file)), ns_per_tick=ns_per_tick, end_ticks=end_ticks, ended="exited 0")
    profile = contexts.snapshot(Run(clock="tsc"))
    profile.check_valid()
    return profile


def outline(profile: ContextProfile) -> list[tuple[int, str, int, int, int, int]]:
    """parent, name, call line, calls, self and total nanoseconds of each context."""
    tree = profile.contexts
    names = [profile.functions[function].name for function in tree.function]
    return list(zip(tree.parent, names, tree.call_line, tree.calls, tree.self_ns, tree.total_ns, strict=True))


def small(**header: int) -> CellFile:
    cells = CellFile(**header)
    main, work = cells.function("main", "app", "app.py", 1), cells.function("work", "app", "app.py", 5)
    top = cells.context(cells.root(), main, calls=1, ticks=900)
    cells.context(top, work, line=2, calls=3, ticks=500)
    return cells


def test_a_spool_becomes_a_profile(tmp_path: Path) -> None:
    profile = profile_of(small().write(tmp_path / "1.cells"), ns_per_tick=0.5)

    assert outline(profile) == [(-1, "main", 0, 1, 200, 450), (0, "work", 2, 3, 250, 250)]
    (process,) = profile.processes
    assert (process.pid, process.command, process.calls, process.ended) == (42, "python app.py", 4, "exited 0")
    assert profile.losses == ()


def test_processes_are_merged_by_the_names_of_their_functions(tmp_path: Path) -> None:
    other = CellFile(pid=43)
    work, new = other.function("work", "app", "app.py", 5), other.function("new", "app", "app.py", 9)
    main = other.function("main", "app", "app.py", 1)
    top = other.context(other.root(), main, calls=1, ticks=100)
    other.context(top, work, line=2, calls=7, ticks=20)
    other.context(other.root(), new, calls=1, entered=600)

    profile = profile_of(small().write(tmp_path / "1.cells"), other.write(tmp_path / "2.cells"))

    assert outline(profile) == [
        (-1, "main", 0, 2, 480, 1000),
        (0, "work", 2, 10, 520, 520),
        (-1, "new", 0, 1, 400, 400),  # it ran until the end
    ]
    assert [process.calls for process in profile.processes] == [4, 9]


def test_every_loss_is_said_once(tmp_path: Path) -> None:
    lossy = small(dropped_calls=5)
    lossy.note("hook-removed", 1, "by the program")
    files = [lossy.write(tmp_path / "1.cells"), lossy.write(tmp_path / "2.cells")]

    profile = profile_of(*files)

    assert {loss.kind: loss.amount for loss in profile.losses} == {"hook-removed": 2, "contexts-not-stored": 10}


def test_damaged_cells_are_counted_for_the_spool_that_has_them(tmp_path: Path) -> None:
    damaged = small()
    nowhere = damaged.context(1000, 0, calls=1)
    damaged.context(nowhere, 0, calls=1)
    damaged.context(damaged.root(), 77, calls=1)
    files = [damaged.write(tmp_path / "1.cells"), small().write(tmp_path / "2.cells")]

    profile = profile_of(*files)

    (loss,) = profile.losses
    assert (loss.kind, loss.amount) == ("contexts-orphaned", 3)
    assert [process.calls for process in profile.processes] == [4, 4]


def test_a_spool_that_was_cut_off_gives_what_is_there(tmp_path: Path) -> None:
    profile = profile_of(small().write(tmp_path / "1.cells", cut_off=10))

    assert outline(profile) == [(-1, "main", 0, 1, 900, 900)]
    assert [loss.kind for loss in profile.losses] == ["spool-truncated"]


@pytest.mark.parametrize("value", [2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("ns_per_tick", [1.0, 1e300, -1.0, float("nan"), float("inf")])
def test_values_that_cannot_be_give_a_valid_profile_and_a_loss(value: int, ns_per_tick: float, tmp_path: Path) -> None:
    cells = small()
    function = cells.function("f", "m", "m.py", 1)
    top = cells.context(cells.root(), function, calls=value, ticks=value)
    cells.context(top, function, line=1, calls=value, ticks=value // 2, entered=1)

    profile = profile_of(cells.write(tmp_path / "1.cells"), ns_per_tick=ns_per_tick, end_ticks=value)

    assert sum(profile.contexts.calls) < 2**63
    assert any(loss.kind == "contexts-orphaned" for loss in profile.losses)


def test_a_loss_noticed_outside_is_kept_and_nothing_is_no_loss() -> None:
    contexts = SpooledContexts()
    contexts.lose("process-not-measured", 1, "why")
    contexts.lose("process-not-measured", 2, "why")
    contexts.lose("nothing", 0, "why")

    assert contexts.snapshot(Run()).losses == (Loss("process-not-measured", 3, "why"),)


def test_names_that_are_not_unicode_survive(tmp_path: Path) -> None:
    cells = CellFile()
    function = cells.function("caf\udce9", "", "/srv/\udcff.py", 1)
    cells.context(cells.root(), function, calls=1)

    (found,) = profile_of(cells.write(tmp_path / "1.cells")).functions

    assert (found.name, found.file) == ("caf\udce9", "/srv/\udcff.py")
