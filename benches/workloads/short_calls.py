"""Calls of some hundred nanoseconds, in several ways: `short_calls.py plain|generator|tail|beside`, without end."""

import sys
from collections.abc import Iterator


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


print("here", flush=True)
{"plain": plain, "generator": generator, "tail": tail, "beside": beside}[sys.argv[1]]()
