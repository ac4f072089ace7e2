"""Values between people and machine code: arguments as one types them, results as one reads them."""

import ctypes
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from sonde.base.errors import UsageError
from sonde.ir import element_type, members_of

CELL_BYTES = 16
"""Every argument and every part of a result has a cell of its own in memory, as large as the largest scalar."""

_INTEGER = re.compile(r"i([0-9]+)\Z")
_LITERAL = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)\Z")
_TYPED_ARRAY = re.compile(r"(i8|i16|i32|i64|float|double)?\[(.*)\]\Z", re.DOTALL)
_FORMATS = {"i8": "B", "i16": "H", "i32": "I", "i64": "Q", "float": "f", "double": "d"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}
_SHOWN_BYTES = 200
"""So much of a string that a pointer points to is shown."""

Resolve = Callable[[str], int]
"""Name of a function or variable -> its address; raises `UsageError` for what is unknown."""


@dataclass(slots=True)
class ArgumentCells:
    """Arguments in memory, ready to be loaded by a bridge."""

    types: tuple[str, ...]
    memory: "ctypes.Array[ctypes.c_char]"
    kept: list[object] = field(default_factory=list)
    """What pointers among the arguments point to."""

    @property
    def address(self) -> int:
        return ctypes.addressof(self.memory)


def place_arguments(
    texts: list[str], types: tuple[str, ...], *, is_varargs: bool, function: str, resolve: Resolve
) -> ArgumentCells:
    """Read arguments as their types demand.

    Integers are decimal, `0x...`, `0b...`, `true`, `false` or `'a'`; pointers are `null`, a number, `"text"` (with the
    escapes of C, and a zero at its end), `[1, 2, 3]`, `i64[1, 2, 3]`, `double[0.5]`, or the name of a function or
    variable. `[1, 2]` are 32-bit integers, `[1.0, 2]` doubles. What is beyond the parameters of a function with
    variable arguments is an i32 or i64, a double or a pointer, by its looks.

    Raises:
        UsageError: `argument-count`, `bad-argument`, `unsupported-type`.
    """
    if len(texts) < len(types) or (len(texts) > len(types) and not is_varargs):
        wanted = f"at least {len(types)}" if is_varargs else str(len(types))
        raise UsageError(
            f"cannot call '{function}' with {len(texts)} argument{'s' * (len(texts) != 1)}: it takes {wanted}"
            f" ({', '.join(types) or 'none'})",
            slug="argument-count",
        )
    all_types = (*types, *(_type_by_looks(text) for text in texts[len(types) :]))
    cells = ArgumentCells(all_types, ctypes.create_string_buffer(max(len(texts), 1) * CELL_BYTES))
    for at, (text, type_) in enumerate(zip(texts, all_types, strict=True)):
        encoded = _encoded(text.strip(), type_, function, cells.kept, resolve)
        ctypes.memmove(cells.address + at * CELL_BYTES, encoded, len(encoded))
    return cells


def scalars_of(type_: str, named_types: dict[str, str]) -> list[tuple[tuple[int, ...], str]]:
    """The scalars in a type, each with its path; a scalar has the empty path.

    >>> scalars_of("{ i64, [2 x float] }", {})
    [((0,), 'i64'), ((1, 0), 'float'), ((1, 1), 'float')]
    """
    count = members_of(type_, named_types)
    if count is None:
        return [((), type_)]
    found = []
    for index in range(count):
        inner = element_type(type_, [index], named_types)
        found += [((index, *path), scalar) for path, scalar in scalars_of(inner, named_types)]
    return found


def read_result(type_: str, memory: bytes, named_types: dict[str, str]) -> str:
    """A result as text: its scalars, one a cell, in the brackets of its type.

    >>> read_result("i8", b"\\xff".ljust(16, b"\\0"), {})
    '-1'
    """
    if type_ == "void":
        return "void"
    cells = [memory[at : at + CELL_BYTES] for at in range(0, len(memory), CELL_BYTES)]
    return _shown(type_, iter(cells).__next__, named_types)


def _shown(type_: str, next_cell: Callable[[], bytes], named_types: dict[str, str]) -> str:
    count = members_of(type_, named_types)
    if count is None:
        return _scalar_text(type_, next_cell())
    parts = [_shown(element_type(type_, [index], named_types), next_cell, named_types) for index in range(count)]
    opening, closing = ("[", "]") if type_.startswith("[") else ("<", ">") if type_.startswith("<") else ("{", "}")
    return f"{opening}{', '.join(parts)}{closing}"


def _scalar_text(type_: str, cell: bytes) -> str:
    if match := _INTEGER.match(type_):
        bits = int(match.group(1))
        value = int.from_bytes(cell, "little") & ((1 << bits) - 1)
        if bits == 1:
            return "true" if value else "false"
        return str(value - (1 << bits) if value >> (bits - 1) else value)
    if type_ == "double":
        return repr(struct.unpack_from("<d", cell)[0])
    if type_ == "float":
        return f"{struct.unpack_from('<f', cell)[0]:.9g}"
    address = int.from_bytes(cell[:8], "little")
    text = _text_at(address)
    return "null" if address == 0 else f"{address:#x}" + (f" {text}" if text else "")


def is_scalar(type_: str) -> bool:
    """Whether a value of this type can be handed over and shown."""
    match = _INTEGER.match(type_)
    return (match is not None and int(match.group(1)) <= 8 * CELL_BYTES) or type_ in ("float", "double", "ptr")


def _text_at(address: int) -> str:
    """What stands at an address, if that is printable text; read so that no address can do harm."""
    try:
        with open("/proc/self/mem", "rb", buffering=0) as memory:  # noqa: PTH123 - unbuffered, at any offset
            memory.seek(address)
            data = memory.read(_SHOWN_BYTES)
    except (OSError, ValueError, OverflowError):
        return ""
    text, end, _ = data.partition(b"\0")
    if not text or any(byte < 32 or byte > 126 for byte in text):
        return ""
    return '"' + text.decode().replace('"', '\\"') + '"' + ("" if end else "...")


def _type_by_looks(text: str) -> str:
    text = text.strip()
    if _LITERAL.match(text):
        return "i32" if -(2**31) <= _literal(text) < 2**31 else "i64"
    if text in ("true", "false") or text.startswith("'"):
        return "i32"
    return "double" if _is_float(text) else "ptr"


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _encoded(text: str, type_: str, function: str, kept: list[object], resolve: Resolve) -> bytes:
    if match := _INTEGER.match(type_):
        return _integer(text, int(match.group(1)), type_)
    if type_ in ("float", "double"):
        if not _is_float(text):
            raise _bad(text, type_, "it is no number")
        return struct.pack("<d" if type_ == "double" else "<f", float(text))
    if type_ == "ptr":
        return struct.pack("<Q", _pointer(text, kept, resolve))
    raise UsageError(
        f"cannot call '{function}': it takes a {type_}, which cannot be written on a line",
        slug="unsupported-type",
        hint="call a function that makes such a value from integers, floats and pointers",
    )


def _literal(text: str) -> int:
    digits = text.lstrip("+-")
    return int(text, 0 if digits[:2].lower() in ("0x", "0b") else 10)


def _integer(text: str, bits: int, type_: str) -> bytes:
    if text in ("true", "false"):
        value = int(text == "true")
    elif len(text) >= 3 and text[0] == text[-1] == "'":
        characters = _unescaped(text[1:-1])
        if len(characters) != 1:
            raise _bad(text, type_, "one character goes in quotes")
        value = ord(characters)
    elif _LITERAL.match(text):
        value = _literal(text)
    else:
        raise _bad(text, type_, "it is no integer")
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise _bad(text, type_, f"it does not fit into {bits} bit{'s' * (bits != 1)}")
    return (value & ((1 << bits) - 1)).to_bytes(CELL_BYTES, "little")


def _pointer(text: str, kept: list[object], resolve: Resolve) -> int:
    if text == "null":
        return 0
    if _LITERAL.match(text):
        return _literal(text)
    if text.startswith('"'):
        if len(text) < 2 or not text.endswith('"'):
            raise _bad(text, "ptr", "the quotes are not closed")
        return _kept(_unescaped(text[1:-1]).encode() + b"\0", kept)
    if match := _TYPED_ARRAY.match(text):
        return _kept(_array(match.group(1), match.group(2)), kept)
    return resolve(text.removeprefix("&").removeprefix("@"))


def _array(type_: str | None, listed: str) -> bytes:
    parts = [part.strip() for part in listed.split(",")] if listed.strip() else []
    if type_ is None:
        type_ = "i32" if all(_LITERAL.match(part) for part in parts) else "double"
    code = _FORMATS[type_]
    packed = b""
    for part in parts:
        if code in "fd":
            if not _is_float(part):
                raise _bad(part, type_, "it is no number")
            packed += struct.pack(f"<{code}", float(part))
        else:
            packed += _integer(part, int(type_[1:]), type_)[: int(type_[1:]) // 8]
    return packed


def _kept(data: bytes, kept: list[object]) -> int:
    memory = ctypes.create_string_buffer(data, max(len(data), 1))
    kept.append(memory)
    return ctypes.addressof(memory)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group(1)), text, flags=re.DOTALL)


def _bad(text: str, type_: str, why: str) -> UsageError:
    return UsageError(f"cannot use '{text}' as {type_}: {why}", slug="bad-argument", hint="sonde vm: help call")
