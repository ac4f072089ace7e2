"""Trees that agents counted, brought together: by names, with everything that is missing."""

import os
from pathlib import Path

import pytest

from cell_file import HOT_BY_CALLS, HOT_BY_TIME, CellFile, Looks, Side
from sonde.instruments.contexts.analyses import SpooledContexts
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.profile import Approximation, ContextProfile, Loss, Run, Sampling
from sonde.native import Spool
from sonde.options.bursts import Bursts


def profile_of(
    *files: Path,
    ns_per_tick: float = 1.0,
    end_ticks: int = 1000,
    hot: HotLimits | None = None,
    bursts: Bursts | None = None,
) -> ContextProfile:
    contexts = SpooledContexts(hot, bursts)
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


def small(*, dropped_calls: int = 0, lost_events: int = 0) -> CellFile:
    cells = CellFile(dropped_calls=dropped_calls, lost_events=lost_events)
    main, work = cells.function("main", "app", "app.py", 1), cells.function("work", "app", "app.py", 5)
    top = cells.context(cells.root, main, calls=1, ticks=400)
    cells.context(top, work, line=2, calls=3, ticks=500)
    return cells


def small_hot(pid: int = 42, *, metric: int = HOT_BY_CALLS, looks: Looks | None = None) -> CellFile:
    """Two contexts, and what was pruned beside them: 10 calls and 100 ticks at the top, 5 and 50 in main."""
    cells = CellFile(pid=pid, metric=metric, counters=4, floor=8, pruned=Side(10, 100), looks=looks)
    main, work = cells.function("main", "app", "app.py", 1), cells.function("work", "app", "app.py", 5)
    top = cells.context(cells.root, main, calls=1, ticks=400, side=Side(5, 50, 1.0, 400.0**2))
    cells.context(top, work, line=2, calls=20, ticks=500, error=3, side=Side(0, 0, 200.0, 250_000.0))
    return cells


def test_of_sampled_times_what_counting_cost_is_taken_out_and_deviations_are_roots_of_the_squares(
    tmp_path: Path,
) -> None:
    cells = CellFile(sampled_costs=(1500, 2500, 0, 0))
    main, work = cells.function("main", "app", "app.py", 1), cells.function("work", "app", "app.py", 5)
    top = cells.context(cells.root, main, calls=1, ticks=400, side=Side(0, 0, 0.0, 90_000.0))
    cells.context(top, work, line=2, calls=20, ticks=500, side=Side(0, 0, 0.0, 250_001.0))
    cells.cursor(top, now=0)

    profile = profile_of(cells.write(tmp_path / "1.cells"))

    # main made 20 calls, for which it had 1.5 ns each, and was called, for 2.5.
    assert outline(profile) == [(-1, "main", 0, 1, 368, 818), (0, "work", 2, 20, 450, 450)]
    assert list(profile.contexts.ns_deviation) == [300, 501]
    assert (profile.run.clock, profile.taken_ns) == ("sampled", 84)
    assert profile.sampling is not None and profile.sampling.is_of_times_only


@pytest.mark.parametrize(("unseen_ticks", "own_ns"), [(0, 200), (1, 300)])
def test_what_counting_cost_is_more_where_threads_wait_for_a_processor(
    unseen_ticks: int, own_ns: int, tmp_path: Path
) -> None:
    waits = Looks(looked=1000, burst_start=1000)
    cells = CellFile(sampled_costs=(0, 10_000, 0, 0), looks=waits, unseen_ticks=unseen_ticks)
    cells.context(cells.root, cells.function("main", "app", "app.py", 1), calls=10, ticks=400)

    profile = profile_of(cells.write(tmp_path / "1.cells"))

    assert [*profile.contexts.self_ns] == [own_ns]


def test_threads_get_their_parts_of_sampled_times(tmp_path: Path) -> None:
    cells = CellFile(sampled_costs=(0, 10_000, 0, 0))
    main = cells.function("main", "app", "app.py", 1)
    for number, ticks in ((1, 300), (2, 100)):
        thread = cells.function(f"thread {number}", "", "", number, flags=0x4000_0000)
        base = cells.context(cells.root, thread, line=0x2000_0000)
        cells.context(base, main, calls=10, ticks=ticks)

    profile = profile_of(cells.write(tmp_path / "1.cells"))

    assert [*profile.contexts.self_ns] == [200]
    assert profile.threads is not None
    assert sorted(profile.threads.contexts.self_ns) == [0, 0, 50, 150]


@pytest.mark.parametrize(("unseen_ticks", "work_ns"), [(0, 500), (20, 0)])
def test_what_ran_at_the_end_has_the_time_since_unless_it_may_have_waited(
    unseen_ticks: int, work_ns: int, tmp_path: Path
) -> None:
    cells = CellFile(unseen_ticks=unseen_ticks)
    work = cells.context(cells.root, cells.function("work", "app", "app.py", 5), calls=1)
    cells.cursor(work, now=500)

    profile = profile_of(cells.write(tmp_path / "1.cells"), end_ticks=1000)

    assert profile.total_ns == work_ns


def test_the_longest_wait_that_may_count_is_known(tmp_path: Path) -> None:
    contexts = SpooledContexts()
    for ticks in (7, 20, 0):
        file = CellFile(unseen_ticks=ticks).write(tmp_path / f"{ticks}.cells")
        contexts.update(Spool(os.fsencode(file)), ns_per_tick=0.5, end_ticks=1000, ended="exited 0")

    assert contexts.unseen_wait_ns == 10


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
    top = other.context(other.root, main, calls=1, ticks=100)
    other.context(top, work, line=2, calls=7, ticks=20)
    other.cursor(other.context(other.root, new, calls=1), now=600)

    profile = profile_of(small().write(tmp_path / "1.cells"), other.write(tmp_path / "2.cells"))

    assert outline(profile) == [
        (-1, "main", 0, 2, 500, 1020),
        (0, "work", 2, 10, 520, 520),
        (-1, "new", 0, 1, 400, 400),  # it ran until the end
    ]
    assert [process.calls for process in profile.processes] == [4, 9]


def test_every_loss_is_said_once(tmp_path: Path) -> None:
    lossy = small(dropped_calls=5, lost_events=2)
    lossy.note("hook-removed", 1, "by the program")
    files = [lossy.write(tmp_path / "1.cells"), lossy.write(tmp_path / "2.cells")]

    profile = profile_of(*files)

    assert {loss.kind: loss.amount for loss in profile.losses} == {
        "hook-removed": 2,
        "contexts-not-stored": 10,
        "events-not-recorded": 4,
    }


def test_damaged_cells_are_counted_for_the_spool_that_has_them(tmp_path: Path) -> None:
    damaged = small()
    nowhere = damaged.context(1000, 0, calls=1)
    damaged.context(nowhere, 0, calls=1)
    damaged.context(damaged.root, 77, calls=1)
    files = [damaged.write(tmp_path / "1.cells"), small().write(tmp_path / "2.cells")]

    profile = profile_of(*files)

    (loss,) = profile.losses
    assert (loss.kind, loss.amount) == ("contexts-orphaned", 3)
    assert [process.calls for process in profile.processes] == [4, 4]


def test_a_spool_that_was_cut_off_gives_what_is_there(tmp_path: Path) -> None:
    profile = profile_of(small().write(tmp_path / "1.cells", cut_off=10))

    assert outline(profile) == [(-1, "main", 0, 1, 400, 400)]
    assert [loss.kind for loss in profile.losses] == ["spool-truncated"]


@pytest.mark.parametrize("value", [2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("ns_per_tick", [1.0, 1e300, -1.0, float("nan"), float("inf")])
def test_values_that_cannot_be_give_a_valid_profile_and_a_loss(value: int, ns_per_tick: float, tmp_path: Path) -> None:
    cells = small()
    function = cells.function("f", "m", "m.py", 1)
    top = cells.context(cells.root, function, calls=value, ticks=value)
    cells.cursor(cells.context(top, function, line=1, calls=value, ticks=value // 2), now=1)

    profile = profile_of(cells.write(tmp_path / "1.cells"), ns_per_tick=ns_per_tick, end_ticks=value)

    assert sum(profile.contexts.calls) < 2**63
    assert any(loss.kind == "contexts-orphaned" for loss in profile.losses)


LIMITS = HotLimits("calls", phi=0.5, epsilon=0.25, counters=4, nodes=10)


def test_a_hot_spool_becomes_a_profile_with_bounds(tmp_path: Path) -> None:
    profile = profile_of(small_hot().write(tmp_path / "1.cells"), hot=LIMITS)

    assert outline(profile) == [(-1, "main", 0, 1, 400, 950), (0, "work", 2, 20, 500, 500)]
    assert list(profile.contexts.error) == [0, 3]
    assert list(profile.contexts.total_calls) == [1 + 5 + 20, 20]
    assert (profile.pruned_root_calls, profile.pruned_root_ns) == (10, 100)
    assert (profile.total_calls, profile.total_ns) == (36, 1050)
    assert profile.approximation == Approximation("calls", phi=0.5, epsilon=0.25, floor=8, counters=4)
    assert [process.calls for process in profile.processes] == [36]


def test_errors_by_time_are_in_nanoseconds(tmp_path: Path) -> None:
    limits = LIMITS._replace(metric="time")
    profile = profile_of(small_hot(metric=HOT_BY_TIME).write(tmp_path / "1.cells"), hot=limits, ns_per_tick=0.5)

    assert list(profile.contexts.error) == [0, 2]  # upwards, as values are rounded down
    assert profile.approximation is not None
    assert (profile.approximation.metric, profile.approximation.floor) == ("time", 4)


def test_what_one_process_has_not_listed_may_have_been_called_up_to_its_floor(tmp_path: Path) -> None:
    other = CellFile(pid=43, metric=HOT_BY_CALLS, counters=4, floor=6)
    other.context(other.root, other.function("main", "app", "app.py", 1), calls=2, error=1)
    files = [small_hot().write(tmp_path / "1.cells"), other.write(tmp_path / "2.cells")]

    for order in (files, files[::-1]):
        profile = profile_of(*order, hot=LIMITS)

        assert outline(profile) == [(-1, "main", 0, 3, 400, 950), (0, "work", 2, 20, 500, 500)]
        assert list(profile.contexts.error) == [0 + 1, 3 + 6]
        assert profile.approximation is not None
        assert profile.approximation.floor == 8 + 6


def test_an_exact_process_adds_no_error(tmp_path: Path) -> None:
    files = [small().write(tmp_path / "1.cells"), small_hot(43).write(tmp_path / "2.cells")]

    for order in (files, files[::-1]):
        profile = profile_of(*order, hot=LIMITS)

        assert list(profile.contexts.error) == [0, 3]
        assert list(profile.contexts.calls) == [2, 23]


def test_a_caller_may_come_later_in_the_file(tmp_path: Path) -> None:
    cells = CellFile(metric=HOT_BY_CALLS, counters=4)
    work = cells.function("work", "app", "app.py", 5)
    cells.context(cells.root + 2, work, line=2, calls=1)  # in cells that were another's
    cells.context(cells.root, work, line=9, calls=4)

    profile = profile_of(cells.write(tmp_path / "1.cells"), hot=LIMITS)

    assert outline(profile) == [(-1, "work", 9, 4, 0, 0), (0, "work", 2, 1, 0, 0)]
    assert profile.losses == ()


@pytest.mark.parametrize("value", [2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("ns_per_tick", [1.0, 1e300, float("nan"), float("inf")])
@pytest.mark.parametrize("metric", [HOT_BY_CALLS, HOT_BY_TIME])
def test_hot_values_that_cannot_be_give_a_valid_profile(
    metric: int, value: int, ns_per_tick: float, tmp_path: Path
) -> None:
    cells = CellFile(metric=metric, counters=4, floor=value, pruned=Side(value // 2, value, -1.0, float("nan")))
    function = cells.function("f", "m", "m.py", 1)
    side = Side(value, value // 3, float("inf"), 1e308)
    top = cells.context(cells.root, function, calls=value // 2, ticks=value, error=value, side=side)
    cells.cursor(cells.context(top, function, line=1, calls=1, ticks=value // 2, error=value // 2), now=1)
    files = [cells.write(tmp_path / "1.cells"), small_hot(43, metric=metric).write(tmp_path / "2.cells")]

    limits = LIMITS._replace(metric="time" if metric == HOT_BY_TIME else "calls")
    profile = profile_of(*files, hot=limits, ns_per_tick=ns_per_tick, end_ticks=value)

    assert sum(profile.contexts.calls) < 2**63
    assert all(0 <= error < 2**63 for error in profile.contexts.error)


def test_a_circle_of_callers_is_damage(tmp_path: Path) -> None:
    cells = small_hot()
    work = cells.function("f", "m", "m.py", 1)
    here = cells.context(cells.root, work)
    cells.context(here + 1, work, calls=1)  # called by itself
    cells.context(here + 3, work, calls=1)  # and these by each other
    cells.context(here + 2, work, calls=1)

    profile = profile_of(cells.write(tmp_path / "1.cells"), hot=LIMITS)

    assert {loss.kind: loss.amount for loss in profile.losses} == {"contexts-orphaned": 3}
    assert list(profile.contexts.calls) == [1, 20]


def test_a_hot_spool_says_itself_what_was_looked_for(tmp_path: Path) -> None:
    files = [small().write(tmp_path / "1.cells"), small_hot(43).write(tmp_path / "2.cells")]

    for order in (files, files[::-1]):
        profile = profile_of(*order)  # the launcher's notes are lost

        assert list(profile.contexts.calls) == [2, 23]
        assert profile.approximation is not None
        assert (profile.approximation.metric, profile.approximation.counters) == ("calls", 4)
        assert profile.approximation.epsilon == 0.25
        assert profile.approximation.floor == 8


def test_two_code_objects_of_one_name_have_the_errors_of_both(tmp_path: Path) -> None:
    cells = CellFile(metric=HOT_BY_CALLS, counters=4, floor=8)
    for error in (2, 3):  # as exec of the same text makes them
        same = cells.function("f", "m", "m.py", 1)
        cells.context(cells.root, same, calls=10, error=error)
    files = [cells.write(tmp_path / "1.cells"), cells.write(tmp_path / "2.cells")]

    profile = profile_of(*files, hot=LIMITS)

    assert outline(profile) == [(-1, "f", 0, 40, 0, 0)]
    assert list(profile.contexts.error) == [2 * (2 + 3)]


def test_what_bursts_saw_is_scaled_up(tmp_path: Path) -> None:
    looks = Looks(bursts=4, looked=250, first=0)  # of 1000 ticks
    cells = small_hot(looks=looks._replace(first=1)).write(tmp_path / "1.cells")
    bursts = Bursts(interval_ns=250, burst_ns=60, one_in=0)

    profile = profile_of(cells, hot=LIMITS, bursts=bursts, end_ticks=1001)

    assert list(profile.contexts.calls) == [4, 80]
    assert list(profile.contexts.self_ns) == [1600, 2000]
    assert list(profile.contexts.error) == [0, 12]
    assert profile.approximation is not None
    assert profile.approximation.floor == 32
    assert profile.sampling == Sampling(interval_ns=250, burst_ns=60, bursts=4, fraction=0.25, adaptive=None)
    # work: q = 200, x = 20, k = 4, W = 16: s^2 = (200 - 100) / 3, W * sqrt(s^2 / k * 3/4) = 40
    assert list(profile.contexts.calls_deviation)[1] == 40


def test_a_loss_noticed_outside_is_kept_and_nothing_is_no_loss() -> None:
    contexts = SpooledContexts()
    contexts.lose("process-not-measured", 1, "why")
    contexts.lose("process-not-measured", 2, "why")
    contexts.lose("nothing", 0, "why")

    assert contexts.snapshot(Run()).losses == (Loss("process-not-measured", 3, "why"),)


def test_names_that_are_not_unicode_survive(tmp_path: Path) -> None:
    cells = CellFile()
    function = cells.function("caf\udce9", "", "/srv/\udcff.py", 1)
    cells.context(cells.root, function, calls=1)

    (found,) = profile_of(cells.write(tmp_path / "1.cells")).functions

    assert (found.name, found.file) == ("caf\udce9", "/srv/\udcff.py")


def test_calls_that_found_no_room_widen_bounds_by_calls(tmp_path: Path) -> None:
    cells = CellFile(metric=HOT_BY_CALLS, counters=4, floor=1, dropped_calls=6)
    cells.context(cells.root, cells.function("main", "app", "app.py", 1), calls=20)

    profile = profile_of(cells.write(tmp_path / "1.cells"), hot=LIMITS)

    assert list(profile.contexts.error) == [6]
    assert profile.approximation is not None
    assert profile.approximation.floor == 1 + 6
    assert {loss.kind: loss.amount for loss in profile.losses} == {"contexts-not-stored": 6, "bound-exceeded": 7}
