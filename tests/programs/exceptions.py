"""Exceptions through many frames, in finally, in with, re-raised, from C, in generators and constructors."""
import contextlib


def down(n):
    if n == 0:
        raise ValueError("bottom")
    try:
        down(n - 1)
    finally:
        mark()


def mark():
    return None


@contextlib.contextmanager
def guard():
    try:
        yield 1
    except ValueError:
        mark()


class Picky:
    def __init__(self, value):
        check(value)


def check(value):
    if value < 0:
        raise ValueError(value)


def fails(value):
    raise KeyError(value)


for depth in (0, 3, 7):
    try:
        down(depth)
    except ValueError:
        mark()
with guard():
    down(2)
for value in (1, -1, 2, -2):
    try:
        Picky(value)
    except ValueError:
        pass
try:
    sorted([3, 1, 2], key=fails)
except KeyError:
    mark()
try:
    list(map(fails, [1]))
except KeyError:
    mark()


mark()
