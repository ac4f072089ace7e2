"""How workloads time themselves, with or without a profiler around them."""

import time
from collections.abc import Callable

ITERATIONS = 12


def best_cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of several iterations, after one that warms up."""
    work()
    best = float("inf")
    for _ in range(ITERATIONS):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    return best
