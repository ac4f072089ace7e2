"""What counting calls costs the programs of Are-We-Fast-Yet: with a clock at each call, and with sampled times.

    python benches/bench_are_we_fast_yet.py FOLDER [--rounds 5] [--scale 0.4] [--python PYTHON] [program ...]

FOLDER has the suite's Python version (github.com/smarr/are-we-fast-yet, benchmarks/Python), PYTHON is one in which
sonde is installed. In each round every program runs plainly and both ways, in random order; a ratio compares the
program's own processor time with that of the plain run of the same round.
"""

import argparse
import math
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import ratio

ITERATIONS = {
    "Bounce": 2300,
    "CD": 250,
    "DeltaBlue": 31000,
    "Havlak": 1,
    "Json": 245,
    "List": 3800,
    "Mandelbrot": 750,
    "NBody": 250000,
    "Permute": 1270,
    "Queens": 2450,
    "Richards": 56,
    "Sieve": 3850,
    "Storage": 1200,
    "Towers": 1010,
}
"""Inner iterations of about a second and a half."""
CHECKED = {"Mandelbrot": 500, "NBody": 250000}
"""Those that know their result for some numbers of iterations only."""
PROGRAM = """\
import os, sys, time
name, count, folder = sys.argv[1:]
os.chdir(folder)
sys.path.insert(0, folder)
import run
measured = run.Run(name)
measured.set_num_iterations(1)
measured.set_inner_iterations(int(count))
start = time.process_time()
measured.run_benchmark()
print("took", time.process_time() - start)
"""
WAYS: dict[str, tuple[str, ...] | None] = {
    "plain": None,
    "by a clock": ("--time", "measured"),
    "sampled": ("--time", "sampled"),
}


def took_s(python: str, suite: Path, folder: Path, name: str, count: int, way: tuple[str, ...] | None) -> float:
    """Processor time of the program."""
    words = [str(folder / "program.py"), name, str(count), str(suite)]
    if way is not None:
        output = str(folder / "run.sonde")
        words = ["-m", "sonde", "contexts", "--quiet", "--force", "-o", output, *way, *words]
    done = subprocess.run([python, *words], capture_output=True, text=True, check=True)
    return float(done.stdout.rpartition("took ")[2])


def main() -> None:
    """Measure all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=0.4, help="share of the iterations")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("programs", nargs="*", default=list(ITERATIONS))
    given = parser.parse_args()
    print("| program | by a clock | sampled |\n|---|---|---|")
    medians: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
        for program in given.programs:
            count = CHECKED.get(program, max(1, round(ITERATIONS[program] * given.scale)))
            times: dict[str, list[float]] = {way: [] for way in WAYS}
            for _ in range(given.rounds):
                for way in random.sample(list(WAYS), len(WAYS)):
                    taken = took_s(given.python, given.folder.resolve(), folder, program, count, WAYS[way])
                    times[way].append(taken)
            told = {way: ratio(times[way], times["plain"]) for way in WAYS}
            for way, each in told.items():
                medians[way].append(each.median)
            print(f"| {program} | {told['by a clock']} | {told['sampled']} |", flush=True)
    means = {way: math.exp(statistics.fmean(map(math.log, each))) for way, each in medians.items()}
    print(f"| geometric mean | {means['by a clock']:.2f} | {means['sampled']:.2f} |")


if __name__ == "__main__":
    main()
