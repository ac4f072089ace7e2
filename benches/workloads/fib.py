"""Recursion and nothing else: the worst case for a call profiler."""

from timing import best_cpu_seconds


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


if __name__ == "__main__":
    print(best_cpu_seconds(lambda: fib(23)))
