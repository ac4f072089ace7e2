"""What `sonde bench` adds to one invocation of a program, and to one iteration of a function.

    python benches/bench_invocation.py [--rounds 200]

Invocations of `true`, in turns: fork, exec and wait in C (`workloads/spawn_twin.c`, needs a C compiler); `run_command`
without and with counters; Python's `subprocess`; hyperfine, where it is installed. To reach: `run_command` takes at
most 2 ms longer than C does. Also how far the value that is measured is from that of C.

Iterations of a function that does nothing, in turns with `timeit`, and with pyperf where it is installed: what is in a
value besides the call, and what passes between two values. To reach: 1 microsecond.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from ratios import median_interval
from sonde.instruments.bench.invocations import Command, SteadyCall, run_command, run_steady

TWIN = Path(__file__).with_name("workloads") / "spawn_twin.c"
PROGRAM = "def nothing(): pass\n"
FEW, MANY = 10_000, 210_000
RUNS_OF_HYPERFINE = 10
_SECONDS = {"nsec": 1e-9, "usec": 1e-6, "ns": 1e-9, "us": 1e-6}


class Twin:
    """The loop in C, which runs the program whenever it is asked."""

    def __init__(self, folder: Path, program: str) -> None:
        compiler = shutil.which("cc") or shutil.which("gcc") or sys.exit("a C compiler is needed")
        path = folder / "spawn_twin"
        subprocess.run([compiler, "-O2", TWIN, "-o", path], check=True)
        self._process = subprocess.Popen([path, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self) -> float:
        """Seconds."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline()) / 1e9

    def end(self) -> None:
        self._process.communicate()


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def say(name: str, values: list[float], unit: str, factor: float) -> None:
    low, high = median_interval(values)
    print(f"  {name:52} {statistics.median(values) * factor:8.3f} [{low * factor:.3f}, {high * factor:.3f}] {unit}")


def invocations(rounds: int, folder: Path) -> None:
    program = shutil.which("true") or "/bin/true"
    twin, command = Twin(folder, program), Command((program,))
    hyperfine = shutil.which("hyperfine")
    kinds: dict[str, Callable[[], float]] = {
        "run_command": lambda: timed(lambda: run_command(command)),
        "run_command, without counters": lambda: timed(lambda: run_command(command, counters=False)),
        "subprocess.run": lambda: timed(lambda: subprocess.run([program], check=True)),
        "the value that run_command measures": lambda: float(run_command(command).values[0]),
    }
    if hyperfine:
        words = [hyperfine, "-N", "--warmup", "0", "--runs", str(RUNS_OF_HYPERFINE), "--style", "none", program]
        kinds["hyperfine -N, for each run"] = lambda: (
            timed(lambda: subprocess.run(words, check=True, capture_output=True)) / RUNS_OF_HYPERFINE
        )
    base: list[float] = []
    added: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        base.append(twin.run())
        for name, run in kinds.items():
            added[name].append(run() - base[-1])
    twin.end()
    print(f"invocations of `true`, {rounds} rounds: medians with 95% intervals")
    say("fork, exec and wait in C", base, "ms", 1e3)
    for name, values in added.items():
        say(f"longer than that: {name}", values, "ms", 1e3)


def iterations(rounds: int, folder: Path) -> None:
    (folder / "idle_program.py").write_text(PROGRAM)
    call = SteadyCall("idle_program:nothing", folder=folder)
    words = [sys.executable, "-m", "timeit", "-n", "1000000", "-r", "1", "-s", PROGRAM, "nothing()"]
    pyperf_words = [
        sys.executable,
        "-m",
        "pyperf",
        "timeit",
        "-p",
        "1",
        "-w",
        "1",
        "-n",
        "20",
        "-s",
        PROGRAM,
        "nothing()",
    ]
    has_pyperf = find_spec("pyperf") is not None
    single, looped, timeit, pyperf, between = [], [], [], [], []
    for _ in range(rounds):
        values = run_steady(call, iterations=(FEW, FEW), loops=1).values
        single.append(float(statistics.median(values.tolist())))
        looped.append(float(statistics.median(run_steady(call, iterations=(10, 10)).values.tolist())))
        done = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        number, unit = (
            done.split("best of 1: ")[1].split()[:2] if "best of 1" in done else done.split(": ")[1].split()[:2]
        )
        timeit.append(float(number) * _SECONDS[unit])
        if has_pyperf:
            done = subprocess.run(pyperf_words, check=True, capture_output=True, text=True).stdout
            number, unit = done.split("dev: ")[1].split()[:2]
            pyperf.append(float(number) * _SECONDS[unit])
        few, many = (
            run_steady(call, iterations=(count, count), loops=1, counters=False).process for count in (FEW, MANY)
        )
        whole = (many["user"] + many["system"] - few["user"] - few["system"]) / (MANY - FEW)
        between.append(whole - single[-1])
    print(f"iterations of a function that does nothing, {rounds} rounds: medians with 95% intervals")
    say("timeit, a call", timeit, "ns", 1e9)
    if pyperf:
        say("pyperf, a call", pyperf, "ns", 1e9)
    say("sonde, a call of many for each value", looped, "ns", 1e9)
    say(
        "sonde, one call for each value: more than timeit",
        [a - b for a, b in zip(single, timeit, strict=True)],
        "ns",
        1e9,
    )
    say("sonde, between two values", between, "ns", 1e9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        invocations(rounds, Path(folder))
        iterations(max(5, rounds // 10), Path(folder))


if __name__ == "__main__":
    main()
