"""Symbols of machine code, and what their source calls them."""

from sonde.code.symbols.demangling import demangled, short_names
from sonde.code.symbols.rust_names import rust_name
from sonde.code.symbols.source_names import plain_symbol, source_name

__all__ = ["demangled", "plain_symbol", "rust_name", "short_names", "source_name"]
