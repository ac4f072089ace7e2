"""`sonde bench compare` of 1,000 benchmarks x 30 invocations x 100 iterations on each side, as a whole command.

    python benches/bench_compare.py [--benchmarks 1000]

To reach: 2 s. In seconds of this machine, from starting the command to its end; beside it, starting Python and loading
NumPy and the special functions of SciPy, which is part of it.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sonde.instruments.bench.measurements import Invocation, Measurements, Provenance, Series
from sonde.instruments.bench.results_file import write_results

ROUNDS = 7
INVOCATIONS = 30
ITERATIONS = 100


def results(benchmarks: int, seed: int, *, warms_up: bool) -> Measurements:
    """Benchmarks with skewed noise and processes that differ; all flat, or all with a warm-up of some iterations."""
    rng = np.random.default_rng(seed)
    warm_up = 1.0 + warms_up * np.exp(-np.arange(ITERATIONS) / 4.0)
    series = []
    for number in range(benchmarks):
        processes = 1.0 + 0.01 * rng.standard_normal((INVOCATIONS, 1))
        noise = rng.lognormal(0.0, 0.01, (INVOCATIONS, ITERATIONS))
        values = 1e-3 * (1 + number % 7) * processes * noise * warm_up
        series.append(Series(f"benchmark {number}", "", "steady", tuple(Invocation(row) for row in values)))
    return Measurements(tuple(series), Provenance("bench_compare"))


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", type=int, default=1000)
    benchmarks = parser.parse_args().benchmarks
    for warms_up in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            old, new = Path(folder) / "old.sonde", Path(folder) / "new.sonde"
            write_results(old, results(benchmarks, 1, warms_up=warms_up))
            write_results(new, results(benchmarks, 2, warms_up=warms_up))
            commands = {
                "sonde bench compare": [sys.executable, "-m", "sonde", "bench", "compare", str(old), str(new)],
                "loading alone": [sys.executable, "-c", "import numpy, scipy.special"],
            }
            times: dict[str, list[float]] = {name: [] for name in commands}
            for _ in range(ROUNDS):
                for name, command in commands.items():
                    times[name].append(seconds(command))
            shape = "each process warms up" if warms_up else "all processes flat"
            size = (
                f"{benchmarks:,} x {INVOCATIONS} x {ITERATIONS} on each side, {old.stat().st_size / 1e6:.0f} MB a file"
            )
            print(f"{size}, {shape}; to reach 2 s")
            for name, taken in times.items():
                median, least, most = statistics.median(taken), min(taken), max(taken)
                print(f"  {name:<20} {median:.2f} s [{least:.2f}, {most:.2f}] median [least, most] of {ROUNDS}")


if __name__ == "__main__":
    main()
