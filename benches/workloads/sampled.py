"""Work to be looked at: calls, generators, callbacks, objects, strings. Prints elapsed time and processor time.

sampled.py SECONDS     about, on a machine of 2020
"""

import sys
import time


class Shape:
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side * self.side


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def shapes(count: int) -> int:
    return sum(Shape(number).area() for number in range(count))


def texts(count: int) -> int:
    return len("".join(str(number) for number in range(count)))


def ordered(count: int) -> list[int]:
    return sorted(range(count), key=lambda number: -number)


def squares(count: int) -> int:
    total = 0
    for number in range(count):
        total += number * number
    return total


def main() -> None:
    time.sleep(1)  # what looks is ready by then: its start is measured by bench_startup.py
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(int(160 * float(sys.argv[1]))):
        fib(16)
        shapes(8000)
        texts(15000)
        ordered(15000)
        squares(60000)
    print(time.perf_counter() - wall, time.process_time() - processor)


main()
