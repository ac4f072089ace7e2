"""Blocks of all kinds, whose calls are known; leaves the marks between which each was open in the folder ARGV[1].

The marks are read by the tests' Python: this one may be another, for which only the agent is built.
"""

import asyncio
import json
import os
import shutil
import sys
import threading

import sonde
from sonde.api.watching import watch

FOLDER = sys.argv[1]
names = []


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def fall(n):
    if n == 0:
        raise ValueError("the end")
    fall(n - 1)


def numbers():
    for _ in range(5):
        yield fib(2)


def keep(name, block):
    for number, span in enumerate(block._spans):
        for end, mark in zip(("begin", "end"), span, strict=True):
            shutil.copy(os.fsdecode(watch().file_of(mark)), f"{FOLDER}/{name}-{number}-{end}")


def nested():
    with sonde.profile() as outer:
        fib(6)
        with sonde.profile() as inner:
            fib(5)
    fib(7)  # in no block
    with outer, outer:
        fib(4)
    keep("outer", outer)
    keep("inner", inner)


def raising():
    block = sonde.profile()
    for _ in range(2):  # what goes on between them belongs to nothing: it stays one stretch
        try:
            with block:
                fall(10)
        except ValueError:
            fib(3)
    assert len(block._spans) == 1
    keep("raising", block)


def in_generator():
    running = numbers()
    next(running)
    with sonde.profile() as block:
        next(running)
        next(running)
    keep("generator", block)


def threads():
    with sonde.profile() as block:
        started = []
        for _ in range(4):
            started.append(threading.Thread(target=fib, args=(6,)))
            started[-1].start()
        for each in started:
            each.join()
    keep("threads", block)


@sonde.profiled
async def awaited(n):
    await asyncio.sleep(0)
    return fib(n)


async def both():
    return await asyncio.gather(awaited(4), awaited(5))


@sonde.profiled
def recursive(n):
    return fib(n) if n == 0 else recursive(n - 1)


def start_below(n):
    if n == 0:
        sonde.start()
        fib(3)
        return
    start_below(n - 1)
    fib(3)


def in_child():
    with sonde.profile() as block:
        fib(2)
        child = os.fork()
        if child == 0:
            fib(9)  # the block is the parent's
            with sonde.profile() as own:
                fib(6)
            keep("child", own)
            os._exit(0)
        os.waitpid(child, 0)
        fib(2)
    keep("parent", block)


def leaf(number):
    return number & 3


def amid_a_loop():
    """Where there is a JIT that is on, the loop ran compiled until the block began."""
    jit = getattr(sys, "_jit", None)
    is_compiled = jit.is_active if jit and jit.is_enabled() else lambda: True
    block, compiled = sonde.profile(), 0
    for number in range(12_000):
        if number == 8_000:
            block.__enter__()
        elif number == 10_000:
            block.__exit__(None, None, None)
        compiled += number < 8_000 and is_compiled()
        leaf(number)
    assert compiled
    keep("loop", block)


def events():
    """Of all tools: what the interpreter watches now."""
    monitoring = getattr(sys, "monitoring", None)
    return sum(monitoring.get_events(tool) for tool in range(6) if monitoring.get_tool(tool)) if monitoring else 0


nested()
raising()
in_generator()
threads()
for _ in range(2):
    asyncio.run(both())
keep("awaited", sonde.block_of(awaited))
recursive(3)
keep("recursive", sonde.block_of(recursive))
amid_a_loop()
start_below(4)
fib(2)
keep("started", sonde.stop())
in_child()
print(json.dumps(events()))
