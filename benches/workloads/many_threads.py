"""Fixed work in one thread beside many that wait: prints how long it took, elapsed and of processor time, in seconds.

many_threads.py THREADS (idle|polling) SECONDS      polling: each wakes twenty times a second
"""

import os
import sys
import threading
import time


def idle(end: threading.Event) -> None:
    end.wait()


def polling(end: threading.Event) -> None:
    while not end.wait(0.05):
        pass


def work(rounds: int) -> int:
    return sum(i * i % 7 for i in range(rounds))


end = threading.Event()
target = polling if sys.argv[2] == "polling" else idle
for _ in range(int(sys.argv[1])):
    threading.Thread(target=target, args=(end,), daemon=True).start()
began, ran = time.perf_counter(), time.process_time()
for _ in range(int(float(sys.argv[3]) * 250)):
    work(30_000)
print(time.perf_counter() - began, time.process_time() - ran, flush=True)
os._exit(0)
