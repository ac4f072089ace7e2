"""An independent reader of `profile.proto`, as far as sonde's tests need it.

Written from the published message definition, sharing nothing with the writer.
"""

import gzip
from dataclasses import dataclass, field


@dataclass
class Pprof:
    """A decoded profile with all references resolved."""

    sample_types: list[tuple[str, str]] = field(default_factory=list)
    samples: list[tuple[list[tuple[str, int]], list[int]]] = field(default_factory=list)
    """Frames (function name, line) leaf first, and one value per sample type."""
    functions: list[tuple[str, str, str, int]] = field(default_factory=list)
    """name, system name, file name, start line."""
    comments: list[str] = field(default_factory=list)
    default_sample_type: str = ""
    time_nanos: int = 0
    duration_nanos: int = 0


def read_pprof(data: bytes) -> Pprof:
    """Decode a gzipped profile.

    Raises:
        ValueError: the data are not what the definition says.
    """
    top = _fields(gzip.decompress(data))
    strings = [value.decode("utf-8", "strict") for number, value in top if number == 6 and isinstance(value, bytes)]
    if strings[0] != "":
        raise ValueError(f"string 0 is {strings[0]!r}")

    def messages(number: int) -> "list[list[tuple[int, int | bytes]]]":
        return [_fields(value) for at, value in top if at == number and isinstance(value, bytes)]

    functions: dict[int, tuple[str, str, str, int]] = {}
    for message in messages(5):
        one = _single(message)
        functions[one[1]] = (strings[one[2]], strings[one.get(3, 0)], strings[one.get(4, 0)], one.get(5, 0))
    mappings = {_single(message)[1] for message in messages(3)}
    locations: dict[int, tuple[str, int]] = {}
    for message in messages(4):
        (line,) = [_single(_fields(value)) for number, value in message if number == 4 and isinstance(value, bytes)]
        one = _single([each for each in message if each[0] != 4])
        if one[2] not in mappings:
            raise ValueError(f"location {one[1]} names mapping {one[2]}")
        locations[one[1]] = (functions[line[1]][0], line.get(2, 0))
    if 0 in functions or 0 in locations:
        raise ValueError("0 is not an id")
    result = Pprof(functions=list(functions.values()))
    for message in messages(1):
        one = _single(message)
        result.sample_types.append((strings[one[1]], strings[one[2]]))
    for message in messages(2):
        stack = [locations[each] for each in _packed(message, 1)]
        values = _packed(message, 2)
        if len(values) != len(result.sample_types):
            raise ValueError(f"sample has {len(values)} values, profile declares {len(result.sample_types)}")
        result.samples.append((stack, values))
    result.comments = [strings[each] for each in _packed(top, 13)]
    scalars = _single([each for each in top if each[0] in (9, 10, 14)])
    result.default_sample_type = strings[scalars.get(14, 0)]
    result.time_nanos = scalars.get(9, 0)
    result.duration_nanos = scalars.get(10, 0)
    return result


def _fields(data: bytes) -> "list[tuple[int, int | bytes]]":
    fields: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        value, at = _varint(data, at)
        if key & 7 == 0:
            fields.append((key >> 3, value))
        elif key & 7 == 2:
            if at + value > len(data):
                raise ValueError(f"field {key >> 3} is cut off")
            fields.append((key >> 3, data[at : at + value]))
            at += value
        else:
            raise ValueError(f"wire type {key & 7} is not used in this message")
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return (value - (1 << 64) if value >> 63 else value), at
        shift += 7


def _single(message: "list[tuple[int, int | bytes]]") -> dict[int, int]:
    """Integer fields that may occur once."""
    found: dict[int, int] = {}
    for number, value in message:
        if isinstance(value, int):
            if number in found:
                raise ValueError(f"field {number} occurs twice")
            found[number] = value
    return found


def _packed(message: "list[tuple[int, int | bytes]]", wanted: int) -> list[int]:
    values: list[int] = []
    for number, value in message:
        if number == wanted and isinstance(value, bytes):
            at = 0
            while at < len(value):
                one, at = _varint(value, at)
                values.append(one)
    return values
