"""Text that fits: without control characters, cut to a number of columns."""

import unicodedata


def printable(text: str) -> str:
    r"""Replace what does not print, so that a name in a program can neither steer a terminal nor break an SVG.

    >>> printable("a\x1b[2Jb\tc\n")
    'a\ufffd[2Jb c '
    """
    text = text.replace("\t", " ").replace("\n", " ")
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def display_width(text: str) -> int:
    """How many columns a text takes in type of one width: two for East Asian wide letters, none for marks on others."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def keep_start(text: str, width: int) -> str:
    """Cut a text at its end to fit.

    >>> keep_start("%for.body.lr.ph", 8)
    '%for.bo…'
    """
    if display_width(text) <= width:
        return text
    text = text[: 2 * max(width, 0)]  # of a very long text, measure only what could fit
    while text and display_width(text) > width - 1:
        text = text[:-1]
    return f"{text}…" if width > 0 else ""


def keep_end(text: str, width: int) -> str:
    """Cut a text at its start to fit: `…/parsers/states.py:12`."""
    if display_width(text) <= width:
        return text
    text = text[-2 * width :] if width > 0 else ""
    while text and display_width(text) > width - 1:
        text = text[1:]
    return f"…{text}" if width > 0 else ""


def keep_both_ends(text: str, width: int) -> str:
    """Cut a name to fit, so that its end stays: inlined blocks differ there.

    >>> keep_both_ends("%for.body.lr.ph.i.i", 12)
    '%for.bo….i.i'
    """
    if display_width(text) <= width or width < 4:
        return keep_start(text, width)
    end = text[-width:]
    while display_width(end) > (width - 1) // 3 + 1:
        end = end[1:]
    return keep_start(text, width - display_width(end)) + end


def pad(text: str, width: int) -> str:
    """Fill a text with blanks on its right."""
    return text + " " * (width - display_width(text))


def to_the_right(text: str, width: int) -> str:
    """Fill a text with blanks on its left.

    >>> to_the_right("12", 4), to_the_right("記", 4)
    ('  12', '  記')
    """
    return " " * (width - display_width(text)) + text
