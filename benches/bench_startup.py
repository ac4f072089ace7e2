"""What `sonde contexts` adds to a program that does nothing.

    python benches/bench_startup.py [--rounds 30]

Two figures, as differences of interleaved runs of `python -c pass` and the same under sonde:
the delay until the program's first line runs, and the whole command with the profile written.
To reach: 60 ms. Also the time of `sonde --help` (to reach: 150 ms).
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIRST_LINE = "import time; print(time.monotonic_ns())"


def run(command: list[str]) -> tuple[float, float]:
    """Milliseconds until the program printed its clock, and until the command ended."""
    start = time.monotonic_ns()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    end = time.monotonic_ns()
    return (int(done.stdout or end) - start) / 1e6, (end - start) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    python = sys.executable
    sonde = str(Path(python).with_name("sonde"))
    first, whole, helps = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "run.sonde")
        for _ in range(rounds):
            plain = run([python, "-c", FIRST_LINE])
            measured = run([sonde, "contexts", "--quiet", "--force", "-o", output, "-c", FIRST_LINE])
            first.append(measured[0] - plain[0])
            whole.append(measured[1] - plain[1])
            start = time.monotonic_ns()
            subprocess.run([sonde, "--help"], capture_output=True, check=True)
            helps.append((time.monotonic_ns() - start) / 1e6)
    print(f"median of {rounds} rounds [quartiles], ms")
    for name, values in (("until the first line, added", first), ("whole command, added", whole), ("--help", helps)):
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"  {name:28} {middle:6.1f} [{low:.1f}, {high:.1f}]")


if __name__ == "__main__":
    main()
