"""Threads that call, raise, generate, and make and free code without end: every call stands in a line that names what it calls.

A made function is called `made_N`, stands in line N of a file called `made N`, and calls `leaf`.
"""

import functools
import sys
import threading


def leaf(number):
    return number + 1


def middle(number):
    return leaf(number) + leaf(number)


def raising(depth):
    if not depth:
        raise ValueError(depth)
    raising(depth - 1)


def catching():
    try:
        raising(7)
    except ValueError:
        leaf(1)


def generating(count):
    for number in range(count):
        yield leaf(number)


def delegating(count):
    yield from generating(count)


def consuming():
    return sum(delegating(9))


def stopping():
    generator = generating(5)
    next(generator)  # generating
    generator.close()  # generating


async def awaited(number):
    return leaf(number)


async def awaiting():
    return await awaited(1) + await awaited(2)


def coroutines():
    try:
        awaiting().send(None)
    except StopIteration:
        pass


def reducing():
    return functools.reduce(lambda a, b: leaf(a) + b, range(9))


def sorting():
    return sorted(range(9), key=lambda number: middle(number))


class Held:
    def __enter__(self):
        leaf(1)

    def __exit__(self, *_):
        leaf(2)

    def __getattr__(self, name):
        return leaf(3)


def holding():
    held = Held()
    with held:  # __enter__ __exit__
        return held.missing  # __getattr__


def making(number):
    names = {"leaf": leaf}
    exec(compile("\n" * (number - 1) + f"def made_{number}(): return leaf({number})", f"made {number}", "exec"), names)  # <module>
    return names[f"made_{number}"]() + names[f"made_{number}"]()  # made_


def recursing(depth):
    return recursing(depth - 1) if depth else middle(1)


KINDS = (catching, consuming, stopping, coroutines, reducing, sorting, holding, functools.partial(recursing, 150))


def go_on(first):
    number = first
    while True:
        number = number % 500 + 1
        making(number)
        for kind in KINDS:
            kind()  # any


def main():
    sys.setswitchinterval(0.0005)
    for first in range(3):
        threading.Thread(target=go_on, args=(100 * first,), daemon=True).start()
    print("going on", flush=True)
    sys.stdin.read()


main()
