"""What sonde within a program costs.

    python benches/bench_blocks.py [--rounds 15]

`import sonde`, in fresh interpreters (to reach: 15 ms); the first block of a process, and those after it; a program
that only calls, before any block, after one (to reach: no difference), and within one; all in turns.
"""

import argparse
import statistics
import subprocess
import sys

IMPORT = "import time; t = time.perf_counter_ns(); import sonde; print((time.perf_counter_ns() - t) / 1e6)"
BLOCKS = """
from time import perf_counter_ns as now
import sonde

def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)

def calls():
    t = now(); fib(20); return (now() - t) / 1e6

def empty():
    t = now()
    with block: pass
    return (now() - t) / 1e6

calls()
before = min(calls() for _ in range(5))
block = sonde.profile()
first, later = empty(), min(empty() for _ in range(5))
after = min(calls() for _ in range(5))
with block: within = min(calls() for _ in range(5))
print(first, later, after / before, within / before)
"""


def told(program: str) -> list[float]:
    """The figures that a program prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    figures = [told(IMPORT) + told(BLOCKS) for _ in range(rounds)]
    names = (
        "import sonde, ms",
        "first block, ms",
        "later block, ms",
        "calls after a block, ratio",
        "calls within, ratio",
    )
    print(f"median of {rounds} rounds [quartiles]")
    for name, values in zip(names, zip(*figures, strict=True), strict=True):
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"  {name:28} {middle:7.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
