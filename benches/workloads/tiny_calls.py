"""Tiny calls beside a loop without any: prints the share of processor time that the calls have."""

import time


def tiny(number: int) -> int:
    return number


def calls() -> None:
    for number in range(100_000):
        tiny(number)


def plain() -> None:
    total = 0
    for number in range(200_000):
        total += number ^ 5


def main() -> None:
    """Turns, so that both meet the machine in all its moods."""
    seconds = {calls: 0.0, plain: 0.0}
    for _ in range(100):
        for part in seconds:
            before = time.thread_time()
            part()
            seconds[part] += time.thread_time() - before
    print(seconds[calls] / sum(seconds.values()))


main()
