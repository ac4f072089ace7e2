"""Any report as one self-contained page: one shell, one set of components."""

from sonde.render.html.report_page import MAX_PAGE_BYTES, report_html, write_report_page

__all__ = ["MAX_PAGE_BYTES", "report_html", "write_report_page"]
