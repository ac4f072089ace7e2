"""Names of C++ as their source has them."""

from functools import cache
from typing import Any

try:
    import ctypes
except ImportError:  # a Python that was built without libffi
    ctypes = None  # type: ignore[assignment]


def demangled(symbol: str) -> str:
    """The name in the source, or the symbol itself where it is not mangled or the C++ library or ctypes is not there.

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


def short_names(source: str) -> set[str]:
    """What a person may call a C++ function: as it is, without parameters, and without what it returns.

    >>> sorted(short_names("int twice<int>(int, int)"))
    ['int twice<int>', 'int twice<int>(int, int)', 'twice<int>', 'twice<int>(int, int)']
    >>> sorted(short_names("count(int*)::$_0::operator()(int) const"))[0]
    'count(int*)::$_0::operator()'
    """
    end = source.rfind(")") + 1
    begin = end
    depth = 0
    while begin > 0:
        begin -= 1
        depth += {")": 1, "(": -1}.get(source[begin], 0)
        if depth == 0:
            break
    names = {source, source[:begin]} if end else {source}
    return names | {name[_return_type_end(name) :] for name in names}


def _return_type_end(name: str) -> int:
    """Where the name begins after a return type: after the last blank that is in no brackets and before any."""
    depth, end = 0, 0
    for at, letter in enumerate(name):
        if letter in "<([{":
            depth += 1
        elif letter in ">)]}":
            depth -= 1
        elif letter == " " and depth == 0 and "(" not in name[:at] and "operator" not in name[:at]:
            end = at + 1
    return end


@cache
def _functions() -> tuple[Any, Any]:
    if ctypes is None:
        return None, None
    free = ctypes.CDLL(None).free
    free.argtypes = (ctypes.c_void_p,)
    try:
        demangle = ctypes.CDLL("libstdc++.so.6")["__cxa_demangle"]
    except (OSError, AttributeError):
        return None, free
    demangle.restype, demangle.argtypes = ctypes.c_void_p, (ctypes.c_char_p, *[ctypes.c_void_p] * 3)
    return demangle, free
