"""What it costs that functions of Python programs count their paths.

    python benches/bench_paths_python.py [--rounds 9] [--python PYTHON --package FOLDER] [--events] [--bursts]
        [workload ...]

Each round is a fresh process that has a workload twice, with probes and without (code whose file begins with `<` is not
the program's own), and runs them in turns; its ratio is the median of the pairs' in CPU time. `numloop` is a loop of
integers with two `if`s; the others are modules of the standard library, all of whose functions have probes.

For another Python than this one, FOLDER has sonde with the agent for it, as `tests/python_paths.py` makes it, but
optimised. `--events` follows by events what would be rewritten (3.12, 3.13), `--bursts` counts for 2 ms in every 20 ms.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import sonde
from ratios import median_interval
from sonde.instruments.paths.sources.cpython import PathRun, read_counted_run
from sonde.instruments.paths.sources.cpython.running import environment_with_probes
from sonde.launch.burst_clock import BurstClock
from sonde.options.bursts import Bursts

_MOST_NODES = 1 << 22
_BURSTS = Bursts(20_000_000, 2_000_000)
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
DRIVER = """
import time
def alternate(text, path, pairs):
    runs = []
    for name in ("<plain>", path):
        names = {{"__name__": "workload", "__file__": path}}
        exec(compile(text, name, "exec"), names)
        runs.append(names["run"])
    for run in runs * 3:
        run()
    ratios = []
    for pair in range(pairs):
        took = [0, 0]
        for which in ((0, 1), (1, 0))[pair % 2]:
            start = time.thread_time()
            runs[which]()
            took[which] = time.thread_time() - start
        ratios.append(took[1] / took[0])
    return sorted(ratios)[pairs // 2]
with open({path!r}, encoding="utf-8") as file:
    print(alternate(file.read(), {path!r}, {pairs}))
"""


def text_of(workload: str, library: Path) -> str:
    """A workload, which defines `run`."""
    if workload == "numloop":
        return NUMLOOP
    text = (library / f"{workload}.py").read_text(encoding="utf-8")
    return text.partition("\nif __name__ ==")[0] + MODULES[workload]


def measure(python: str, package: Path, driver: Path, asked: PathRun, bursts: Bursts | None) -> float:
    """With probes to without, in one process."""
    with tempfile.TemporaryDirectory() as folder, BurstClock(Path(folder), bursts):
        environment = environment_with_probes(Path(folder), asked, package)
        done = subprocess.run([python, driver], capture_output=True, text=True, check=True, env=environment)
        counted = read_counted_run(Path(folder), asked.k, _MOST_NODES)
    assert any(routine.function.name == "run" for routine in counted.routines)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--package", type=Path, default=Path(sonde.__file__).parent)
    parser.add_argument("--events", action="store_true")
    parser.add_argument("--bursts", action="store_true")
    parser.add_argument("workloads", nargs="*", default=["numloop", *MODULES])
    arguments = parser.parse_args()
    asked = "import os, platform; print(os.path.dirname(os.__file__)); print(platform.python_version())"
    told = subprocess.run([arguments.python, "-c", asked], capture_output=True, text=True, check=True).stdout
    library, version = told.split("\n")[:2]
    print(f"Python {version}, {arguments.rounds} rounds: to no probes, median [95% interval]")
    for workload in arguments.workloads:
        with tempfile.TemporaryDirectory() as folder:
            text, driver = Path(folder, "workload.py"), Path(folder, "driver.py")
            text.write_text(text_of(workload, Path(library)), encoding="utf-8")
            driver.write_text(DRIVER.format(path=str(text), pairs=arguments.pairs), encoding="utf-8")
            ratios: dict[int, list[float]] = {k: [] for k in KS}
            for _ in range(arguments.rounds):
                for k in KS:
                    run = PathRun(k, _MOST_NODES, by_events=arguments.events)
                    bursts = _BURSTS if arguments.bursts else None
                    ratios[k].append(measure(arguments.python, arguments.package, driver, run, bursts))
        for k in KS:
            low, high = median_interval(ratios[k])
            print(f"  {workload:14} k = {k}  {statistics.median(ratios[k]):.2f} [{low:.2f}, {high:.2f}]", flush=True)


if __name__ == "__main__":
    main()
