"""Two ways to sort, to be compared by `sonde bench run suite.toml`; the first argument is how many numbers."""

import random
import sys
from bisect import insort

_NUMBERS = random.Random(1).sample(range(1_000_000), int(sys.argv[1]) if len(sys.argv) > 1 else 1000)


def by_insertion() -> list[int]:
    """Put each number in its place among those before it."""
    done: list[int] = []
    for number in _NUMBERS:
        insort(done, number)
    return done


def by_merging() -> list[int]:
    """Sort both halves, then take the smaller of their first ones again and again."""
    return _merged(_NUMBERS)


def _merged(numbers: list[int]) -> list[int]:
    if len(numbers) < 2:
        return numbers
    middle = len(numbers) // 2
    left, right = _merged(numbers[:middle]), _merged(numbers[middle:])
    done = []
    while left and right:
        done.append(left.pop() if left[-1] > right[-1] else right.pop())
    return left + right + done[::-1]
