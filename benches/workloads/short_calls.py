"""Calls of some hundred nanoseconds to some microseconds, in several ways, without end.

short_calls.py plain|generator|tail|beside|tasks
"""

import asyncio
import sys
from collections.abc import Callable, Iterator


def first(number: int) -> int:
    a = number + 1
    b = a + 3
    c = b - number
    a = c + number
    b = a + 3
    c = b - number
    a = c + number
    b = a - 3
    return b - a + number


def second(number: int) -> int:
    a = number + 2
    b = a + 3
    c = b - number
    a = c + number
    b = a + 3
    c = b - number
    a = c + number
    b = a - 3
    return b - a + number + 6


def plain() -> None:
    """Two functions of a quarter of a microsecond each."""
    number = 0
    while True:
        number = first(number)
        number = second(number)


def numbers() -> Iterator[int]:
    number = 0
    while True:
        a = number + 1
        b = a + 3
        number = b - a + number - 2
        yield number


def generator() -> None:
    """A generator that is resumed all the time."""
    number = 0
    for each in numbers():
        number = number + each
        number = number - each


def ends_with_a_call(number: int) -> int:
    a = number + 3
    b = a - 3
    return first(b)


def begins_with_work(number: int) -> int:
    a = number + 2
    b = a + 3
    c = b - number
    a = c + number
    b = a - 3
    return second(b - a + number) + a


def tail() -> None:
    """A function that ends with a call, and at once another one that calls, too."""
    number = 0
    while True:
        number = ends_with_a_call(number)
        number = begins_with_work(number)


def eight(number: int) -> int:
    for _ in range(100):
        number = number + 1
    return number


def sixty(number: int) -> int:
    for _ in range(1000):
        number = number - 1
    return number


def beside() -> None:
    """Functions of some microseconds, and one that is ten times as long."""
    number = 0
    while True:
        number = eight(number)
        number = sixty(number)


def of_one() -> int:
    return sum(range(2000))


def of_two() -> int:
    return sum(range(2000))


def of_three() -> int:
    return sum(range(2000))


async def calls(function: Callable[[], int]) -> None:
    function()


async def steps(function: Callable[[], int]) -> None:
    while True:
        await calls(function)
        await asyncio.sleep(0)


async def take_turns() -> None:
    await asyncio.gather(
        *(asyncio.create_task(steps(each), name=each.__name__[3:]) for each in (of_one, of_two, of_three))
    )


def tasks() -> None:
    """Three tasks of asyncio whose steps are as long, some ten microseconds."""
    asyncio.run(take_turns())


print("here", flush=True)
{"plain": plain, "generator": generator, "tail": tail, "beside": beside, "tasks": tasks}[sys.argv[1]]()
