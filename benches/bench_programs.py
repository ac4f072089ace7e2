"""Slowdown of the larger programs of pyperformance under sonde and under cProfile, on this Python.

    python benches/bench_programs.py [--rounds 5] [--only ALTERNATIVE ...] [--programs NAME ...]

pyperformance comes from the package registry and is not installed: its programs are run as they are, with a module
that stands in for pyperf. Each round runs every alternative once, in a fresh process and in random order; a program
reports the CPU time of its fastest turn. A ratio compares with the plain run of the same round.
"""

import argparse
import os
import platform
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from statistics import geometric_mean

from ratios import Ratio, ratio

RELEASE = "pyperformance==1.14.0"
INSIDE = "pyperformance/data-files/benchmarks"
PROGRAMS = (
    "barnes_hut",
    "chaos",
    "deltablue",
    "go",
    "hexiom",
    "mdp",
    "pyflate",
    "raytrace",
    "richards",
    "richards_super",
)
STAND_IN = Path(__file__).with_name("workloads") / "stand_in"
OPTIONS = {"calls": ["--no-time"], "time": [], "exact": ["--exact"], "sampled": ["--time", "sampled"]}


def fetch(folder: Path) -> Path:
    """The folder of the programs, in `folder`."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "download", "--no-deps", "--dest", str(folder), RELEASE], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder / INSIDE


def commands(script: Path, folder: Path) -> dict[str, list[str]]:
    python = sys.executable
    sonde = [python, "-m", "sonde", "contexts", "--quiet", "--force", "-o", str(folder / "run.sonde")]
    return {
        "plain": [python, str(script)],
        **{name: [*sonde, *options, str(script)] for name, options in OPTIONS.items()},
        "cProfile": [python, "-m", "cProfile", "-o", str(folder / "run.pstats"), str(script)],
    }


def measure(script: Path, alternatives: list[str], rounds: int) -> dict[str, Ratio]:
    seconds: dict[str, list[float]] = {}
    order = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        chosen = [(n, c) for n, c in commands(script, Path(folder)).items() if n == "plain" or n in alternatives]
        for _ in range(rounds):
            order.shuffle(chosen)
            for name, command in chosen:
                environment = os.environ | {"PYTHONPATH": str(STAND_IN)}
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
                seconds.setdefault(name, []).append(float(done.stdout))
    return {name: ratio(seconds[name], seconds["plain"]) for name in alternatives}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[*OPTIONS, "cProfile"], default=[*OPTIONS, "cProfile"])
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {arguments.rounds} rounds: slowdown, median [95% interval]")
    print(f"{'':16}" + "".join(f"{name:20}" for name in arguments.only))
    medians: dict[str, list[float]] = {name: [] for name in arguments.only}
    with tempfile.TemporaryDirectory() as folder:
        programs = fetch(Path(folder))
        for program in arguments.programs:
            ratios = measure(programs / f"bm_{program}" / "run_benchmark.py", arguments.only, arguments.rounds)
            print(f"{program:16}" + "".join(f"{ratios[name]!s:20}" for name in arguments.only), flush=True)
            for name in arguments.only:
                medians[name].append(ratios[name].median)
    print(f"{'geometric mean':16}" + "".join(f"{geometric_mean(medians[name]):<20.2f}" for name in arguments.only))


if __name__ == "__main__":
    main()
