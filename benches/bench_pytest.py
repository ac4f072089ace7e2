"""What `pytest --sonde` costs: suites of small tests with and without it, interleaved.

    python benches/bench_pytest.py [ROUNDS]

Each test makes some hundred calls. If its cost grew with the tests before it, each of 1,000 tests would cost more than
each of 500.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from ratios import median_interval, ratio

TESTS = """
import json, pytest

def work(n):
    return sum(step(i) for i in range(50 + n % 7))

def step(i):
    return i * i

@pytest.mark.parametrize("n", range({count}))
def test_small(n):
    assert work(n) > 0
    json.loads(json.dumps({{"a": [n]}}, indent=1))
"""
SIZES = (500, 1000)
PLUGINS = ("cacheprovider", "asyncio")
"""Left out: they write files and warn."""


def _seconds(folder: Path, *options: str) -> float:
    left_out = [each for name in PLUGINS for each in ("-p", f"no:{name}")]
    began = perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", *left_out, *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - began


def main() -> None:
    """Print a line for each size."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    for count in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "test_many.py").write_text(TESTS.format(count=count), encoding="utf-8")
            pairs = [(_seconds(folder), _seconds(folder, "--sonde")) for _ in range(rounds)]
        plain, measured = zip(*pairs, strict=True)
        added = [(after - before) / count * 1000 for before, after in pairs]
        low, high = median_interval(added)
        print(
            f"{count} tests: {median(plain):.2f} s without, ratio {ratio(measured, plain)}, "
            f"{median(added):.2f} [{low:.2f}, {high:.2f}] ms more for each test"
        )


if __name__ == "__main__":
    main()
