"""What `sonde sample --what tasks` costs a program with many tasks of asyncio that wait, and how often it looks.

    python benches/bench_waiting_tasks.py [--rounds 7] [--python PATH] [--tasks 10,1000,10000]

One task of the program works for a second of processor time, and measures how long a slice of that takes; the others
wait. Plain and looked at, in interleaved rounds; each figure is the median ratio to plain of the same round, with a
95 % interval. At last, how long `sonde sample --now` looks, and how long the whole command takes.
"""

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ratios import median_interval, ratio
from sonde.instruments.contexts.profile import read_profile

WORKLOAD = Path(__file__).with_name("workloads") / "waiting.py"
SECONDS = "1"


def cost(python: str, tasks: int, rounds: int) -> None:
    """Print a row for each way."""
    plain = [python, str(WORKLOAD), str(tasks), SECONDS]
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "run.sonde")
        sample = [sys.executable, "-m", "sonde", "sample", "--quiet", "--force", "-o", str(kept)]
        ways = {"plain": plain, "plain again": plain, "looked at": [*sample, "--what", "tasks", "--", *plain]}
        slices: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        looks = []
        order = random.Random(0)
        for _ in range(rounds):
            for way in order.sample(sorted(ways), len(ways)):
                done = subprocess.run(ways[way], capture_output=True, text=True, check=True)
                elapsed, ran, count = map(float, done.stdout.split())
                slices[way].append((elapsed / count, ran / count))
                if way == "looked at":
                    sampling = read_profile(kept).sampling
                    looks.append(1e9 / sampling.interval_ns if sampling is not None else 0.0)
    for way in ("plain again", "looked at"):
        figures = (ratio([one[i] for one in slices[way]], [base[i] for base in slices["plain"]]) for i in (0, 1))
        shown = " | ".join(f"{each.median:.3f} [{each.low:.3f}, {each.high:.3f}]" for each in figures)
        reached = f"{statistics.median(looks):.1f}" if way == "looked at" else ""
        print(f"| {tasks:,} | {way} | {shown} | {reached} |", flush=True)


def now(python: str, tasks: int, rounds: int) -> None:
    """Print how long one look takes."""
    with subprocess.Popen([python, str(WORKLOAD), str(tasks), "1000"], stdout=subprocess.DEVNULL) as process:
        time.sleep(3)
        took, whole = [], []
        for _ in range(rounds):
            began = time.perf_counter()
            command = [sys.executable, "-m", "sonde", "sample", "--now", "--json", "--pid", str(process.pid)]
            answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            whole.append(time.perf_counter() - began)
            (facts,) = (block["facts"] for block in answer["blocks"] if block["key"] == "run")
            took.append(next(fact["value"] for fact in facts if fact["key"] == "took") / 1e6)
        process.kill()
    print(f"{tasks:,} tasks: looks {_told(took)} ms, whole command {_told(whole)} s", flush=True)


def _told(values: list[float]) -> str:
    low, high = median_interval(values)
    return f"{statistics.median(values):.3g} [{low:.3g}, {high:.3g}]"


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tasks", default="10,1000,10000")
    options = parser.parse_args()
    counts = [int(each) for each in options.tasks.split(",")]
    print(f"Python {platform.python_version()} of sonde, {options.rounds} rounds, of {options.python}\n")
    print("| tasks | | elapsed | processor time of the program | looks a second |")
    print("|---|---|---|---|---|")
    for count in counts:
        cost(options.python, count, options.rounds)
    print()
    for count in counts:
        now(options.python, count, options.rounds)


if __name__ == "__main__":
    main()
