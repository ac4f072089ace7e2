"""Threads that contend for the interpreter's lock: `contended.py THREADS`, 6 s. Their shares are those of one alone."""

import json
import sys
import threading
import time


class Node:
    """A cycle, so that collecting garbage has something to do."""

    def __init__(self) -> None:
        self.me = self


def spin(times: int) -> int:
    total = 0
    for i in range(times):
        total += i * i
    return total


def parse(times: int) -> list[object]:
    return [json.loads(json.dumps({"a": list(range(50)), "b": "x" * 50})) for _ in range(times)]


def make(times: int) -> list[Node]:
    return [Node() for _ in range(times)]


def work() -> None:
    end = time.monotonic() + 6
    while time.monotonic() < end:
        spin(20000)
        parse(20)
        make(2000)


threads = [threading.Thread(target=work) for _ in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
