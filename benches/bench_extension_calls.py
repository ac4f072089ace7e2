"""What counting calls of an extension module costs, beside counting calls of Python functions.

    python benches/bench_extension_calls.py [--rounds 15]

A module with functions that do next to nothing, built with probes and without. Each round runs all in fresh processes
and in random order; a program reports the CPU time of its fastest of five turns. Ratios are to the program alone with
the module as it is without probes: the worst case, since all that such a program does is to call.
"""

import argparse
import platform
import random
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from ratios import ratio

HERE = Path(__file__).parent
SONDE = (sys.executable, "-m", "sonde", "contexts")
SCRIPT = str(HERE / "workloads" / "extension_calls.py")
CALLS = ("leaf", "inner", "python")
WAYS = {"probes alone": None, "counted": ("--exact", "--no-time"), "timed": ("--exact",)}


def build(folder: Path) -> None:
    """The module twice: in `plain` and in `probed`."""
    words = ["cc", "-shared", "-fPIC", "-O2", f"-I{sysconfig.get_path('include')}", str(HERE / "workloads" / "leaf.c")]
    for name, before in (("plain", ()), ("probed", (*SONDE, "--build", "--"))):
        (folder / name).mkdir()
        subprocess.run([*before, *words, "-o", str(folder / name / "leaf.so")], check=True, capture_output=True)


def seconds(folder: Path, calls: str, way: str) -> float:
    """CPU seconds of the calls.

    Args:
        way: of `WAYS`; `alone` is the module without probes, and nothing measured.
    """
    options = WAYS.get(way)
    measuring = () if options is None else (*SONDE, "--quiet", "--force", "-o", str(folder / "run.sonde"), *options)
    start = [*measuring, SCRIPT] if measuring else [sys.executable, SCRIPT]
    module = "plain" if way == "alone" else "probed"
    environment = {"PYTHONPATH": str(folder / module), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([*start, calls], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    order = random.Random(0)
    cells = [(calls, way) for calls in CALLS for way in ("alone", *WAYS)]
    found: dict[tuple[str, str], list[float]] = {cell: [] for cell in cells}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        for _ in range(rounds):
            for cell in order.sample(cells, len(cells)):
                found[cell].append(seconds(folder, *cell))
    print(f"Python {platform.python_version()}, {rounds} rounds: to the program alone, median [95% interval]")
    for calls in CALLS:
        for way in WAYS:
            print(f"  {calls:8} {way:13} {ratio(found[calls, way], found[calls, 'alone'])}")


if __name__ == "__main__":
    main()
