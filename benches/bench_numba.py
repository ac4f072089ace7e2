"""Kernels that Numba compiles, below sonde against without.

    python benches/bench_numba.py [--rounds 9] [--only cycles] [--only entries] [NAME ...]

Processor time of one call of each kernel, when it is compiled, as the program tells itself
(tests/programs/numba/kernels.py). Runs are interleaved; each figure is the median ratio over the rounds, with a 95 %
interval.

    default   `sonde contexts`
    calls     `sonde contexts --exact --no-time`
    early     the same with `--probes early`
    cycles    `sonde contexts --cycles` (chosen, the default)
    entries   the same with `--stamps none`
    stamps    the same with `--stamps all`

`fib` only calls itself, `from_python` is one call by Python after the other: both are worst cases.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import ratio

_PROGRAM = Path(__file__).parents[1] / "tests" / "programs" / "numba" / "kernels.py"
_NAMES = ("fib", "mandelbrot", "monte_carlo", "quicksort", "loops", "from_python")
_SONDE = [sys.executable, "-m", "sonde", "contexts", "--quiet", "--force", "-o", "numba.sonde"]
_ALTERNATIVES = {
    "plain": [sys.executable],
    "default": _SONDE,
    "calls": [*_SONDE, "--exact", "--no-time"],
    "early": [*_SONDE, "--exact", "--no-time", "--probes", "early"],
    "cycles": [*_SONDE, "--cycles"],
    "entries": [*_SONDE, "--cycles", "--stamps", "none"],
    "stamps": [*_SONDE, "--cycles", "--stamps", "all"],
}


def nanoseconds(command: list[str], name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        words = [*command, str(_PROGRAM), name]
        return float(subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", action="append", default=[], choices=list(_ALTERNATIVES), help="besides plain")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(_NAMES))
    arguments = parser.parse_args()
    for name in arguments.names or _NAMES:
        chosen = ["plain", *dict.fromkeys(arguments.only or list(_ALTERNATIVES)[1:])]
        times: dict[str, list[float]] = {each: [] for each in chosen}
        for _ in range(arguments.rounds):
            for each in chosen:
                times[each].append(nanoseconds(_ALTERNATIVES[each], name))
        told = [f"{each} {ratio(times[each], times['plain'])}" for each in chosen if each != "plain"]
        print(f"{name:12} {'; '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
