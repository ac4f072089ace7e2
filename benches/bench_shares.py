"""How far shares of the time are from the truth where calls are tiny, on this Python.

    python benches/bench_shares.py [--rounds 9] [--json]

A program runs a loop of tiny calls beside a loop without any. The truth is what it says of itself when it runs alone:
the share of the first in its processor time. Each round runs it alone and under each profiler, in random order; printed
is the share that a profiler reports, less the true one of the same round.
"""

import argparse
import json
import platform
import pstats
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import median_interval
from sonde.instruments.contexts.profile import function_totals, read_profile

PROGRAM = Path(__file__).with_name("workloads") / "tiny_calls.py"
LOOPS = ("calls", "plain")


def reported_by_sonde(folder: Path, *options: str) -> float:
    """The share of the loop of calls, with what it calls."""
    output = folder / "run.sonde"
    _run("-m", "sonde", "contexts", "--quiet", "--force", "-o", str(output), *options, str(PROGRAM))
    profile = read_profile(output)
    totals = function_totals(profile)
    seconds = {profile.functions[i].name: total for i, total in enumerate(totals.total_ns)}
    return seconds["calls"] / sum(seconds[name] for name in LOOPS)


def reported_by_cprofile(folder: Path) -> float:
    """The same by the profiler of the standard library."""
    output = folder / "run.pstats"
    _run("-m", "cProfile", "-o", str(output), str(PROGRAM))
    rows = pstats.Stats(str(output)).get_stats_profile().func_profiles
    return rows["calls"].cumtime / sum(rows[name].cumtime for name in LOOPS)


def measure(rounds: int) -> dict[str, list[float]]:
    """By name: shares, one for each round."""
    shares: dict[str, list[float]] = {}
    order = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ways = {
            "the truth": lambda: float(_run(str(PROGRAM))),
            "sonde": lambda: reported_by_sonde(folder),
            "sonde --exact": lambda: reported_by_sonde(folder, "--exact"),
            "sonde --raw": lambda: reported_by_sonde(folder, "--raw"),
            "sonde --time sampled": lambda: reported_by_sonde(folder, "--time", "sampled"),
            "the same, processor": lambda: reported_by_sonde(folder, "--time", "sampled", "--clock", "cpu"),
            "cProfile": lambda: reported_by_cprofile(folder),
        }
        for _ in range(rounds):
            for way in order.sample(sorted(ways), len(ways)):
                shares.setdefault(way, []).append(ways[way]())
    return shares


def _run(*words: str) -> str:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    shares = measure(arguments.rounds)
    truth = shares.pop("the truth")
    errors = {way: [share - true for share, true in zip(found, truth, strict=True)] for way, found in shares.items()}
    if arguments.json:
        print(json.dumps({"truth": truth, "errors": errors}))
        return
    print(f"Python {platform.python_version()}, {arguments.rounds} rounds: true share {statistics.median(truth):.3f}")
    for way, found in errors.items():
        low, high = median_interval(found)
        within = 0.03 if way in ("sonde", "sonde --exact") else 0.02 if "sampled" in way else None
        target = f"  to reach: within {within}" if within else ""
        print(f"  {way:20} {statistics.median(found):+.3f} [{low:+.3f}, {high:+.3f}]{target}")


if __name__ == "__main__":
    main()
