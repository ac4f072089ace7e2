"""Naps in every kind of context, most of them after calls that have ended.

    naps.py SECONDS     of each nap
"""

import asyncio
import sys
import threading
import time

nap = float(sys.argv[1])


def tiny():
    pass


def deep(levels):
    if levels:
        deep(levels - 1)


def after_a_call():
    tiny()
    time.sleep(nap)


def after_a_deep_call():
    deep(300)
    time.sleep(nap)


def made():
    tiny()
    time.sleep(nap)
    yield
    tiny()


def consumer():
    for _ in made():
        tiny()


def beside_a_generator():
    suspended = made()
    next(suspended)
    time.sleep(nap)
    suspended.close()


def callback(value):
    tiny()
    time.sleep(nap)
    return value


def sorts():
    sorted([1], key=callback)


def thrower(levels):
    if levels:
        thrower(levels - 1)
    raise ValueError


def handler():
    try:
        thrower(5)
    except ValueError:
        time.sleep(nap)


def unwinding(levels):
    if levels:
        unwinding(levels - 1)
    if levels == 2:
        time.sleep(nap)


class Holder:
    def __init__(self):
        tiny()
        time.sleep(nap)


def constructs():
    Holder()


async def awaited():
    tiny()
    time.sleep(nap)


async def task():
    await awaited()


def in_a_thread():
    tiny()
    time.sleep(nap)


def main():
    after_a_call()
    after_a_deep_call()
    consumer()
    beside_a_generator()
    sorts()
    handler()
    unwinding(4)
    constructs()
    asyncio.run(task())
    other = threading.Thread(target=in_a_thread)
    other.start()
    other.join()


main()
