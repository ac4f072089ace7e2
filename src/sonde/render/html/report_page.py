"""The page of a report as a file: one document of pure ASCII that holds everything it shows.

Everything the page says is data, in one JSON block; the script writes it into the document as text, never as markup.
The Content-Security-Policy names the hashes of our own style and script: nothing else runs, and nothing is fetched.
"""

import hashlib
import html
import re
from base64 import b64encode
from functools import cache
from pathlib import Path

from sonde.base.errors import InternalError
from sonde.base.whole_file import written_whole
from sonde.render.html.fair_share import fair_share
from sonde.render.html.page_data import ReportData, shortened
from sonde.render.html.script_bundle import bundled
from sonde.render.html.script_json import script_json
from sonde.report import Report

MAX_PAGE_BYTES = 5_000_000
"""What a browser opens without a pause, and a mail server still delivers."""

_MOST_ROWS = 250_000
"""Of each table, at first."""

_MOST_SOURCE_BYTES, _LEAST_SOURCE_BYTES = 1_500_000, 300_000
"""Room for source text: about 40,000 lines; at least so much before tables are cut for it."""

_PARTS = Path(__file__).with_name("components")
_STYLES = (
    *("paper.css", "cards.css", "page.css", "flame.css", "flow_card.css", "row_plot.css", "side_by_side.css"),
    "timeline.css",
)
"""Later ones win."""


def write_report_page(report: Report, path: Path, title: str = "") -> None:
    """Write a report as one self-contained page, which opens from disk.

    Args:
        report: a valid report.
        path: overwritten; gets its name when the page is whole.
        title: heading; the report's if not given.
    Raises:
        SondeError: `cannot-write`.
    """
    page = report_html(report, title)
    with written_whole(path) as stream:
        stream.write(page.encode("ascii"))


def report_html(report: Report, title: str = "") -> str:
    """The text of the page, pure ASCII.

    Of tables that are too long it has no columns for programs, and the heaviest rows; it says how many it leaves out.

    Guarantee: at most `MAX_PAGE_BYTES` bytes; the same report and title give the same text.
    Cost: O(n log n) for n rows; some times more for a report that does not fit.
    """
    heading = title or report.title
    prepared = ReportData(report)
    rows = _MOST_ROWS
    is_brief = False
    while rows:
        data = prepared.page_data(title=heading, most_rows=rows, is_brief=is_brief)
        written = script_json(data)
        size = len(_document(written, heading))
        room = MAX_PAGE_BYTES - size
        if room >= _LEAST_SOURCE_BYTES:
            # A text needs a little more room than is counted for it: its key, and a comma.
            source_bytes = min(_MOST_SOURCE_BYTES, room - _LEAST_SOURCE_BYTES // 2)
            sources = script_json(prepared.sources(data, source_bytes))
            return _document(f"{written[:-1]},{sources[1:]}", heading)
        if not is_brief:  # what only programs read goes before rows do
            is_brief = True
            continue
        counts = [block.get("rows", block.get("frames", 0)) for block in data["blocks"]]
        # So many less of all rows as it is too large, and a few less again: what they share does not shrink.
        kept = sum(counts) * (MAX_PAGE_BYTES - _LEAST_SOURCE_BYTES) // size * 9 // 10
        rows = min(fair_share(counts, kept), max(counts, default=0) - 1)
        rows = max(rows, 0)
    raise InternalError(
        f"cannot write the page: one row of each table takes more than {MAX_PAGE_BYTES:,} bytes", slug="page-too-large"
    )


def _document(data: str, title: str) -> str:
    values = {
        **_parts(),
        "TITLE": html.escape(shortened(title)).encode("ascii", "xmlcharrefreplace").decode("ascii"),
        "DATA": data,
    }
    template = (_PARTS / "page.html").read_text(encoding="ascii")
    # One pass: what is filled in is not looked at again.
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda match: values[match[1]], template)


@cache
def _parts() -> dict[str, str]:
    """What is the same in all pages."""
    style = "\n".join(path.read_text(encoding="ascii") for path in map(_PARTS.joinpath, _STYLES))
    script = bundled(_PARTS / "main.js")
    return {
        "STYLE": style,
        "STYLE_HASH": _policy_hash(style),
        "SCRIPT": script,
        "SCRIPT_HASH": _policy_hash(script),
    }


def _policy_hash(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")
