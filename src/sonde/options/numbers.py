"""Numbers on the command line: shares of a whole (`1%`, `0.01`), numbers of lines, durations, sizes."""

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
    """Read for argparse how many of something, at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 on")
    return int(text)


def two_or_more(text: str) -> int:
    """Read for argparse how many values are looked at together; one alone does not vary."""
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 2 on")
    return int(text)


def natural(text: str) -> int:
    """Read for argparse how many of something; 0 for none."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 0 on")
    return int(text)


def duration_ns(text: str) -> int:
    """Read a duration for argparse: nanoseconds.

    >>> duration_ns("20ms"), duration_ns("0.5s"), duration_ns("250us")
    (20000000, 500000000, 250000)
    """
    for unit, scale in (("ms", 1e6), ("us", 1e3), ("ns", 1.0), ("s", 1e9)):
        if text.endswith(unit):
            try:
                value = float(text.removesuffix(unit)) * scale
            except ValueError:
                break
            if 1 <= value < 2**63:
                return round(value)
            break
    raise argparse.ArgumentTypeError(f"'{text}' is not a duration: write 20ms, 500us or 1s")


def rate_hz(text: str) -> float:
    """Read for argparse how often a second.

    >>> rate_hz("250"), rate_hz("1kHz"), rate_hz("2.5 kHz")
    (250.0, 1000.0, 2500.0)
    """
    number = text.lower().removesuffix("hz").strip()
    scale = {"k": 1e3, "m": 1e6}.get(number[-1:], 1.0)
    try:
        value = float(number if scale == 1.0 else number[:-1]) * scale
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a rate: write 250Hz, 1kHz or a number of times a second")
    return value


def size_bytes(text: str) -> int:
    """Read a size for argparse: bytes.

    >>> size_bytes("16M"), size_bytes("64k"), size_bytes("1000"), size_bytes("1T")
    (16777216, 65536, 1000, 1099511627776)
    """
    number, scale = text, 1
    for unit, power in (("k", 10), ("M", 20), ("G", 30), ("T", 40)):
        if text.lower().removesuffix("ib").removesuffix("b").endswith(unit.lower()):
            number, scale = text[: text.lower().rindex(unit.lower())], 1 << power
    try:
        value = float(number) * scale
    except ValueError:
        value = -1
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size: write 64k, 16M, 2G, 1T or a number of bytes")
    return int(value)


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
