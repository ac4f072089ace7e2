"""A hundred threads that wake now and then, and one that computes; at the end of its input it tells what it ran.

It prints the nanoseconds of processor time of the whole process, after each line of its input.
"""

import sys
import threading
import time


def wakes() -> None:
    while True:
        time.sleep(0.02)


def computes() -> None:
    while True:
        sum(range(1000))


for work in [wakes] * 100 + [computes]:
    threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
for _ in sys.stdin:
    print(time.process_time_ns(), flush=True)
