"""Hot contexts against the exact tree, on the recorded calls of a real program: time, memory, accuracy.

    python benches/bench_hot.py [--files 300] [--only-write] [--rounds 5] [--trace FILE]

Records the standard library working on itself (or takes a trace that is there), then replays it: decoding alone,
the exact tree, what is hot by time and by calls, lazy Space-Saving, bursts. Each round replays every alternative once,
in random order; a ratio compares with the exact tree in the same round, decoding included in both. With
the package `datasketches` installed, its frequent-items sketch is fed with the numbers of the contexts called, for
comparison: it has no tree.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path

from ratios import ratio
from sonde._native import ContextTree, HotTree, Recorded
from sonde.instruments.contexts.analyses import RecordedContexts
from sonde.instruments.contexts.hotness import HotLimits, hot_limits
from sonde.instruments.contexts.profile import Run
from sonde.instruments.contexts.profile.comparison import Accuracy, accuracy
from sonde.options.bursts import Bursts
from sonde.trace import TraceReader

WORKLOAD = Path(__file__).with_name("workloads") / "standard_library.py"
LIMITS = hot_limits("time")
BURSTS = Bursts(interval_ns=20_000_000, burst_ns=2_000_000, one_in=0)
TREES: dict[str, Callable[[], ContextTree] | None] = {
    "decoding alone": None,
    "exact": ContextTree,
    "hot by time": lambda: HotTree("time", LIMITS.counters, LIMITS.nodes),
    "hot by calls": lambda: HotTree("calls", LIMITS.counters, LIMITS.nodes),
    "lazy Space-Saving": lambda: HotTree("calls", LIMITS.counters, LIMITS.nodes, True),
}
ANSWERS: dict[str, tuple[HotLimits, Bursts | None]] = {
    "hot by time": (LIMITS, None),
    "hot by calls": (hot_limits("calls"), None),
    "lazy Space-Saving": (hot_limits("calls", space_saving=True), None),
    "bursts, by time": (LIMITS, BURSTS),
    "bursts, by calls": (hot_limits("calls"), BURSTS),
}


def record(path: Path, files: int | None, *, only_write: bool) -> None:
    """Record the workload."""
    words = [sys.executable, "-m", "sonde", "contexts", "--quiet", "-o", str(path.with_suffix(".sonde"))]
    most = [*([] if files is None else [str(files)]), *(["--only-write"] if only_write else [])]
    subprocess.run([*words, "--record", str(path), str(WORKLOAD), *most], check=True)


def replay(path: Path, make: Callable[[], ContextTree] | None) -> tuple[float, int, ContextTree | None]:
    """Seconds, events and the tree of one replay."""
    reader, part = TraceReader(path), Recorded(1 << 15)
    tree = make() if make else None
    start = time.perf_counter()
    while part.read(reader.native) == 0:
        if tree is not None:
            tree.feed_recorded(part, reader.note_functions(), None)
    return time.perf_counter() - start, reader.native.events, tree


def compare_speed(path: Path, rounds: int) -> None:
    """Time per event, ratio to the exact tree, memory."""
    seconds: dict[str, list[float]] = {name: [] for name in TREES}
    trees: dict[str, ContextTree | None] = {}
    order, events = random.Random(0), 0
    for _ in range(rounds):
        for name, make in order.sample(list(TREES.items()), len(TREES)):
            trees[name] = None  # two large trees at once would be unfair to both
            elapsed, events, trees[name] = replay(path, make)
            seconds[name].append(elapsed)
    exact = trees["exact"]
    assert exact is not None
    size = path.stat().st_size
    print(f"{events:,} events, {size / events:.2f} bytes each, {exact.nodes:,} contexts")
    for name, times in seconds.items():
        tree = trees[name]
        kept = f"{100 * tree.nodes / exact.nodes:6.2f}% of nodes {tree.size_bytes >> 10:8,} KiB" if tree else ""
        middle = 1e9 * statistics.median(times) / events
        print(f"  {name:18} {middle:5.1f} ns per event   {ratio(times, seconds['exact'])!s:20} {kept}")


def compare_answers(path: Path) -> None:
    """Accuracy against the exact tree of the same trace."""
    exact = RecordedContexts(TraceReader(path))
    exact.replay()
    truth = exact.snapshot(Run(clock=exact.clock))
    print("  accuracy             avg error  max error  false +  missed  overlap  all covered from tau (2 tau~)")
    for name, (hot, bursts) in ANSWERS.items():
        contexts = RecordedContexts(TraceReader(path), hot, bursts)
        contexts.replay()
        print(f"  {name:18} {_in_words(accuracy(truth, contexts.snapshot(Run(clock=exact.clock))))}")


def _in_words(of: Accuracy) -> str:
    wrong = of.false_positives / max(1, of.tree_contexts)
    return (
        f"{of.average_error:10.2%} {of.max_error:10.2%} {wrong:8.2%} {of.missed_contexts:7} {of.overlap:8.1%}"
        f"  {of.full_coverage_tau:.5f} ({2 * of.guaranteed_tau:.5f})"
    )


def compare_with_datasketches(path: Path) -> None:
    """Nanoseconds per update of Apache DataSketches' sketch, on the same sequence of contexts."""
    try:
        import datasketches  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        print("  datasketches is not installed: no comparison with it")
        return
    calls = _called_functions(path, 1_000_000)
    sketch = datasketches.frequent_items_sketch(16)
    start = time.perf_counter_ns()
    for function in calls:
        sketch.update(function)
    print(f"  datasketches {(time.perf_counter_ns() - start) / len(calls):.0f} ns per update, called from Python")


def _called_functions(path: Path, most: int) -> "array[int]":
    called = array("Q")
    for batch in TraceReader(path).batches():
        pairs = zip(batch.kind, batch.function, batch.call_line, strict=True)
        called.extend(function << 32 | line for kind, function, line in pairs if kind == 1)
        if len(called) >= most:
            break
    return called[:most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, help="files of the standard library (default: all)")
    parser.add_argument(
        "--only-write", action="store_true", help="neither copy nor dump: fewer calls, as many contexts"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trace", type=Path, help="replay this trace instead of recording one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.trace or Path(folder) / "standard_library.trace"
        if arguments.trace is None:
            record(path, arguments.files, only_write=arguments.only_write)
        compare_speed(path, arguments.rounds)
        compare_answers(path)
        compare_with_datasketches(path)


if __name__ == "__main__":
    main()
