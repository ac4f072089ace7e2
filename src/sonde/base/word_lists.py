"""Words in a row, as a sentence has them."""

from collections.abc import Sequence


def in_a_row(words: Sequence[str], last: str = "and") -> str:
    """Words with commas between, and a word before the last one.

    >>> in_a_row(["a"]), in_a_row(["a", "b"], "or"), in_a_row(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    *others, end = words
    return f"{', '.join(others)} {last} {end}" if others else end
