"""The page of a profile as a file: the parts in `page/` and the profile's data."""

from pathlib import Path
from typing import TextIO

from sonde.base.errors import InternalError
from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.report.html.page_data import MAX_CONTEXTS, page_data
from sonde.render.html.document import SHARED_PARTS, self_contained

MAX_PAGE_BYTES = 5_000_000
"""What a browser opens without a pause, and a mail server still delivers."""

_PARTS = Path(__file__).with_name("page")
_STYLES = (SHARED_PARTS / "paper.css", _PARTS / "page.css")
_SCRIPTS = (
    SHARED_PARTS / "text.js",
    "tree.js",
    "aggregates.js",
    "palette.js",
    SHARED_PARTS / "virtual_rows.js",
    "flame_graph.js",
    "function_table.js",
    "python_tint.js",
    "function_detail.js",
    SHARED_PARTS / "notices.js",
    "masthead.js",
    "main.js",
)
"""In order of dependence; they share one scope. What is shared has its whole path, the rest is in `_PARTS`."""


def write_html(profile: ContextProfile, stream: TextIO, *, title: str) -> None:
    """Write a profile as one self-contained page.

    The page shows at most `MAX_CONTEXTS` contexts, the heaviest, and says what it leaves out.
    Given a whole profile its function table is exact even so; given a pruned one (read with
    `heaviest=MAX_CONTEXTS`: faster) it counts the contexts given.

    Args:
        profile: a valid profile.
        stream: receives ASCII text; not closed.
        title: shown as heading and in the browser's tab.
    Raises:
        OSError: the stream cannot be written.
    Guarantee: at most `MAX_PAGE_BYTES` bytes; the same profile and title give the same bytes.
    Cost: O(n log n) time, O(n) space for n contexts given.
    """
    scripts = [_PARTS / name for name in _SCRIPTS]
    limit = MAX_CONTEXTS
    while limit > 0:
        data = page_data(profile, title=title, max_contexts=limit)
        page = self_contained(_PARTS / "page.html", _STYLES, scripts, data, title=title)
        if len(page) <= MAX_PAGE_BYTES:
            stream.write(page)
            return
        # Only unusual names get here: tens of thousands of functions, each as long as allowed.
        limit //= 2
    raise InternalError(
        f"cannot write the page: one context alone takes more than {MAX_PAGE_BYTES:,} bytes", slug="page-too-large"
    )
