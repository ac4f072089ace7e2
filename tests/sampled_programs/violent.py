"""Threads that begin and end, forks, children by vfork, collections, deep stacks, code made and freed; then it becomes itself, so often.

    violent.py SECONDS TIMES     prints `whole` at the very end
"""

import gc
import os
import subprocess
import sys
import threading
import time


def deep(depth):
    return deep(depth - 1) + 1 if depth else 0


def deep_through_c(depth):
    return max(map(deep_through_c, [depth - 1])) + 1 if depth else 0


def generating(count):
    for number in range(count):
        yield number


def raising(depth):
    if depth:
        raising(depth - 1)
    raise ValueError


def made(number):
    names = {}
    exec(compile(f"def f():\n return sum(i for i in range({number}))", f"made {number}", "exec"), names)
    return names["f"]()


class Ring:
    def __init__(self):
        self.ring = self

    def __del__(self):
        deep(3)


def work(end):
    while time.monotonic() < end:
        assert deep(900) == 900
        assert deep_through_c(60) == 60
        assert sum(generating(100)) == 4950
        assert made(50) == 1225
        try:
            raising(20)
        except ValueError:
            pass
        for _ in range(50):
            Ring()
        gc.collect(0)


def short():
    assert sum(generating(2000)) == 1999000


def fork_and_wait():
    child = os.fork()
    if not child:
        work(time.monotonic() + 0.05)
        os._exit(5)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 5, status


def main():
    import warnings

    warnings.simplefilter("ignore", DeprecationWarning)  # forks of a program with threads
    sys.setrecursionlimit(5000)
    seconds, times = float(sys.argv[1]), int(sys.argv[2])
    end = time.monotonic() + seconds
    workers = [threading.Thread(target=work, args=(end,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    rounds = 0
    while time.monotonic() < end or rounds < 4:
        rounds += 1
        brief = [threading.Thread(target=short) for _ in range(5)]
        for thread in brief:
            thread.start()
        for thread in brief:
            thread.join()
        fork_and_wait()
        ended = subprocess.run([sys.executable, "-S", "-c", "print(sum(range(1000)))"], capture_output=True, check=True)
        assert ended.stdout == b"499500\n"
    for worker in workers:
        worker.join()
    if times > 1:
        os.execv(sys.executable, [sys.executable, sys.argv[0], sys.argv[1], str(times - 1)])
    print("whole")


main()
