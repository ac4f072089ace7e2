"""Stands in for pyperf, whose processes would hide what a profiler costs: a program of pyperformance that
imports this runs its work here, for a while, and prints the CPU seconds of the fastest turn."""

import argparse
import time
from collections.abc import Callable

perf_counter = time.perf_counter
CPU_SECONDS = 1.0
LEAST_TURNS = 3


class Runner:
    def __init__(self, **_options: object) -> None:
        self.metadata: dict[str, object] = {}
        self.argparser = argparse.ArgumentParser()

    def parse_args(self) -> argparse.Namespace:
        return self.argparser.parse_args([])

    def bench_func(self, _name: str, work: Callable[..., object], *arguments: object) -> None:
        seconds: list[float] = []
        while sum(seconds) < CPU_SECONDS or len(seconds) < LEAST_TURNS:
            start = time.thread_time()
            work(*arguments)
            seconds.append(time.thread_time() - start)
        print(min(seconds))

    def bench_time_func(self, name: str, work: Callable[..., object], *arguments: object) -> None:
        self.bench_func(name, work, 1, *arguments)
