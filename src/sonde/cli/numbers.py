"""Numbers on the command line: shares of a whole (`1%`, `0.01`) and numbers of lines."""

import argparse


def share(text: str) -> float:
    """Read a share for argparse.

    >>> share("0.5%"), share("0.01")
    (0.005, 0.01)
    """
    number = text.strip()
    scale = 1.0
    if number.endswith("%"):
        number, scale = number[:-1], 100.0
    try:
        value = float(number) / scale
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share: write 1% or 0.01, between 0% and 100%")
    return value


def positive(text: str) -> int:
    """Read a number of lines for argparse; at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of lines: write 1 or more")
    return int(text)


def natural(text: str) -> int:
    """Read a number of lines for argparse; 0 for none."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of lines: write 0 or more")
    return int(text)


def add_size_options(parser: argparse.ArgumentParser, *, rows: int, functions: int) -> None:
    """Add `--rows` and `--functions`, the lengths of the two tables of a page."""
    parser.add_argument(
        "--rows", type=positive, default=rows, metavar="N", help=f"lines of the tree, about (default: {rows})"
    )
    parser.add_argument(
        "--functions",
        type=natural,
        default=functions,
        metavar="N",
        help=f"lines of the function table (default: {functions})",
    )
