"""Many trivial actions and one costly sort: who counts calls finds the actions, where the time goes into the sort.

After Figure 5 of Burchell, Larose, Marr, MPLR 2024.
"""

import random
import sys


class Counter:
    """What is acted on."""

    def __init__(self) -> None:
        self.n = 0

    def tick(self) -> None:
        """A trivial action."""
        self.n += 1


def actions(counter: Counter, times: int) -> None:
    """Act many times."""
    for _ in range(times):
        counter.tick()


def costly_sort(values: list[float]) -> list[float]:
    """Sort by insertion: quadratic, and without a call."""
    for i in range(1, len(values)):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value
    return values


def main(turns: int) -> None:
    """Act and sort in turns."""
    drawn, counter = random.Random(1), Counter()
    for _ in range(turns):
        actions(counter, 20_000)
        costly_sort([drawn.random() for _ in range(600)])
    print(counter.n)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
