"""pprof profiles: which value is the time, inlined lines, unknown code, damage."""

import gzip
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.formats.protobuf import bytes_field, packed_field, varint_field
from sonde.instruments.decisions.model import ProfileEntry
from sonde.instruments.decisions.time_profiles import read_pprof, read_time_profile

STRINGS = ("", "samples", "count", "cpu", "nanoseconds", "leaf", "outer", "_Z5outerv", "a.cc", "libx.so", "bytes", "ms")


def text(word: str) -> int:
    return STRINGS.index(word)


def value_type(kind: str, unit: str) -> bytes:
    return varint_field(1, text(kind)) + varint_field(2, text(unit))


def function(number: int, name: str, system: str = "", line: int = 0) -> bytes:
    fields = varint_field(1, number) + varint_field(2, text(name)) + varint_field(3, text(system))
    return fields + varint_field(4, text("a.cc")) + varint_field(5, line)


def location(number: int, *functions: int) -> bytes:
    lines = b"".join(bytes_field(4, varint_field(1, each) + varint_field(2, 7)) for each in functions)
    return varint_field(1, number) + varint_field(2, 1) + varint_field(3, 0x401000) + lines


def profile(*types: bytes, samples: tuple[bytes, ...]) -> bytes:
    message = b"".join(bytes_field(1, each) for each in types)
    message += b"".join(bytes_field(2, each) for each in samples)
    message += bytes_field(3, varint_field(1, 1) + varint_field(5, text("libx.so")))
    # Location 1 is `leaf` inlined into `outer`; location 2 is in a library without symbols.
    message += bytes_field(4, location(1, 1, 2)) + bytes_field(4, location(2))
    message += bytes_field(5, function(1, "leaf", line=3)) + bytes_field(5, function(2, "outer", "_Z5outerv", 10))
    return message + b"".join(bytes_field(6, each.encode()) for each in STRINGS)


def sample(stack: tuple[int, ...], values: tuple[int, ...], packed: bool = True) -> bytes:
    if packed:
        return packed_field(1, stack) + packed_field(2, values)
    return b"".join(varint_field(1, each) for each in stack) + b"".join(varint_field(2, each) for each in values)


CPU = (value_type("samples", "count"), value_type("cpu", "nanoseconds"))


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_time_goes_to_the_function_that_has_the_code(tmp_path: Path, zipped: bool, packed: bool) -> None:
    data = profile(*CPU, samples=(sample((1, 2), (3, 30), packed), sample((2, 1), (1, 10), packed)))
    path = tmp_path / "cpu.pprof"
    path.write_bytes(gzip.compress(data) if zipped else data)

    read = read_time_profile(path)

    assert (read.total, read.unit, read.source) == (40, "nanoseconds", "pprof, cpu")
    assert read.entries == (
        ProfileEntry("_Z5outerv", 30, file="a.cc", line=10),
        ProfileEntry("[unknown]", 10, file="libx.so"),
    )


def test_numbers_may_stand_before_what_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "go.pprof"
    path.write_bytes(varint_field(9, 1795320584003276041) + profile(*CPU, samples=(sample((1,), (3, 30)),)))

    assert read_time_profile(path).total == 30


def test_without_a_time_samples_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pprof"
    path.write_bytes(profile(value_type("samples", "count"), samples=(sample((1,), (3,)),)))

    assert (read_pprof(path).total, read_pprof(path).unit) == (3, "samples")


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (profile(value_type("samples", "bytes"), samples=()), "in bytes, not time"),
        (profile(*CPU, samples=(sample((1,), (3,)),)), "1 values, the profile declares 2"),
        (profile(*CPU, samples=())[:-3], "cut off"),
        (gzip.compress(profile(*CPU, samples=()))[:-20], "cut off"),
        (profile(samples=()), "does not say what"),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(tmp_path: Path, data: bytes, fact: str) -> None:
    path = tmp_path / "cpu.pprof"
    path.write_bytes(data)

    with pytest.raises(InputError, match=fact) as refused:
        read_pprof(path)

    assert refused.value.slug == "bad-pprof"
