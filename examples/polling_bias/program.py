"""One function that concatenates bytes, and one that does nothing: which of them costs the time?

sonde sample --mechanism immediate program.py
sonde sample --mechanism polling program.py
"""

import sys


def does_nothing() -> None:
    pass


def concatenates(one: bytes, other: bytes) -> bytes:
    # Straight through, without a loop and without a call of Python: the interpreter does not look up from it.
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    joined = one + other
    return joined[:9]


def main(rounds: int) -> None:
    one, other = bytes(50_000), bytes(50_000)
    for _ in range(rounds):
        concatenates(one, other)
        does_nothing()
        does_nothing()


main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
