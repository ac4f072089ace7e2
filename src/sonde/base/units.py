"""Units: how quantities are written for people."""

_DURATION_STEPS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))


def format_duration(duration_ns: int) -> str:
    """Write a duration with three significant digits: `1.23 s`, `45.6 ms`, `789 ns`."""
    for step, unit in _DURATION_STEPS:
        if abs(duration_ns) >= step:
            return f"{_three_digits(duration_ns / step)} {unit}"
    return f"{duration_ns} ns"


def format_count(count: int) -> str:
    """Write a count with thousands separated: `1,234,567`."""
    return f"{count:,}"


def short_count(count: int) -> str:
    """Write a count in at most six columns.

    >>> [short_count(n) for n in (99_999, 123_456, 12_345_678)]
    ['99,999', '123k', '12.3M']
    """
    if count < 100_000:
        return format_count(count)
    for step, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if count >= step:
            value = count / step
            return f"{value:.0f}{unit}" if value >= 99.5 else f"{value:.1f}{unit}"
    return f"{count / 1e3:.0f}k"


def format_size(size_bytes: int) -> str:
    """Write a size in the largest binary unit that it has one of: exactly if it can be, else with three digits.

    >>> format_size(32768), format_size(8_000_000), format_size(100)
    ('32 KiB', '7.63 MiB', '100 B')
    """
    for step, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size_bytes >= step:
            value = size_bytes / step
            return f"{size_bytes // step if size_bytes % step == 0 else _three_digits(value)} {unit}"
    return f"{format_count(size_bytes)} B"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Write a count with its noun, whose plural ends in `s` if it is not said.

    >>> counted(1, "frame"), counted(2_000, "frame"), counted(2, "process", "processes")
    ('1 frame', '2,000 frames', '2 processes')
    """
    return f"{format_count(count)} {noun if count == 1 else plural or noun + 's'}"


def format_share(part: float, whole: float) -> str:
    """Write `part / whole` as a percentage; `-` when the whole is zero."""
    if whole == 0:
        return "-"
    return f"{100.0 * part / whole:.1f}%"


def format_percent(share: float) -> str:
    """Write a fraction of 1 as it would be typed.

    >>> format_percent(0.01), format_percent(0.005)
    ('1%', '0.5%')
    """
    return f"{100 * share:g}%"


def _three_digits(value: float) -> str:
    magnitude = abs(value)
    if magnitude >= 99.95:
        return f"{value:,.0f}"
    if magnitude >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}"
