"""A memory profile as an HTML page: source with its misses line by line, types, allocation sites, lifetimes."""

from sonde.instruments.memory.report.html.memory_page import MAX_PAGE_BYTES, memory_html, write_memory_page

__all__ = ["MAX_PAGE_BYTES", "memory_html", "write_memory_page"]
