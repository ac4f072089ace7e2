"""Kernels that Numba compiles, below sonde against without.

    python benches/bench_numba.py [--rounds 9] [NAME ...]

Processor time of one call of each kernel, when it is compiled, as the program tells itself
(tests/programs/numba/kernels.py). Runs are interleaved; each figure is the median ratio over the rounds, with a 95 %
interval.

    default   `sonde contexts`
    calls     `sonde contexts --exact --no-time`
    early     the same with `--probes early`

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
}


def nanoseconds(command: list[str], name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        words = [*command, str(_PROGRAM), name]
        return float(subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(_NAMES))
    arguments = parser.parse_args()
    for name in arguments.names or _NAMES:
        times: dict[str, list[float]] = {each: [] for each in _ALTERNATIVES}
        for _ in range(arguments.rounds):
            for each, command in _ALTERNATIVES.items():
                times[each].append(nanoseconds(command, name))
        told = [f"{each} {ratio(times[each], times['plain'])}" for each in _ALTERNATIVES if each != "plain"]
        print(f"{name:12} {'; '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
