"""As much of the protocol buffer wire format as a writer needs.

Source: protobuf.dev, "Encoding": base-128 varints, least significant group first; a field is
its number and wire type, then a varint (type 0) or a length and that many bytes (type 2).
"""

from collections.abc import Iterable

_VARINT = 0
_BYTES = 2
_UINT64_MASK = (1 << 64) - 1


def varint(value: int) -> bytes:
    r"""Encode an int64 or uint64; negative numbers take ten bytes, as the format has it.

    >>> varint(300)
    b'\xac\x02'
    """
    if 0 <= value < 0x80:
        return _ONE_BYTE[value]
    value &= _UINT64_MASK
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def varint_field(number: int, value: int) -> bytes:
    """A whole integer field; nothing for zero, which is what readers assume."""
    return varint(number << 3 | _VARINT) + varint(value) if value else b""


def bytes_field(number: int, payload: bytes) -> bytes:
    """A whole field of bytes, text or a nested message."""
    return varint(number << 3 | _BYTES) + varint(len(payload)) + payload


def packed_field(number: int, values: Iterable[int]) -> bytes:
    """A whole repeated integer field in packed form."""
    return bytes_field(number, b"".join(map(varint, values)))


_ONE_BYTE = [bytes((value,)) for value in range(0x80)]
