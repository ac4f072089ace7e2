"""Drawings for terminals that have ASCII only."""

_PLAIN = str.maketrans("─│┌├└┼┴┬▶↺→…·", "-|++++++>o>~.")
"""One letter for one, so that columns stay aligned."""


def in_plain_letters(drawing: str) -> str:
    """Replace the letters that drawings are made of; what else is not ASCII becomes a question mark.

    >>> in_plain_letters("│├─▶ a → é…")
    '|+-> a > ?~'
    """
    return drawing.translate(_PLAIN).encode("ascii", "replace").decode("ascii")
