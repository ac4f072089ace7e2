"""Names in LLVM's text: where a local name is used, and when a name needs quotes.

A local name (`%x`, `%12`, `%"a b"`) is a value, a block or a named type; only the place where it stands tells which.
Names are kept as they are written, with sigil and quotes, so that two names are one exactly if their texts are equal.
"""

import re
from collections.abc import Container

_PLAIN = r"[-a-zA-Z$._0-9]+"
_LOCAL = re.compile(rf"(%{_PLAIN})")
_LOCAL_OR_OPAQUE = re.compile(
    rf'(%{_PLAIN}|%"[^"]*")|blockaddress\((?:@{_PLAIN}|@"[^"]*"), (?:%{_PLAIN}|%"[^"]*")\)|"[^"]*"'
)
_GLOBAL_OR_STRING = re.compile(rf'(@{_PLAIN}|@"[^"]*")|"[^"]*"')
_NEEDS_NO_QUOTES = re.compile(r"[-a-zA-Z._][-a-zA-Z._0-9]*\Z")


def split_at_locals(text: str) -> list[str]:
    """Cut text at its local names: what is written between them at even places, the names at odd ones.

    What stands in quotes is not looked into, nor is the address of a block, which may be another function's.

    >>> split_at_locals('add nsw i32 %x, %"a b"')
    ['add nsw i32 ', '%x', ', ', '%"a b"', '']
    >>> split_at_locals('call void asm "mov %eax", ""(i32 %1)')
    ['call void asm "mov %eax", ""(i32 ', '%1', ')']
    """
    if '"' not in text and "blockaddress(" not in text:
        return _LOCAL.split(text)
    pieces: list[str] = []
    end = 0
    for match in _LOCAL_OR_OPAQUE.finditer(text):
        if match.group(1):
            pieces += (text[end : match.start()], match.group(1))
            end = match.end()
    pieces.append(text[end:])
    return pieces


def globals_in(text: str) -> list[str]:
    """The global names in a text, in order, with repetitions.

    >>> globals_in('call i32 (ptr, ...) @printf(ptr @.str, ptr @"a b") ; "@no"')
    ['@printf', '@.str', '@"a b"']
    """
    if "@" not in text:
        return []
    return [match.group(1) for match in _GLOBAL_OR_STRING.finditer(text) if match.group(1)]


def rename_globals(text: str, new_names: dict[str, str]) -> str:
    """The same text with other global names; what stands in quotes, other than a name, stays."""
    if "@" not in text:
        return text
    return _GLOBAL_OR_STRING.sub(lambda match: new_names.get(match.group(0), match.group(0)), text)


def quoted(sigil: str, name: str) -> str:
    r"""Write a name as LLVM does.

    >>> quoted("@", "main"), quoted("%", "1st"), quoted("@", 'say "hi"')
    ('@main', '%"1st"', '@"say \\22hi\\22"')
    """
    if _NEEDS_NO_QUOTES.match(name):
        return sigil + name
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in (34, 92) else f"\\{byte:02X}" for byte in name.encode()
    )
    return f'{sigil}"{escaped}"'


def unquoted(name: str) -> str:
    r"""The name itself, as a symbol table has it.

    LLVM marks names that are not to be mangled with a byte 1, which is no part of the symbol.

    >>> unquoted("@main"), unquoted('@"say \\22hi\\22"'), unquoted('@"\\01__isoc99_scanf"')
    ('main', 'say "hi"', '__isoc99_scanf')
    """
    if not name.startswith('"', 1):
        return name[1:]
    body = re.sub(rb"\\([0-9a-fA-F]{2})", lambda match: bytes([int(match.group(1), 16)]), name[2:-1].encode())
    return body.removeprefix(b"\x01").decode(errors="replace")


def is_number(name: str) -> bool:
    """Whether a local name is a number: LLVM numbers what has no name, anew whenever it prints.

    >>> is_number("%12"), is_number("%x1"), is_number('%"12"')
    (True, False, False)
    """
    return name[1] in "0123456789"


def fresh_name(wanted: str, taken: Container[str]) -> str:
    """A name like `wanted` that is not taken: with the next number, where numbers were given in order.

    Cost: O(log n) look-ups for the n-th of a kind.

    >>> fresh_name("%x", {"%x", "%x.1"}), fresh_name('@"a b"', {'@"a b"'})
    ('%x.2', '@"a b.1"')
    """
    if wanted not in taken:
        return wanted
    stem, end = (wanted[:-1], '"') if wanted.endswith('"') else (wanted, "")
    low, high = 0, 1  # the first is taken, the second is not, in the end
    while f"{stem}.{high}{end}" in taken:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if f"{stem}.{middle}{end}" in taken:
            low = middle
        else:
            high = middle
    return f"{stem}.{high}{end}"
