"""What `--clock cpu`, `--threads` and `--lines` cost beyond times of the wall clock, on this Python.

    python benches/bench_clocks.py [--rounds 15] [workload ...]

Each round runs all in fresh processes and in random order; a workload reports the CPU time of its fastest iteration. A
ratio compares with the wall clock, threads together, of the same round. Another process samples the lines.
"""

import argparse
import platform
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import ratio

WORKLOADS = ("fib", "objects", "many_contexts", "long_calls")
FOLDER = Path(__file__).with_name("workloads")
TARGET = 1.1
MODES = {"exact": ["--exact"], "hot": []}
WAYS = {"wall": [], "cpu": ["--clock", "cpu"], "threads": ["--threads"], "lines": ["--lines"]}


def measure(workload: str, rounds: int) -> dict[tuple[str, str], list[float]]:
    """CPU seconds, by mode and way."""
    order, seconds = random.Random(0), {(mode, way): list[float]() for mode in MODES for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        keep = ["--quiet", "--force", "-o", str(Path(folder, "run.sonde"))]
        for _ in range(rounds):
            for mode, way in order.sample(sorted(seconds), len(seconds)):
                command = [sys.executable, "-m", "sonde", "contexts", *keep, *MODES[mode], *WAYS[way]]
                script = str(FOLDER / f"{workload}.py")
                done = subprocess.run([*command, script], capture_output=True, text=True, check=True)
                seconds[mode, way].append(float(done.stdout))
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("workloads", nargs="*", default=WORKLOADS)
    arguments = parser.parse_args()
    rounds = arguments.rounds
    print(f"Python {platform.python_version()}, {rounds} rounds: to wall, median [95% interval], to reach {TARGET}")
    for workload in arguments.workloads:
        seconds = measure(workload, rounds)
        for mode in MODES:
            for way in list(WAYS)[1:]:
                print(
                    f"  {workload:14} {mode:6} {way:8} {ratio(seconds[mode, way], seconds[mode, 'wall'])}", flush=True
                )


if __name__ == "__main__":
    main()
