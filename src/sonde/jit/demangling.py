"""Names of C++ as their source has them."""

import ctypes
from functools import cache
from typing import Any


def demangled(symbol: str) -> str:
    """The name in the source, or the symbol itself where it is not mangled or the C++ library is not there.

    >>> demangled("main")
    'main'
    """
    if not symbol.startswith("_Z"):
        return symbol
    demangle, free = _functions()
    text = demangle(symbol.encode(), None, None, None) if demangle else None
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode("utf-8", "replace")
    finally:
        free(text)


@cache
def _functions() -> tuple[Any, Any]:
    free = ctypes.CDLL(None).free
    free.argtypes = (ctypes.c_void_p,)
    try:
        demangle = ctypes.CDLL("libstdc++.so.6")["__cxa_demangle"]
    except (OSError, AttributeError):
        return None, free
    demangle.restype, demangle.argtypes = ctypes.c_void_p, (ctypes.c_char_p, *[ctypes.c_void_p] * 3)
    return demangle, free
