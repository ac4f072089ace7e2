"""Where the time went, by a profile that sonde recorded itself."""

from pathlib import Path

from sonde.instruments.contexts.profile import function_totals, read_profile
from sonde.instruments.decisions.model import ProfileEntry, TimeProfile

_MAGIC = b"SQLite format 3\0"


def is_sonde_profile(head: bytes) -> bool:
    """Whether a file that begins so may be a `.sonde` file: it is a database."""
    return head.startswith(_MAGIC)


def read_call_times(path: Path) -> TimeProfile:
    """Time in each function itself; the number of its calls if no time was measured.

    Raises:
        InputError: as `read_profile`.
    """
    profile = read_profile(path, with_sources=False)
    totals = function_totals(profile)
    own = totals.self_ns if profile.has_time else totals.calls
    entries = sorted(
        (
            ProfileEntry(function.name, period, file=function.file, line=function.first_line)
            for function, period in zip(profile.functions, own, strict=True)
            if period
        ),
        key=lambda entry: (-entry.period, entry.name, entry.file, entry.line),
    )
    total = profile.total_ns if profile.has_time else profile.total_calls
    return TimeProfile(total, "nanoseconds" if profile.has_time else "calls", tuple(entries), "sonde")
