"""CPU seconds of calls: from Python to a module (`leaf`), within it (`inner`), of a Python function (`python`)."""

import sys
import time
from importlib import import_module

CALLS = 300_000
leaf = import_module("leaf")  # `leaf.c`, which is built for the measurement


def returned(value: object) -> object:
    return value


def of_extension() -> None:
    call = leaf.leaf
    for number in range(CALLS):
        call(number)


def of_python() -> None:
    for number in range(CALLS):
        returned(number)


def within() -> None:
    for number in range(CALLS // 100):
        leaf.thousand(number)


WAYS = {"leaf": of_extension, "python": of_python, "inner": within}
fastest = 1e9
for _ in range(5):
    start = time.process_time()
    WAYS[sys.argv[1]]()
    fastest = min(fastest, time.process_time() - start)
print(fastest)
