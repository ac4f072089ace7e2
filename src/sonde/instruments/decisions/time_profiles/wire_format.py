"""As much of the protocol buffer wire format as a reader of profiles needs.

Source: protobuf.dev, "Encoding": a field is its number and wire type, then a varint (type 0), eight bytes (1), a length
and that many bytes (2), or four bytes (5).
"""

from collections.abc import Iterator

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_SIGN = 1 << 63


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    r"""The fields of a message, in order: number, and a number or bytes.

    Raises:
        ValueError: the bytes are no message, or end in the middle of one.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi"))
    [(1, 150), (2, b'hi')]
    """
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if not number:
            raise ValueError("a field has number 0")
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            length, at = _varint(data, at)
        elif kind in (_EIGHT, _FOUR):
            length = 8 if kind == _EIGHT else 4
        else:
            raise ValueError(f"field {number} has wire type {kind}")
        if at + length > end:
            raise ValueError(f"field {number} is cut off")
        yield number, data[at : at + length]
        at += length


def signed(value: int) -> int:
    """A varint as an int64.

    >>> signed((1 << 64) - 1)
    -1
    """
    value &= (_SIGN << 1) - 1
    return value - (_SIGN << 1) if value >= _SIGN else value


def numbers(value: int | bytes) -> list[int]:
    """One occurrence of a repeated integer field, packed or not. Raises: ValueError."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        one, at = _varint(value, at)
        found.append(one)
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number is cut off" if at >= len(data) else "a number is too long")
