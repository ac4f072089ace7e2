"""Runs of made-up benchmarks: values by recipe, a clock that advances by them, a record of who ran when."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Series
from sonde.instruments.bench.results_file import ResultsWriter
from sonde.instruments.bench.runs.observer import Standing
from sonde.instruments.bench.runs.plan import Alternative, Benchmark, CommandWork, Conditions, Extent, Plan
from sonde.instruments.bench.runs.run import Ending, Run


def benchmark(
    name: str, *alternatives: str, extent: Extent | None = None, conditions: Conditions | None = None
) -> Benchmark:
    """A benchmark that only a `FakeInvoker` can run."""
    return Benchmark(
        name,
        tuple(Alternative(one, CommandWork(f"./{one}")) for one in alternatives),
        conditions or Conditions(warm_up_rounds=0),
        extent or Extent(rounds=3),
    )


@dataclass
class FakeInvoker:
    """Yields values of a recipe, one second each unless it says otherwise; and is interrupted when asked to be."""

    recipe: Callable[[str, int], float | Invocation] = lambda name, count: 1.0
    """(alternative, how many of it ran before) -> seconds, or the whole invocation."""
    interrupt_before: int | None = None
    """Which invocation is interrupted instead, counted from 0."""
    now_s: float = 0.0
    ran: list[tuple[str, str]] = field(default_factory=list)

    def check(self, benchmark: Benchmark, alternative: Alternative) -> None:
        """All is well."""

    def invoke(self, benchmark: Benchmark, alternative: Alternative) -> Invocation:
        """Run the recipe."""
        if len(self.ran) == self.interrupt_before:
            raise KeyboardInterrupt
        cell = (benchmark.name, alternative.name)
        made = self.recipe(alternative.name, self.ran.count(cell))
        self.ran.append(cell)
        invocation = made if isinstance(made, Invocation) else Invocation(np.array([made]))
        self.now_s += float(invocation.values.sum()) if len(invocation.values) else 1.0
        return invocation


@dataclass
class Notebook:
    """An observer that keeps what it is told."""

    standings: list[Standing] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    done: list[tuple[str, str, int]] = field(default_factory=list)
    """(benchmark, why, rounds)"""
    notes: list[str] = field(default_factory=list)
    closed: int = 0

    def is_due(self) -> bool:
        return True

    def show(self, standing: Standing) -> None:
        self.standings.append(standing)

    def failed(self, benchmark: str, alternative: str, invocation: Invocation) -> None:
        self.failures.append(f"{benchmark} {alternative}: {invocation.detail}")

    def benchmark_done(
        self, why: str, rounds: int, series: Sequence[Series], half_width: float | None, *, alone: bool
    ) -> None:
        self.done.append((series[0].benchmark, why, rounds))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def close(self) -> None:
        self.closed += 1


def never_precise(measurements: Measurements, level: float) -> Mapping[tuple[str, str], float | None]:
    """No interval."""
    return {(one.benchmark, one.alternative): None for one in measurements.series}


def precise_from(count: int) -> Callable[[Measurements, float], Mapping[tuple[str, str], float | None]]:
    """Intervals that are narrow once there are so many good invocations."""

    def half_widths(measurements: Measurements, level: float) -> Mapping[tuple[str, str], float | None]:
        return {
            (one.benchmark, one.alternative): 1e-6 if len(good(one)) >= count else 0.5 for one in measurements.series
        }

    return half_widths


def good(series: Series) -> list[Invocation]:
    """The invocations that count."""
    return [one for one in series.invocations if one.outcome == "ok" and (one.round or 0) >= 0]


def carry_out(
    plan: Plan,
    path: Path,
    invoker: FakeInvoker | None = None,
    *,
    half_widths: Callable[[Measurements, float], Mapping[tuple[str, str], float | None]] = never_precise,
    observer: Notebook | None = None,
) -> tuple[Ending, FakeInvoker, Notebook]:
    """Run a plan into a file, going on with what is in it."""
    invoker, observer = invoker or FakeInvoker(), observer or Notebook()
    with ResultsWriter(path, resume=True) as writer:
        run = Run(plan, writer, invoker, observer, half_widths=half_widths, clock=lambda: invoker.now_s)
        return run.go(), invoker, observer
