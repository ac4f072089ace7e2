"""What recording CPython's decisions adds to the processor time of a program.

    python benches/bench_python_recorder.py [--pairs 10] [--tick 5ms]

The program makes objects in a loop; it prints the processor time of its process when the loop ends, the recorder's
thread included, sonde's own process not. A ratio of pairs in turns, with and without, with a 95 % interval.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from ratios import ratio

PROGRAM = """
import time

class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def length(self):
        return self.x * self.x + self.y * self.y

def work(count):
    total = 0
    for number in range(count):
        total += Point(number, number + 1).length() % 7
    return total

work(1000)
begin = time.process_time()
work(ROUNDS)
print(time.process_time() - begin)
"""
ROUNDS = 8_000_000
"""Some five seconds, so that what happens once at the end does not show."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--tick", default="5ms", help="from one look at where the program is to the next")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        program = Path(name, "program.py")
        program.write_text(PROGRAM.replace("ROUNDS", str(ROUNDS)))
        plain = [sys.executable, str(program)]
        capture = [sys.executable, "-m", "sonde", "decisions", "capture", "--force", "--tick", arguments.tick]
        recorded = [*capture, "-o", str(Path(name, "run")), "--", *plain]
        alone, watched = [], []
        for _ in range(arguments.pairs):
            alone.append(seconds(plain))
            watched.append(seconds(recorded))
    added = ratio(watched, alone)
    print(f"processor time with the recorder, without = 1: {added}, {arguments.pairs} pairs of {min(alone):.1f} s")


def seconds(command: list[str]) -> float:
    """What the program prints."""
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    main()
