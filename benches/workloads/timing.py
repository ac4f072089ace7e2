"""How workloads time themselves, with or without a profiler around them."""

import os
import time
from collections.abc import Callable

ITERATIONS = 12
MEAN_ITERATIONS = 40


def best_cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of several iterations, after one that warms up.

    With `SONDE_BENCH=mean` in the environment, the mean of more iterations: a profiler that looks in
    bursts does not look at the fastest one.
    """
    work()
    seconds = []
    is_mean = os.environ.get("SONDE_BENCH") == "mean"
    for _ in range(MEAN_ITERATIONS if is_mean else ITERATIONS):
        start = time.thread_time()
        work()
        seconds.append(time.thread_time() - start)
    return sum(seconds) / len(seconds) if is_mean else min(seconds)
