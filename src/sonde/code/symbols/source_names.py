"""Symbols as their source names them: C++, Rust, Numba; what is not mangled stays."""

import re
from functools import cache

from sonde.code.symbols.demangling import demangled
from sonde.code.symbols.rust_names import rust_name

_NUMBA_TAGS = re.compile(r"\[abi:v\d+\](?:\[abi:c\w+\])?")
"""A counter, and flags of its compilation."""
_NUMBA_WRAPPER = re.compile(r"((?:\.kernel\.)?)(?:\d+_+)?((?:cfunc|__gufunc__|__ufunc__)\.)(?=_Z)")
"""Stands before the mangled name of what C, or NumPy, may call; that of a kernel has an address."""
_NUMBA_ADDRESS = re.compile(r"(?<=__numba_parfor_gufunc)_+0x[0-9a-f]+")
"""Tells parallel loops of one run apart, and is another in the next."""
_SUFFIX = re.compile(r"(?:\.(?:llvm|__uniq|cold|part|constprop|isra|lto_priv|specialized|argelim|retelim|extracted|"
                     r"resume|destroy|cleanup|warm|\d+))+(?:\.\d+)*$")  # fmt: skip


@cache
def source_name(symbol: str) -> str:
    """What people call a function.

    Hashes are left out: Rust's of crates, and the counters and flags that Numba puts into names.

    >>> source_name("_ZNK1S3getEi")
    'S::get(int) const'
    >>> source_name("main")
    'main'
    """
    plain = symbol.removeprefix("\1")
    if (wrapper := _NUMBA_WRAPPER.match(plain)) is not None:
        return wrapper[1] + wrapper[2] + source_name(plain[wrapper.end() :])
    suffix = plain[len(plain_symbol(plain)) :]
    mangled = plain.removesuffix(suffix) if suffix else plain
    if not mangled.startswith(("_Z", "_R")):
        return plain
    name = rust_name(mangled)
    if name is None:
        name = _NUMBA_ADDRESS.sub("", _NUMBA_TAGS.sub("", demangled(mangled)))
    return name + suffix


@cache
def plain_symbol(symbol: str) -> str:
    """The function that a piece of code belongs to: without what LLVM appends to the names of parts and copies.

    >>> plain_symbol("walk.cold"), plain_symbol("walk.llvm.123456")
    ('walk', 'walk')
    """
    return _SUFFIX.sub("", symbol)
