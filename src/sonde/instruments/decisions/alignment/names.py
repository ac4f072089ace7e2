"""Names of methods without what changes from run to run: addresses, digests, counters."""

import re
from functools import lru_cache

_VOLATILE = (
    # Java: hidden classes of lambdas, `$$Lambda$14/0x0000000800c03000`, `$$Lambda/0x7f..`, `$$Lambda$14/284720968` or
    # with a digest; of method handles, `LambdaForm$MH/0x..`, `LambdaForm$MH.0x..`, `LambdaForm$0f..`.
    (r"\$\$Lambda(?:\$[0-9a-fA-F]+)?(?:/(?:0x)?[0-9a-fA-F]+)?(?=[.(;\[]|$)", "$$Lambda"),
    (r"\bLambdaForm\$(?:[0-9a-f]{8,}|(\w+)[/.]0x[0-9a-f]+)(?=[.(;\[]|$)", r"LambdaForm$\1"),
    (r"[/.]0x[0-9a-fA-F]{4,}", "/#"),
    # Java: bodies of lambdas, anonymous classes, classes made by reflection.
    (r"\blambda\$(\w+|<init>|<clinit>|static|new)\$\d+", r"lambda$\1$#"),
    (r"\$\d+(?=[.$(;/\[]|$)", "$#"),
    (r"(Generated\w*Accessor|\$Proxy)\d+", r"\1#"),
    # Rust: the hash at the end, as it is written and mangled; crates in the newer mangling.
    (r"::h[0-9a-f]{16}\b", "::h#"),
    (r"17h[0-9a-f]{16}E", "17h#E"),
    (r"Cs[0-9A-Za-z]{7,13}_(?=\d)", "Cs#_"),
    # Rust, C++ as they are demangled: `{closure#0}`, `{impl#3}`, `{lambda(int)#2}`; clang's `$_0`; zig.
    (r"#\d+\}", "#}"),
    (r"\$_\d+", "$_#"),
    (r"__(anon|struct|enum|union|opaque)_\d+", r"__\1_#"),
    # Numba: the number of the compilation, and the flags that it was done with.
    (r"\[abi:[^\]]*\]", "[abi:#]"),
    (r"B\d+v\d+", "Bv#"),
    # LLVM, GCC: the function under another name, and parts of it.
    (r"\.(?:llvm|isra|constprop|lto_priv|specialized)\.\d+", ""),
    (r"\.(part|cold)\.\d+", r".\1.#"),
    (r"\.\d+(?=$|\()", ".#"),
)
_PATTERNS = tuple((re.compile(pattern), text) for pattern, text in _VOLATILE)


@lru_cache(maxsize=1 << 16)
def normalised_name(method: str) -> str:
    """The name with a sign in place of what changes from run to run.

    >>> normalised_name("a.B$$Lambda$14/0x0000000800c03000.run()")
    'a.B$$Lambda.run()'
    >>> normalised_name("core::iter::map::{closure#1}::h0123456789abcdef")
    'core::iter::map::{closure#}::h#'
    >>> normalised_name("sort.llvm.1234567890")
    'sort'
    """
    for pattern, text in _PATTERNS:
        method = pattern.sub(text, method)
    return method
