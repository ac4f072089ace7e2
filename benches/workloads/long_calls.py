"""Calls of C code of some 30 us each: with `--clock cpu`, the system is asked at every one of them."""

from timing import best_cpu_seconds


def step(data: range) -> int:
    return sum(data)


def run(steps: int) -> int:
    data, total = range(2500), 0
    for _ in range(steps):
        total += step(data)
    return total


print(best_cpu_seconds(lambda: run(3000)))
