"""What the forest of path sequences costs: by the shape of the stream and k, against two other ways.

    python benches/bench_paths.py          about two minutes

A stream is one activation of a million paths. Times are of the processor, medians of rounds with a 95 % interval;
others are ratios of interleaved rounds, on the same stream: the acyclic profile (k = 1), one hash table of all
sequences of up to k paths (`all_sequences.c`, compiled here), and the twin in Python on a part of the stream. Seeds are
fixed.
"""

import ctypes
import io
import random
import statistics
import subprocess
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

from ratios import median_interval, ratio
from sonde._native import SlabForest
from sonde.instruments.paths.sources.path_stream import PathStream
from sonde.native.reference_paths import ReferenceSlabForest

IDS, OF_TWIN, ROUNDS = 1_000_000, 10_000, 7
MOST_NODES, LITTLE = 1 << 25, 100_000
NO_MARKS = (array("Q", [0]), array("I", [0]))


def streams() -> Iterator[tuple[str, "array[int]"]]:
    """Streams by name."""
    draw = random.Random(1)
    yield "a loop of three paths", array("Q", [0, 1, 2] * (IDS // 3))
    yield "one path, now and then another (3 %)", array("Q", (draw.random() < 0.03 for _ in range(IDS)))
    yield "either of two, at random", array("Q", draw.choices(range(2), k=IDS))
    path, runs = 0, array("Q")
    for _ in range(IDS):
        path = path if draw.random() < 0.9 else draw.randrange(8)
        runs.append(path)
    yield "runs of eight paths", runs
    yield "any of four, at random", array("Q", draw.choices(range(4), k=IDS))
    yield "any of 1,024, at random", array("Q", draw.choices(range(1024), k=IDS))


def seconds(run: Callable[[], object]) -> float:
    """Processor time: others run here, too."""
    start = time.thread_time()
    run()
    return time.thread_time() - start


def fed(ids: "array[int]", k: int, most: int = MOST_NODES, *, prunes: bool = False) -> tuple[SlabForest, float]:
    """A forest of a stream, and how long that took."""
    forest = SlabForest(k, most, prunes)
    return forest, seconds(lambda: forest.stream(ids, *NO_MARKS))


def told(values: list[float], digits: int = 1) -> str:
    """Median and interval."""
    low, high = median_interval(values)
    return f"{statistics.median(values):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def hash_table() -> Callable[["array[int]", int], int]:
    """The hash table of all sequences, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "all_sequences.so"
        source = Path(__file__).with_name("all_sequences.c")
        subprocess.run(["cc", "-O3", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        count = ctypes.CDLL(str(library)).count_all_sequences
    count.restype, count.argtypes = ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32]
    return lambda ids, k: int(count(ids.buffer_info()[0], len(ids), k))


def table() -> Iterator[str]:
    """Rates and ratios."""
    all_sequences = hash_table()
    yield "| stream | k | million paths/s | nodes | / k = 1 | hash table / forest | twin / forest | conversion, ms |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, ids in streams():
        for k in (1, 2, 4, 8, 16):
            times: dict[str, list[float]] = {"forest": [], "acyclic": [], "table": [], "conversion": []}
            for _ in range(ROUNDS):
                forest, taken = fed(ids, k)
                times["forest"].append(taken)
                times["acyclic"].append(fed(ids, 1)[1])
                times["table"].append(seconds(lambda: all_sequences(ids, k)))  # noqa: B023
                times["conversion"].append(seconds(lambda: forest.rows(1, MOST_NODES)))  # noqa: B023
            part, of_twin = ids[:OF_TWIN], ReferenceSlabForest(k, MOST_NODES, False)
            slow = [seconds(lambda: of_twin.stream(part, *NO_MARKS)) for _ in range(3)]  # noqa: B023
            twin = statistics.median(slow) / OF_TWIN / (statistics.median(times["forest"]) / len(ids))
            rates = told([len(ids) / taken / 1e6 for taken in times["forest"]])
            yield (
                f"| {name} | {k} | {rates} | {forest.nodes:,} | {ratio(times['forest'], times['acyclic'])}"
                f" | {ratio(times['table'], times['forest'])} | {twin:.0f}"
                f" | {told([1e3 * taken for taken in times['conversion']])} |"
            )


def in_little_room() -> Iterator[str]:
    """What is lost, and what it costs, where a forest is full."""
    yield f"| stream, room for {LITTLE:,} nodes | k | million paths/s | / dropping | floor | dropped by the other |"
    yield "|---|---|---|---|---|---|"
    for name, ids in streams():
        for k in (4, 16):
            times: dict[bool, list[float]] = {True: [], False: []}
            for _ in range(ROUNDS):
                pruned, taken = fed(ids, k, LITTLE, prunes=True)
                times[True].append(taken)
                dropping, taken = fed(ids, k, LITTLE)
                times[False].append(taken)
            if not dropping.dropped:
                continue
            rates = told([len(ids) / taken / 1e6 for taken in times[True]])
            cost = ratio(times[True], times[False])
            yield f"| {name} | {k} | {rates} | {cost} | {pruned.floor:,} | {dropping.dropped:,} |"


def reading() -> str:
    """How fast text is read."""
    text = b"* f\n" + b"".join(b"%d\n" % (number % 1000) for number in range(IDS))
    rates = [IDS / seconds(lambda: list(PathStream(io.BytesIO(text), "text").batches())) / 1e6 for _ in range(ROUNDS)]
    return f"text of a stream is read at {told(rates)} million paths/s"


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
    for line in in_little_room():
        print(line, flush=True)
    print(reading())
