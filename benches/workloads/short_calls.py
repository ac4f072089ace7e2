"""A loop that calls two functions of about a quarter of a microsecond each: the rest of its time is its own."""

import sys


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


def caller(rounds: int) -> int:
    number = 0
    for _ in range(rounds):
        number = first(number)
        number = second(number)
    return number


print("here", flush=True)
caller(int(sys.argv[1]))
