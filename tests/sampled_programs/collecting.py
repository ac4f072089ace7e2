"""Does nothing but collect garbage in one function; another one lives without."""

import gc
import sys
import threading


def collects(kept: list[list[int]]) -> None:
    while kept:
        gc.collect()


def lives(end: threading.Event) -> None:
    while not end.is_set():
        sum(range(1000))


gc.disable()
kept = [[i] for i in range(100_000)]
print("ready", flush=True)
if sys.argv[1] == "collects":
    collects(kept)
else:
    lives(threading.Event())
