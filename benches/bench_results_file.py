"""The results file: reading many benchmarks, and what storing an invocation costs the run.

    python benches/bench_results_file.py [--benchmarks 1000]

To reach: 1,000 benchmarks x 30 invocations x 100 values read in 0.4 s; an invocation stored in well below 2 ms.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.results_file import ResultsWriter, read_results, write_results
from sonde.instruments.bench.runs.observer import Silence
from sonde.instruments.bench.runs.plan import Alternative, Benchmark, CommandWork, Conditions, Extent, Plan
from sonde.instruments.bench.runs.run import Run

ROUNDS = 7
INVOCATIONS, ITERATIONS = 30, 100
STORED = 2000


def many(benchmarks: int) -> Measurements:
    """Benchmarks of one alternative, with what a process is measured by."""
    draw = np.random.default_rng(0)
    values = draw.normal(1.0, 0.01, (benchmarks, INVOCATIONS, ITERATIONS))
    process = {"user": 1.234567, "system": 0.045678, "peak-memory": 12345678.0, "minor-faults": 1234.0}
    return Measurements(
        tuple(
            Series(
                f"benchmark-{i}",
                "only",
                "steady",
                tuple(
                    Invocation(one, round=round_, position=round_ * benchmarks + i, started=1e9, process=process)
                    for round_, one in enumerate(values[i])
                ),
            )
            for i in range(benchmarks)
        ),
        Provenance("made up"),
    )


def seconds(work: Callable[[], object]) -> str:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return f"{statistics.median(times):.3f} s [{min(times):.3f}, {max(times):.3f}]"


def no_intervals(_measurements: Measurements, _level: float) -> dict[tuple[str, str], float | None]:
    return {}


class Instant:
    """Invocations that take no time, so that what remains is the run's own."""

    def check(self, benchmark: Benchmark, alternative: Alternative) -> None:
        pass

    def invoke(self, benchmark: Benchmark, alternative: Alternative) -> Invocation:  # noqa: ARG002
        return Invocation(np.array([0.001]), process={"user": 0.001, "system": 0.0, "peak-memory": 1e6})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", type=int, default=1000)
    benchmarks = parser.parse_args().benchmarks
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.sonde"
        write_results(path, many(benchmarks))
        size = f"{path.stat().st_size / 1e6:.0f} MB"
        print(
            f"{benchmarks:,} benchmarks x {INVOCATIONS} x {ITERATIONS} values, {size}; median [least, most] of {ROUNDS}"
        )
        print(f"  read_results            {seconds(lambda: read_results(path))}   to reach 0.4 s")
        print(f"  write_results           {seconds(lambda: write_results(path, many(benchmarks), force=True))}")
        with ResultsWriter(Path(folder) / "one.sonde") as writer:
            number = writer.add_series(Series("a", "b", "startup", ()))
            times = []
            for round_ in range(STORED):
                start = time.perf_counter()
                writer.record(number, Invocation(np.array([0.001]), round=round_))
                times.append(1e3 * (time.perf_counter() - start))
        print(f"  storing an invocation   {statistics.median(times):.3f} ms, mean {statistics.mean(times):.3f} ms")
        ways = (Alternative("a", CommandWork("a")), Alternative("b", CommandWork("b")))
        plan = Plan((Benchmark("one", ways, Conditions(warm_up_rounds=0), Extent(rounds=STORED // 2)),), seed=1)
        with ResultsWriter(Path(folder) / "run.sonde") as writer:
            start = time.perf_counter()
            Run(plan, writer, Instant(), Silence(), half_widths=no_intervals).go()
            print(
                f"  all of the run's own    {1e3 * (time.perf_counter() - start) / STORED:.3f} ms for each invocation"
            )


if __name__ == "__main__":
    main()
