"""Check a table, as it was: the sum over all rows is computed when it is read, changed and written.

    sonde bench "python before.py" "python after.py"

The answer is known: `after.py` computes it twice in place of three times, so it is 1.5 times faster but for the start
of the interpreter, which is the same in both.
"""

ROWS = 1_500_000


def checksum(rows: int) -> int:
    """A sum in which the order of rows matters."""
    total = 0
    for row in range(rows):
        total = (31 * total + row) % 65_521
    return total


when_read = checksum(ROWS)
when_changed = checksum(ROWS)
when_written = checksum(ROWS)
assert when_read == when_changed == when_written
