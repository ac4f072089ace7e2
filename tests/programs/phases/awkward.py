"""Every way in which a call begins and ends; what it prints is the same with and without sonde."""

import asyncio
import gc
import os
import sys
import threading

PAGES = 2000
DEPTH = 3000


def returns(n):
    return sum(i * i for i in range(n))


def fails():
    raise ValueError("on purpose")


def outer():
    try:
        fails()
    except ValueError as error:
        return str(error)


def numbers():
    for n in range(3):
        yield n


def throws():
    try:
        yield 1
    except KeyError:
        yield 2


async def waits(n):
    await asyncio.sleep(0)
    return n


def touches():
    block = bytearray(PAGES * 4096)
    return len(block)


def collects():
    return gc.collect() >= 0


def dives(n):
    return 0 if n == 0 else 1 + dives(n - 1)


class Machine:
    def run(self):
        return [returns(10) for _ in range(2)]


def makes():
    made = {}
    exec("def dynamic(n):\n    return n + 1\n", made)
    return made["dynamic"](1)


def main():
    print(returns(1000), outer(), list(numbers()), Machine().run(), makes())
    for_ever = numbers()
    print(next(for_ever))
    thrown = throws()
    print(next(thrown), thrown.throw(KeyError))
    print(asyncio.run(waits(3)))
    print(touches(), collects())
    child = os.fork()  # before there are threads: 3.12 and later warn of it while one ends
    if child == 0:
        returns(100)
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), sorted(name for name in os.environ if "SONDE" in name))
    threads = [threading.Thread(target=returns, args=(1000,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setrecursionlimit(20000)
    print(dives(DEPTH))
    print([name for name in sys.modules if "sonde" in name], "json" in sys.modules, sys.flags.no_site)
    sys.stdout.flush()
    if "kill" in sys.argv:
        os.kill(os.getpid(), 9)
    if "fail" in sys.argv:
        outer.nothing


main()
