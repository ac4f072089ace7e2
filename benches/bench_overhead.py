"""Slowdown of five workloads under sonde and under cProfile, on this Python.

    python benches/bench_overhead.py [--rounds 15] [--json] [workload ...]

Each round runs every alternative once, in a fresh process and in random order; a workload
reports the CPU time of its fastest iteration, or, for bursts, the mean of all; `new_contexts` has but one, in which
nearly every call makes a context. A ratio compares with the plain run of the same round.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import Ratio, ratio

WORKLOADS = ("fib", "objects", "many_contexts", "new_contexts", "tasks")
FOLDER = Path(__file__).with_name("workloads")
Targets = dict[str, tuple[float | None, ...]]
"""To reach, in the order of the first workloads; of `tasks` nothing was asked."""
HOT_TARGETS: Targets = {
    "hot, calls": (1.40, 1.25, 1.20, 1.80),
    "hot, time": (None, None, None, 1.80),
    "bursts, calls": (1.10, 1.10, 1.10, None),
    "bursts, time": (1.10, 1.10, 1.10, None),
}
TARGETS: dict[str, Targets] = {
    "3.11": {"exact, calls": (1.40, 1.25, 1.15, 1.80), "exact, time": (2.10, 1.88, 1.73, 1.80), **HOT_TARGETS},
    "3.12": {"exact, calls": (1.90, 1.40, 1.20, None), "exact, time": (2.85, 2.10, 1.80, None)},
    "3.13": {"exact, calls": (1.90, 1.40, 1.20, None), "exact, time": (2.85, 2.10, 1.80, None)},
}
OPTIONS = {
    "exact, calls": ["--exact", "--no-time"],
    "exact, time": ["--exact"],
    "sampled time": ["--time", "sampled"],
    "hot, calls": ["--no-time"],
    "hot, time": [],
    "bursts, calls": ["--no-time", "--burst", "20ms/2ms"],
    "bursts, time": ["--burst", "20ms/2ms"],
    "recorded": ["--record", "TRACE"],
    "concurrent": ["--concurrent"],
}


def commands(script: Path, folder: Path) -> dict[str, list[str]]:
    """The alternatives, by name; those with bursts are compared with "plain, mean"."""
    python = sys.executable
    sonde = [python, "-m", "sonde", "contexts", "--quiet", "--force", "-o", str(folder / "run.sonde")]
    trace = str(folder / "run.trace")
    with_sonde = {
        name: [*sonde, *(trace if option == "TRACE" else option for option in options), str(script)]
        for name, options in OPTIONS.items()
    }
    return {
        "plain": [python, str(script)],
        "plain, mean": [python, str(script)],
        **with_sonde,
        "cProfile": [python, "-m", "cProfile", "-o", str(folder / "run.pstats"), str(script)],
    }


def measure(workload: str, rounds: int) -> dict[str, Ratio]:
    """Ratios of every alternative to the plain run."""
    seconds: dict[str, list[float]] = {}
    order = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            alternatives = list(commands(FOLDER / f"{workload}.py", Path(folder)).items())
            order.shuffle(alternatives)
            for name, command in alternatives:
                how = {"SONDE_BENCH": "mean"} if _is_mean(name) else {}
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | how)
                seconds.setdefault(name, []).append(float(done.stdout))
    return {
        name: ratio(values, seconds["plain, mean" if _is_mean(name) else "plain"])
        for name, values in seconds.items()
        if not name.startswith("plain")
    }


def _is_mean(name: str) -> bool:
    return "mean" in name or "bursts" in name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("workloads", nargs="*", default=WORKLOADS)
    arguments = parser.parse_args()
    results = {workload: measure(workload, arguments.rounds) for workload in arguments.workloads}
    if arguments.json:
        print(json.dumps({w: {n: vars(r) for n, r in rs.items()} for w, rs in results.items()}))
        return
    targets = TARGETS.get(".".join(platform.python_version_tuple()[:2]), {})
    print(f"Python {platform.python_version()}, {arguments.rounds} rounds: slowdown, median [95% interval]")
    for workload, ratios in results.items():
        for name, value in ratios.items():
            target = dict(zip(WORKLOADS, targets.get(name, ()), strict=False)).get(workload)
            print(f"  {workload:14} {name:15} {value}{f'  to reach {target:.2f}' if target else ''}")


if __name__ == "__main__":
    main()
