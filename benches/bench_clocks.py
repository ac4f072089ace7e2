"""What `--clock cpu` and `--lines` cost beyond times of the wall clock, on this Python.

    python benches/bench_clocks.py [--rounds 15] [workload ...]

Each round runs all three in fresh processes and in random order; a workload reports the CPU time of its fastest
iteration. A ratio compares with the wall clock of the same round. Another process samples the lines.
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
ALTERNATIVES = {"wall": [], "cpu": ["--clock", "cpu"], "lines": ["--lines"]}


def measure(workload: str, rounds: int) -> dict[tuple[str, str], list[float]]:
    """CPU seconds, by mode and alternative."""
    order, seconds = random.Random(0), {(mode, name): list[float]() for mode in MODES for name in ALTERNATIVES}
    with tempfile.TemporaryDirectory() as folder:
        keep = ["--quiet", "--force", "-o", str(Path(folder, "run.sonde"))]
        for _ in range(rounds):
            for mode, name in order.sample(sorted(seconds), len(seconds)):
                command = [sys.executable, "-m", "sonde", "contexts", *keep, *MODES[mode], *ALTERNATIVES[name]]
                script = str(FOLDER / f"{workload}.py")
                done = subprocess.run([*command, script], capture_output=True, text=True, check=True)
                seconds[mode, name].append(float(done.stdout))
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("workloads", nargs="*", default=WORKLOADS)
    arguments = parser.parse_args()
    rounds = arguments.rounds
    print(
        f"Python {platform.python_version()}, {rounds} rounds: ratio to wall, median [95% interval], to reach {TARGET}"
    )
    for workload in arguments.workloads:
        seconds = measure(workload, rounds)
        for mode in MODES:
            for name in ("cpu", "lines"):
                found = ratio(seconds[mode, name], seconds[mode, "wall"])
                print(f"  {workload:14} {mode:6} {name:6} {found}", flush=True)


if __name__ == "__main__":
    main()
