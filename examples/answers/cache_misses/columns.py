"""Which line misses the cache? The sums of a table's columns, which lie 4 KiB apart; those of its rows lie together.

    sonde memory columns.py

Both lines read every number as often. A line of the cache has eight of them: of a row seven in eight are there
already, of a column none is when its turn comes.
"""

from array import array

ROWS = COLUMNS = 512
TIMES = 3


def sum_rows(table: "array[float]") -> list[float]:
    """One sum for each row: neighbours in memory."""
    sums = []
    for row in range(ROWS):
        sums.append(sum(table[row * COLUMNS : (row + 1) * COLUMNS]))
    return sums


def sum_columns(table: "array[float]") -> list[float]:
    """One sum for each column: each number in another line of the cache."""
    sums = []
    for column in range(COLUMNS):
        sums.append(sum(table[column::COLUMNS]))
    return sums


if __name__ == "__main__":
    numbers = array("d", [0.5]) * (ROWS * COLUMNS)
    for _ in range(TIMES):
        print(sum(sum_rows(numbers)), sum(sum_columns(numbers)))
