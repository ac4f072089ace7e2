"""What `sonde memory` costs, against the program alone, `valgrind --tool=none` and cachegrind.

    python benches/bench_memory.py [--rounds 7] [--small 20000] [--large 200000]      ten minutes
    python benches/bench_memory.py --short                                           two

A program of CPython (`workloads/linked_and_dicts.py`) is run with a short and a long list by each of them in every
round, in changing order. What is compared is the processor's user time of the whole command: of the longer run, and of
what the longer run takes more than the shorter one, in which the interpreter's start has no part. Also: what that is
for each access; and what a client request costs, from a loop in C with and without (`workloads/requests.c`).

To reach: 10 ns for each access and 40 times the program's time with everything told apart, 14 times when accesses are
only counted; 100 ns a request. What the cache model alone does is asked by `bench_cache_model.py`; whether misses are
those of cachegrind, by `tests/integration/test_memory_against_cachegrind.py`.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from ratios import median_interval, ratio
from sonde.instruments.memory.profile import MemoryProfile, read_memory_profile

WORKLOADS = Path(__file__).with_name("workloads")
CORE = Path(__file__).parents[1] / "native" / "core"
PROGRAM = WORKLOADS / "linked_and_dicts.py"
OURS = ("--i1", "32K,8,64", "--l1", "32K,8,64", "--l2", "1M,16,64", "--levels", "2")
CACHEGRIND = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64")
NATIVE, NONE, CACHES, FULL, COUNTS = (
    "alone",
    "valgrind --tool=none",
    "cachegrind",
    "sonde memory",
    "sonde memory --count-only",
)
ALONE_RUNS = 5
"""The program alone is so fast that one run says little."""
REQUESTS = 10_000_000


class Sizes(NamedTuple):
    """Of the workload: length of its list."""

    small: int
    large: int


def user_seconds(command: Sequence[str]) -> float:
    """User time of a command and of what it starts.

    Raises:
        SystemExit: it failed.
    """
    with tempfile.TemporaryFile() as told:
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=told)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        if run.returncode:
            told.seek(0)
            sys.exit(f"{' '.join(command)}: {told.read().decode(errors='replace')}")
    return usage.ru_utime


def commands(folder: Path, length: int) -> dict[str, list[str]]:
    """What is compared, by name."""
    program = [sys.executable, str(PROGRAM), str(length)]
    sonde = [sys.executable, "-m", "sonde", "memory"]
    valgrind = ["valgrind", "--quiet"]
    caches = [*valgrind, "--tool=cachegrind", *CACHEGRIND, f"--cachegrind-out-file={folder}/counts", *program]
    kept = ["--quiet", "--force", "-o", profile_of(folder, length)]
    return {
        NATIVE: program,
        NONE: [*valgrind, "--tool=none", *program],
        CACHES: caches,
        FULL: [*sonde, *kept, *OURS, *program[1:]],
        COUNTS: [*sonde, "--count-only", *program[1:]],
    }


def profile_of(folder: Path, length: int) -> str:
    return str(folder / f"{length}.sonde")


def measure(folder: Path, sizes: Sizes, rounds: int) -> dict[str, dict[int, list[float]]]:
    """User seconds of each alternative and length, one for each round."""
    draw = random.Random(0)
    made = {length: commands(folder, length) for length in sizes}
    for command in (made[sizes.small][FULL], made[sizes.small][COUNTS]):
        user_seconds(command)  # the first run of a tool builds it
    seconds: dict[str, dict[int, list[float]]] = {name: {length: [] for length in sizes} for name in made[sizes.small]}
    for _ in range(rounds):
        for name, length in draw.sample(turns := [(name, length) for name in seconds for length in sizes], len(turns)):
            times = [user_seconds(made[length][name]) for _ in range(ALONE_RUNS if name == NATIVE else 1)]
            seconds[name][length].append(median(times))
    return seconds


def show_program(folder: Path, sizes: Sizes, rounds: int) -> None:
    """The vertical profile, and counters only."""
    seconds = measure(folder, sizes, rounds)
    more = {
        name: [long - short for short, long in zip(of[sizes.small], of[sizes.large], strict=True)]
        for name, of in seconds.items()
    }
    short, long = (read_memory_profile(Path(profile_of(folder, length))) for length in sizes)
    accesses = long.accesses - short.accesses
    print(f"{PROGRAM.name} with {sizes.small:,} and {sizes.large:,}; {rounds} rounds; user time")
    print(f"{long.accesses:,} accesses of the longer run, {accesses:,} more than of the shorter")
    print(
        "| | whole command, longer run | against alone | what it takes more than the shorter | against alone |", end=""
    )
    print(" against none | against cachegrind |\n|---|---|---|---|---|---|---|")
    for name, times in more.items():
        whole = seconds[name][sizes.large]
        ratios = (ratio(times, more[peer]) for peer in (NATIVE, NONE, CACHES))
        against = " | ".join(map(str, (f"{median(times):.2f} s", *ratios)))
        print(f"| {name} | {median(whole):.2f} s | {ratio(whole, seconds[NATIVE][sizes.large])} | {against} |")
    for name, times in more.items():
        show(f"{name}, for each access", [1e9 * each / accesses for each in times], "ns")
    native = [1e9 * each / accesses for each in more[NATIVE]]
    ours = [1e9 * each / accesses for each in more[FULL]]
    show("added by sonde memory, for each access", [each - of for each, of in zip(ours, native, strict=True)], "ns")
    print(f"client requests: {1000 * requests_per_access(short, long):.1f} for 1,000 accesses")


def requests_per_access(short: MemoryProfile, long: MemoryProfile) -> float:
    """How often the agent speaks to the tool while the program runs."""
    return (long.totals["requests"] - short.totals["requests"]) / (long.accesses - short.accesses)


def show_requests(folder: Path, rounds: int) -> None:
    """A loop in C, with requests and without."""
    compiler = shutil.which("cc") or sys.exit("a C compiler is needed")
    program = folder / "requests"
    subprocess.run([compiler, "-O2", f"-I{CORE}", "-o", program, WORKLOADS / "requests.c"], check=True)
    loop = [str(program), str(REQUESTS)]
    sonde = [sys.executable, "-m", "sonde", "memory", "--quiet", "--force", "-o", str(folder / "requests.sonde"), *OURS]
    made = {NATIVE: loop, NONE: ["valgrind", "--quiet", "--tool=none", *loop], FULL: [*sonde, "--", *loop]}
    user_seconds(made[FULL])  # builds the tool, if need be
    costs: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(rounds):
        for name, command in made.items():
            costs[name].append(1e9 * (user_seconds([*command, "tell"]) - user_seconds(command)) / REQUESTS)
    for name, values in costs.items():
        show(f"client request, {name}", values, "ns")
    print(f"client request, against {NONE}: {ratio(costs[FULL], costs[NONE])}", flush=True)


def show(name: str, values: list[float], unit: str) -> None:
    low, high = median_interval(values)
    print(f"{name}: {median(values):.2f} [{low:.2f}, {high:.2f}] {unit}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--small", type=int, default=20_000, help="length of the list (default: %(default)s)")
    parser.add_argument("--large", type=int, default=200_000, help="length of the other list (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help="two rounds, of 20,000 and 80,000")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        parser.exit(3, "valgrind is not there\n")
    sizes = Sizes(20_000, 80_000) if arguments.short else Sizes(arguments.small, arguments.large)
    rounds = 2 if arguments.short else arguments.rounds
    with tempfile.TemporaryDirectory() as folder:
        show_requests(Path(folder), rounds)
        show_program(Path(folder), sizes, rounds)


if __name__ == "__main__":
    main()
