"""Threads that stand still in known places; their stacks, as the interpreter itself tells them, are printed as JSON.

Each is a list of [name, file, first line, line], the outermost frame first. The program ends when its input does.
"""

import asyncio
import functools
import json
import sys
import threading
import time

gate = threading.Event()


def stand() -> None:
    gate.wait()


def recurse(depth: int) -> None:
    if depth:
        recurse(depth - 1)
    else:
        stand()


def outer_generator():
    yield from inner_generator()


def inner_generator():
    yield 1
    stand()
    yield 2


def use_generator() -> None:
    for _ in outer_generator():
        pass


async def awaited() -> None:
    stand()


async def awaiting() -> None:
    await awaited()


def use_coroutines() -> None:
    asyncio.run(awaiting())


def call_back() -> None:
    sorted([2, 1], key=lambda _: stand())


def reduce_back() -> None:
    functools.reduce(lambda _, __: recurse(3), [1, 2])


def comprehend() -> None:
    [stand() for _ in range(1)]


def execute() -> None:
    exec(compile("def made():\n    stand()\nmade()", "made by exec", "exec"), {"stand": stand})


class Äpfel:
    def __enter__(self) -> None:
        stand()

    def __exit__(self, *_: object) -> None:
        pass


def enter() -> None:
    with Äpfel():
        pass


def make_class() -> None:
    class Made:
        stand()

    assert Made


def handle() -> None:
    try:
        raise ValueError
    except ValueError:
        stand()


def stand_at(number: int) -> None:
    if number == 8_000:
        stand()


def loop() -> None:
    """A JIT that is on has compiled it, with what it calls, when the thread stands still."""
    for number in range(8_001):
        stand_at(number)


KINDS = (
    stand,
    functools.partial(recurse, 900),
    use_generator,
    use_coroutines,
    call_back,
    reduce_back,
    comprehend,
    execute,
    enter,
    make_class,
    handle,
    loop,
)


def stacks() -> list[list[tuple[str, str, int, int]]]:
    found = []
    for ident, top in sys._current_frames().items():
        if ident == threading.get_ident():
            continue
        frame, stack = top, []
        while frame is not None:
            code = frame.f_code
            stack.append((code.co_qualname, code.co_filename, code.co_firstlineno, frame.f_lineno))
            frame = frame.f_back
        found.append(stack[::-1])
    return found


def main() -> None:
    sys.setrecursionlimit(5000)
    for kind in KINDS:
        threading.Thread(target=kind, daemon=True).start()
    before = None
    while before != (now := stacks()):
        before = now
        time.sleep(0.05)
    print(json.dumps(now), flush=True)
    sys.stdin.read()


main()
