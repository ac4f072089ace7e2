"""What sequences of paths are called."""

from collections.abc import Sequence

_MOST_SHOWN = 12
"""Of a longer sequence, its middle is left out."""


def path_words(ids: Sequence[int]) -> str:
    """A sequence in a line; equal paths behind one another are counted.

    >>> path_words((2, 0, 0, 2)), path_words((7,) * 10), path_words(tuple(range(20)))
    ('2 → 0 ×2 → 2', '7 ×10', '0 → 1 → 2 → 3 → 4 → 5 → … 8 more … → 14 → 15 → 16 → 17 → 18 → 19')
    """
    runs: list[tuple[int, int]] = []
    for path_id in ids:
        if runs and runs[-1][0] == path_id:
            runs[-1] = (path_id, runs[-1][1] + 1)
        else:
            runs.append((path_id, 1))
    words = [f"{path_id} ×{times}" if times > 1 else str(path_id) for path_id, times in runs]
    if len(words) > _MOST_SHOWN:
        half = _MOST_SHOWN // 2
        words = [*words[:half], f"… {len(words) - 2 * half} more …", *words[-half:]]
    return " → ".join(words)
