"""The HTML report: one page that opens from disk, holds everything it shows, and asks nobody for more.

The page is hand-written HTML, CSS and JavaScript (`page/`), inlined when it is written; the
profile travels in it as columns of JSON.
"""

from sonde.instruments.contexts.report.html.page import MAX_PAGE_BYTES, write_html
from sonde.instruments.contexts.report.html.page_data import MAX_CONTEXTS

__all__ = ["MAX_CONTEXTS", "MAX_PAGE_BYTES", "write_html"]
