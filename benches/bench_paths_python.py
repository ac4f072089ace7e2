"""What it costs that functions of Python programs count their paths.

    python benches/bench_paths_python.py [--rounds 15] [--python PYTHON --package FOLDER] [workload ...]

Each round runs a workload without probes, with k = 1 and with k = 8, in fresh processes and in random order; it reports
the CPU time of its fastest iteration. A ratio compares with the run without probes of the same round. `numloop` is a
loop of integers with two `if`s; the others are modules of the standard library, all of whose functions have probes.

For another Python than this one, FOLDER has sonde with the agent for it, as `tests/python_paths.py` makes it.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import sonde
from ratios import ratio
from sonde.instruments.paths.sources.cpython import PathRun
from sonde.instruments.paths.sources.cpython.running import environment_with_probes

_MOST_NODES = 1 << 22
KS = (1, 8)

NUMLOOP = """
def run():
    total = 0
    for i in range(100_000):
        if i % 3 == 0:
            total += i
        else:
            total -= 1
        if total % 7 == 1:
            total += 2
    return total
"""
MODULES = {
    "ast": """
import inspect, json.decoder
source = inspect.getsource(json.decoder)
def run():
    return unparse(parse(source))
""",
    "difflib": """
a, b = [f"line {i * i % 7}" for i in range(60)], [f"line {i * i % 5}" for i in range(66)]
def run():
    return list(unified_diff(a, b)), list(ndiff(a[:25], b[:25]))
""",
    "textwrap": """
text = "The quick brown fox-jumps over the lazy dog; " * 60
def run():
    return [wrap(text, width) for width in (20, 40, 70)]
""",
    "tokenize": """
import io, json.decoder, inspect
source = inspect.getsource(json.decoder)
def run():
    return list(generate_tokens(io.StringIO(source).readline))
""",
    "json/encoder": """
data = {"list": [{"a": i, "b": [1.5, None, True], "c": "text"} for i in range(300)]}
c_make_encoder = None
def run():
    return JSONEncoder(indent=1).encode(data)
""",
    "dis": """
import json.encoder, argparse
def run():
    methods = [each for each in vars(argparse.ArgumentParser).values() if hasattr(each, "__code__")]
    return [list(get_instructions(each)) for each in methods]
""",
}
TIMED = """
def _timed():
    import time
    best = None
    for _ in range({iterations}):
        start = time.thread_time()
        run()
        took = time.thread_time() - start
        best = took if best is None or took < best else best
    print(best)
_timed()
"""


def program_of(workload: str, library: Path, iterations: int) -> str:
    """The text of a workload."""
    timed = TIMED.format(iterations=iterations)
    if workload == "numloop":
        return NUMLOOP + timed
    text = (library / f"{workload}.py").read_text(encoding="utf-8")
    return text.partition("\nif __name__ ==")[0] + MODULES[workload] + timed


def measure(python: str, package: Path, program: Path, rounds: int) -> dict[int, list[float]]:
    """CPU seconds by k; 0: without probes."""
    order, seconds = random.Random(0), {k: list[float]() for k in (0, *KS)}
    for _ in range(rounds):
        for k in order.sample(sorted(seconds), len(seconds)):
            with tempfile.TemporaryDirectory() as folder:
                asked = PathRun(k, _MOST_NODES)
                environment = environment_with_probes(Path(folder), asked, package) if k else dict(os.environ)
                done = subprocess.run([python, program], capture_output=True, text=True, check=True, env=environment)
                assert bool(list(Path(folder).glob("*.paths"))) == bool(k)
            seconds[k].append(float(done.stdout))
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--iterations", type=int, default=9)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--package", type=Path, default=Path(sonde.__file__).parent)
    parser.add_argument("workloads", nargs="*", default=["numloop", *MODULES])
    arguments = parser.parse_args()
    asked = "import os, platform; print(os.path.dirname(os.__file__)); print(platform.python_version())"
    told = subprocess.run([arguments.python, "-c", asked], capture_output=True, text=True, check=True).stdout
    library, version = told.split("\n")[:2]
    print(f"Python {version}, {arguments.rounds} rounds: to no probes, median [95% interval]")
    for workload in arguments.workloads:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program.py")
            program.write_text(program_of(workload, Path(library), arguments.iterations), encoding="utf-8")
            seconds = measure(arguments.python, arguments.package, program, arguments.rounds)
        for k in KS:
            print(f"  {workload:14} k = {k}  {ratio(seconds[k], seconds[0])}", flush=True)


if __name__ == "__main__":
    main()
