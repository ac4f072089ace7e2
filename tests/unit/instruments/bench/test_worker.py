"""The worker's rule of when to stop, and the memory that it writes to, without a process."""

import os
import resource
import runpy
import sys
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from sonde.instruments.bench.invocations.worker_report import WorkerReport
from sonde.instruments.bench.worker import worker
from sonde.stats.steady_state import steady_window


def steady_at(values: list[float], window: int, threshold: float) -> int | None:
    recent: deque[float] = deque(maxlen=window)
    for done, value in enumerate(values, 1):
        recent.append(value)
        if done >= window and worker.is_steady(recent, threshold):
            return done
    return None


@pytest.mark.parametrize("seed", range(200))
def test_the_worker_stops_where_the_statistics_say(seed: int) -> None:
    random = np.random.default_rng(seed)
    noise = float(random.choice([0.002, 0.01, 0.03]))
    values = (1e-6 * (1 + 3 * np.exp(-np.arange(120) / random.uniform(1, 30))) * random.normal(1, noise, 120)).tolist()
    window, threshold = int(random.integers(2, 15)), float(random.choice([0.005, 0.01, 0.02]))

    found = steady_window(values, window, threshold)

    assert found is not None
    assert steady_at(values, window, threshold) == (found.stop if found.reached else None)


@pytest.mark.parametrize(
    ("values", "steady"), [([1.0] * 5, True), ([0.0] * 5, False), ([1.0, 1.0, 1.0, 1.0, 9.0], False)]
)
def test_constant_values_are_steady_unless_there_is_nothing(values: list[float], steady: bool) -> None:
    assert worker.is_steady(deque(values, maxlen=5), 0.01) is steady


def test_calibration_takes_the_least_loops_that_last_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(worker, "CLOCK", lambda: now[0])
    monkeypatch.setattr(worker, "TICK_S", 1.0)

    def tenth() -> None:
        now[0] += 0.1

    loops, calls, kept = worker.calibrate(tenth, 1.0)

    assert (loops, len(kept)) == (10, 2)
    assert calls == round(now[0] / 0.1)


@pytest.mark.parametrize(
    ("costs", "loops", "first"),
    [([1.5], 1, [1.5, 1.5]), ([60.0, 0.1], 10, [60.0, 0.1]), ([0.1, 9.0, 0.1], 10, [0.1, 9.0])],
)
def test_one_slow_call_does_not_mislead_calibration(
    monkeypatch: pytest.MonkeyPatch, costs: list[float], loops: int, first: list[float]
) -> None:
    now = [0.0]
    monkeypatch.setattr(worker, "CLOCK", lambda: now[0])
    monkeypatch.setattr(worker, "TICK_S", 1.0)
    coming = iter(costs)

    def call() -> None:
        now[0] += next(coming, costs[-1])

    found, _, kept = worker.calibrate(call, 1.0)

    assert found == loops
    assert kept == pytest.approx(first)


def test_what_iterations_take_is_told_for_each_call_without_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"user": 5.0}  # so much before the first call
    monkeypatch.setattr(worker, "usage", used.copy)

    def call() -> None:
        used["user"] += 0.25

    options = {"least": "4", "most": "4", "loops": "3", "min_time": "1", "gc": "1", "window": "2", "threshold": "0.01"}
    with WorkerReport(4) as report:
        worker.measure(call, options, worker.Report(os.dup(report.descriptor)))

        assert float(report.status()["user_per_call"]) == 0.25


@pytest.mark.parametrize("is_there", [False, True])
def test_the_worker_leaves_the_modules_of_the_program_as_they_were(
    is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resource", resource)
    if not is_there:
        monkeypatch.delitem(sys.modules, "resource")
    begun = runpy.run_path(worker.__file__, run_name="the_worker")
    assert begun["usage"]()["user"] > 0.0
    assert sys.modules.get("resource") is (resource if is_there else None)


def test_what_the_worker_writes_is_read() -> None:
    with WorkerReport(3) as memory:
        report = worker.Report(os.dup(memory.descriptor))
        assert memory.status() == {}
        assert memory.values().tolist() == []

        report.state("running", loops=7)
        report.cells[1], report.cells[2], report.cells[0] = 0.5, 0.25, 2
        report.state("failed", error="Error: a=b\nc")

        assert memory.status() == {"state": "failed", "loops": "7", "error": "Error: a=b c"}
        assert memory.values().tolist() == [0.5, 0.25]


@pytest.mark.parametrize("count", [-1.0, 1e300, float("nan"), float("inf")])
def test_a_count_that_the_program_wrote_over_does_no_harm(count: float) -> None:
    with WorkerReport(3) as memory:
        report = worker.Report(os.dup(memory.descriptor))
        report.cells[0], report.cells[1] = count, float("nan")

        assert len(memory.values()) <= 3
        assert np.isfinite(memory.values()).all()


def test_a_status_that_is_too_long_is_cut() -> None:
    with WorkerReport(1) as memory:
        report = worker.Report(os.dup(memory.descriptor))
        report.cells[0] = 1
        report.state("missing", names="x" * 10000, more="y" * 10000, most="z" * 10000, last="é" * 5000)

        assert memory.status()["names"] == "x" * 1000
        assert len(memory.values()) == 1


def test_the_worker_imports_the_standard_library_only_and_is_no_part_of_sonde() -> None:
    text = Path(worker.__file__).read_text(encoding="utf-8")
    imported = {
        line.split()[1].partition(".")[0]
        for line in text.splitlines()
        if line.lstrip().startswith(("import ", "from "))
    }

    assert imported <= sys.stdlib_module_names
