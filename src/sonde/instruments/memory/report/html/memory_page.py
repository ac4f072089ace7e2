"""The page of a memory profile as a file."""

from pathlib import Path
from typing import Any

from sonde.base.errors import InternalError
from sonde.instruments.memory.profile.memory_profile import MemoryProfile
from sonde.instruments.memory.report.html.page_data import page_data, with_sources
from sonde.render.html.document import SHARED_PARTS, self_contained, write_page

MAX_PAGE_BYTES = 5_000_000
"""What a browser opens without a pause, and a mail server still delivers."""

_MOST_ROWS = 20_000
"""Of each table."""

_MOST_SOURCE_BYTES, _LEAST_SOURCE_BYTES = 1_500_000, 300_000
"""Room for source text: about 40,000 lines; at least so much before tables are cut for it."""

_PARTS = Path(__file__).with_name("page")
_STYLES = (SHARED_PARTS / "paper.css", SHARED_PARTS / "cards.css", _PARTS / "page.css")
_SCRIPTS = (
    SHARED_PARTS / "text.js",
    SHARED_PARTS / "notices.js",
    SHARED_PARTS / "virtual_rows.js",
    SHARED_PARTS / "svg.js",
    *(
        _PARTS / name
        for name in (
            "contents.js",
            "rates.js",
            "miss_table.js",
            "lifetimes.js",
            "source_view.js",
            "code_section.js",
            "memory_detail.js",
            "memory_section.js",
            "main.js",
        )
    ),
)
"""In order of dependence; they share one scope."""


def write_memory_page(profile: MemoryProfile, path: Path, *, title: str = "") -> None:
    """Write a memory profile as one self-contained page, which opens from disk.

    Args:
        profile: a valid profile.
        path: overwritten; gets its name when the page is whole.
        title: heading; the command if not given.
    Raises:
        SondeError: `cannot-write`.
    """
    write_page(memory_html(profile, title=title), path)


def memory_html(profile: MemoryProfile, *, title: str = "") -> str:
    """The text of the page, pure ASCII.

    Of tables that are too long it has the rows with the most misses, and says what it leaves out.

    Guarantee: at most `MAX_PAGE_BYTES` bytes; the same profile and title give the same text.
    Cost: O(n log n) for n rows of the profile; twice or more for a profile that does not fit.
    """
    heading = title or " ".join(profile.run.command)
    rows = _MOST_ROWS
    while rows:
        data = page_data(profile, title=heading, most_rows=rows)
        room = MAX_PAGE_BYTES - len(_put_together(with_sources(data, profile, 0), heading))
        if room >= _LEAST_SOURCE_BYTES:
            # A text needs a little more room than is counted for it: its key, and a comma.
            source_bytes = min(_MOST_SOURCE_BYTES, room - _LEAST_SOURCE_BYTES // 2)
            return _put_together(with_sources(data, profile, source_bytes), heading)
        rows //= 2
    raise InternalError(
        f"cannot write the page: one row of each table takes more than {MAX_PAGE_BYTES:,} bytes", slug="page-too-large"
    )


def _put_together(data: dict[str, Any], title: str) -> str:
    return self_contained(_PARTS / "page.html", _STYLES, _SCRIPTS, data, title=title)
