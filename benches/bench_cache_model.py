"""How many references a second the cache model takes, by what they hit.

    python benches/bench_cache_model.py          about half a minute

Medians of rounds with a 95 % interval, one core, times of that process on the processor; the hierarchy is that of a
common server: 32K,8,64 for both first levels, 1M,16,64 below. The peers are given as ratios of interleaved rounds:
the plain Python twin; pycachesim (a simulator in C, called once for each reference), if installed; and cachegrind on a
program that does little but load, if valgrind and a C compiler are there. Cachegrind runs the program as well, so that
its time is taken less that of valgrind without a tool (`--tool=none`).
"""

import importlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ratios import median_interval, ratio
from sonde.base.cache_geometry import CacheSettings, parse_geometry
from sonde.native import CacheModel
from sonde.native.reference_cache import ReferenceCacheModel

L1, L2 = parse_geometry("32K,8,64"), parse_geometry("1M,16,64")
REFERENCES, ROUNDS = 1 << 19, 15
PEER_REFERENCES, PEER_ROUNDS = 1 << 15, 9
LOADS = 64_000_000
PROGRAM = """
#include <stdio.h>
static volatile long numbers[2048];
int main(void) {
    for (long turn = 0; turn < %d / 2048; turn++)
        for (int i = 0; i < 2048; i += 8) {
            numbers[i]; numbers[i + 1]; numbers[i + 2]; numbers[i + 3];
            numbers[i + 4]; numbers[i + 5]; numbers[i + 6]; numbers[i + 7];
        }
    return 0;
}
"""


def patterns() -> Iterator[tuple[str, "array[int]"]]:
    """What is referred to: name, addresses."""
    draw = random.Random(1)
    size = L1.size_bytes
    yield "sweep of 32 KiB by 8 bytes: hits", array("Q", (at * 8 % size for at in range(REFERENCES)))
    near = (draw.randrange(size) for _ in range(REFERENCES // 8))
    yield "random lines of 32 KiB, 8 times each: hits", array("Q", (at & ~63 | k * 8 for at in near for k in range(8)))
    yield "random in 32 KiB: hits", array("Q", (draw.randrange(size) for _ in range(REFERENCES)))
    yield "sweep of 64 MiB by 8 bytes: 1/8 misses all", array("Q", (at * 8 for at in range(REFERENCES)))
    yield "random in 512 KiB: 15/16 miss L1", array("Q", (draw.randrange(16 * size) for _ in range(REFERENCES)))
    yield "random in 64 MiB: nearly all miss both", array("Q", (draw.randrange(64 << 20) for _ in range(REFERENCES)))


def hierarchy(**more: Any) -> CacheSettings:
    """The caches that are modelled."""
    return CacheSettings(L1, (L1, L2), **more)


def processor_seconds(run: Callable[[], object]) -> float:
    """How long it takes, without what other processes take."""
    start = time.process_time()
    run()
    return time.process_time() - start


def millions(count: int, times: Sequence[float]) -> str:
    """References a second: median and interval."""
    rates = [count / seconds / 1e6 for seconds in times]
    low, high = median_interval(rates)
    return f"{statistics.median(rates):.1f} [{low:.1f}, {high:.1f}]"


def speeds() -> Iterator[str]:
    """The core, by pattern and settings."""
    kinds: dict[str, dict[str, Any]] = {
        "LRU": {},
        "PLRU": {"policy": "plru"},
        "random": {"policy": "random"},
        "inclusive": {"inclusion": "inclusive"},
        "exclusive": {"inclusion": "exclusive"},
        "LRU, classified": {"classify": True},
    }
    yield f"| M references/s | {' | '.join(kinds)} |"
    yield "|---" * (len(kinds) + 1) + "|"
    for name, addresses in patterns():
        models = [CacheModel(hierarchy(**more)) for more in kinds.values()]
        times: list[list[float]] = [[] for _ in models]
        for number in range(ROUNDS + 1):
            for model, of_model in zip(models, times, strict=True):
                seconds = processor_seconds(lambda: model.access(addresses))  # noqa: B023
                of_model.extend([seconds] if number else [])  # in the first round caches are empty
        yield f"| {name} | {' | '.join(millions(REFERENCES, of_model) for of_model in times)} |"


def peers() -> Iterator[tuple[str, Callable[["array[int]"], object]]]:
    """Other simulators, and ours called once for each reference."""
    twin = ReferenceCacheModel(hierarchy())
    yield "the twin in Python", twin.access
    try:
        cachesim = importlib.import_module("cachesim")
    except ImportError:
        return
    memory = cachesim.MainMemory()
    below = cachesim.Cache("L2", L2.sets, L2.ways, L2.line_bytes, "LRU")
    first = cachesim.Cache("L1", L1.sets, L1.ways, L1.line_bytes, "LRU", store_to=below, load_from=below)
    memory.load_to(below)
    memory.store_from(below)
    simulator = cachesim.CacheSimulator(first, memory)

    def each(addresses: "array[int]") -> None:
        for address in addresses:
            simulator.load(address)

    yield "pycachesim, a call for each", each


def against_peers() -> Iterator[str]:
    """Ratios of interleaved rounds."""
    addresses = dict(patterns())["sweep of 32 KiB by 8 bytes: hits"][:PEER_REFERENCES]
    many = addresses * (REFERENCES // PEER_REFERENCES)
    yield "| sweep of 32 KiB by 8 bytes | M references/s | times slower than ours |"
    yield "|---|---|---|"
    for name, run in peers():
        ours, theirs = CacheModel(hierarchy()), run
        of_ours, of_theirs = [], []
        for _ in range(PEER_ROUNDS):
            of_theirs.append(processor_seconds(lambda: theirs(addresses)) / len(addresses))  # noqa: B023
            of_ours.append(processor_seconds(lambda: ours.access(many)) / len(many))  # noqa: B023
        yield f"| {name} | {millions(1, of_theirs)} | {ratio(of_theirs, of_ours)} |"


def against_cachegrind() -> Iterator[str]:
    """Cachegrind on loads and instructions, ours on as many references of both kinds."""
    compiler = shutil.which("cc")
    if not compiler or not shutil.which("valgrind"):
        yield "cachegrind: not measured, valgrind or a C compiler is missing"
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loads"
        source = program.with_suffix(".c")
        source.write_text(PROGRAM % LOADS)
        subprocess.run([compiler, "-O1", "-w", "-o", program, source], check=True)
        options = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"]
        cachegrind = ["valgrind", "--tool=cachegrind", *options, f"--cachegrind-out-file={folder}/counts", str(program)]
        bare = ["valgrind", "--tool=none", str(program)]
        addresses = array("Q", (at * 8 % (16 << 10) for at in range(REFERENCES)))
        fetches = array("B", (2 * (at % 2) for at in range(REFERENCES)))
        model = CacheModel(hierarchy())
        of_ours, of_theirs = [], []
        for _ in range(5):
            with_tool, without = (command_seconds(command) for command in (cachegrind, bare))
            counted = events((Path(folder) / "counts").read_text())
            of_theirs.append((with_tool - without) / (counted["Ir"] + counted["Dr"] + counted["Dw"]))
            of_ours.append(processor_seconds(lambda: model.access(addresses, None, fetches)) / REFERENCES)
    yield f"| cachegrind, in a program of loads | {millions(1, of_theirs)} | {ratio(of_theirs, of_ours)} |"


def command_seconds(command: list[str]) -> float:
    """Processor time of a command."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True)"
    script += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)"
    run = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True)
    return float(run.stdout)


def events(text: str) -> dict[str, int]:
    """The sums in a file of cachegrind."""
    lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    return dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))


if __name__ == "__main__":
    for part in (speeds, against_peers, against_cachegrind):
        for line in part():
            print(line, flush=True)
