"""Where the time went, by a pprof profile (`profile.proto`, gzipped or not)."""

import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import ProfileEntry, TimeProfile
from sonde.instruments.decisions.time_profiles.opening import unreadable
from sonde.instruments.decisions.time_profiles.wire_format import fields, numbers, signed

_GZIP = b"\x1f\x8b"
_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING, _COMMENT, _DEFAULT = 1, 2, 3, 4, 5, 6, 13, 14
_IN_BYTES = frozenset({1, 2, 3, 4, 5, 6, 11})
"""Fields that are text or messages; the others are numbers, comments perhaps packed."""
_LAST, _LOOKED_AT = 15, 16
"""The highest number of a field; and how many stand before the one that says what is counted, at most: those of Go's
runtime, which writes numbers first."""
_TIME_UNITS = {"nanoseconds": 1, "microseconds": 1_000, "milliseconds": 1_000_000, "seconds": 1_000_000_000}
_UNKNOWN = "[unknown]"
_LONGEST = 1 << 31
"""Bytes of an unpacked profile; more than any profiler writes."""

Unit = Literal["cycles", "nanoseconds", "samples", "calls"]


def is_pprof(head: bytes) -> bool:
    """Whether a file that begins so may be a pprof profile: its first fields, gzipped or not, are those of one, and say
    what its samples count."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head)
        except zlib.error:
            return False
    try:
        for number, value in islice(fields(head), _LOOKED_AT):
            is_odd = isinstance(value, bytes) != (number in _IN_BYTES) and number != _COMMENT
            if is_odd or number > _LAST:
                return False
            if number == _SAMPLE_TYPE and isinstance(value, bytes):
                return {each for each, _ in fields(value)} <= {1, 2} and len(value) > 0
    except ValueError:
        pass
    return False


def read_pprof(path: Path) -> TimeProfile:
    """Sum up the samples by the function whose code ran.

    Of the values that samples have, the one that is a time; else the profile's default, else the last. Code that was
    inlined counts for the function that it was inlined into: the outermost line of the innermost location.

    Raises:
        InputError: `bad-pprof`, `unreadable-time-profile`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        return _Pprof(_unpacked(data)).times()
    except (ValueError, IndexError, zlib.error) as error:
        raise InputError(
            f"cannot use the profile '{path}': {error}",
            slug="bad-pprof",
            hint="go tool pprof -raw FILE shows whether others can read it",
        ) from error


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    unpacker = zlib.decompressobj(31)
    unpacked = unpacker.decompress(data, _LONGEST)
    if not unpacker.eof:
        raise ValueError("its packed data are cut off" if not unpacker.unconsumed_tail else "it is too large")
    return unpacked


@dataclass(slots=True)
class _Location:
    mapping: int = 0
    functions: list[int] = field(default_factory=list)
    """Innermost first: inlined ones, then the one that has the code."""


class _Pprof:
    """A decoded profile. ValueError or IndexError where it is not as the definition says."""

    def __init__(self, data: bytes) -> None:
        self.strings: list[str] = []
        self.types: list[tuple[int, int]] = []
        self.samples: list[bytes] = []
        self.functions: dict[int, tuple[int, int, int, int]] = {}
        self.locations: dict[int, _Location] = {}
        self.mappings: dict[int, int] = {}
        self.default = 0
        for number, value in fields(data):
            if number == _STRING and isinstance(value, bytes):
                self.strings.append(value.decode("utf-8", "replace"))
            elif number == _DEFAULT and isinstance(value, int):
                self.default = value
            elif isinstance(value, bytes):
                self._message(number, value)
        if not self.types:
            raise ValueError("it does not say what its samples count")

    def _message(self, number: int, value: bytes) -> None:
        if number == _SAMPLE:
            self.samples.append(value)
        elif number == _SAMPLE_TYPE:
            one = _single(value)
            self.types.append((one.get(1, 0), one.get(2, 0)))
        elif number == _MAPPING:
            one = _single(value)
            self.mappings[one.get(1, 0)] = one.get(5, 0)
        elif number == _FUNCTION:
            one = _single(value)
            self.functions[one.get(1, 0)] = (one.get(2, 0), one.get(3, 0), one.get(4, 0), one.get(5, 0))
        elif number == _LOCATION:
            location, identity = _Location(), 0
            for at, each in fields(value):
                if at == 1 and isinstance(each, int):
                    identity = each
                elif at == 2 and isinstance(each, int):
                    location.mapping = each
                elif at == 4 and isinstance(each, bytes):
                    location.functions.append(_single(each).get(1, 0))
            self.locations[identity] = location

    def times(self) -> TimeProfile:
        column, unit, scale = self._column()
        sums: Counter[tuple[str, str, int]] = Counter()
        counted = self._counts()
        samples = 0
        for sample in self.samples:
            stack: list[int] = []
            values: list[int] = []
            for number, value in fields(sample):
                if number == 1:
                    stack += numbers(value)
                elif number == 2:
                    values += numbers(value)
            if len(values) != len(self.types):
                raise ValueError(f"a sample has {len(values)} values, the profile declares {len(self.types)}")
            samples += signed(values[counted]) if counted is not None else 0
            period = signed(values[column]) * scale
            if period:
                sums[self._what_ran(stack)] += period
        entries = tuple(
            ProfileEntry(name, period, file=file, line=line)
            for (name, file, line), period in sorted(sums.items(), key=lambda item: (-item[1], item[0]))
        )
        kind = self.strings[self.types[column][0]]
        known = None if counted is None else samples
        return TimeProfile(sum(sums.values()), unit, entries, f"pprof, {kind}", known)

    def _counts(self) -> int | None:
        """Which of the values says how many samples there were."""
        named = [self.strings[kind] for kind, _ in self.types]
        return next((place for place, name in enumerate(named) if name in ("samples", "sample")), None)

    def _column(self) -> tuple[int, Unit, int]:
        named = [(self.strings[kind], self.strings[unit]) for kind, unit in self.types]
        timed = [k for k, (_, unit) in enumerate(named) if unit in _TIME_UNITS]
        default = [k for k, (kind, _) in enumerate(named) if self.default and kind == self.strings[self.default]]
        chosen = next((k for k in default if k in timed), None)
        if chosen is None:
            chosen = timed[-1] if timed else default[0] if default else len(named) - 1
        kind, unit = named[chosen]
        if unit in _TIME_UNITS:
            return chosen, "nanoseconds", _TIME_UNITS[unit]
        if unit == "bytes":
            raise ValueError(f"its samples count {kind} in bytes, not time")
        return chosen, "cycles" if "cycles" in (kind, unit) else "calls" if kind == "calls" else "samples", 1

    def _what_ran(self, stack: list[int]) -> tuple[str, str, int]:
        location = self.locations.get(stack[0]) if stack else None
        if location is None:
            return _UNKNOWN, "", 0
        if not location.functions:
            return _UNKNOWN, self.strings[self.mappings.get(location.mapping, 0)], 0
        name, system, file, line = self.functions.get(location.functions[-1], (0, 0, 0, 0))
        return self.strings[system or name] or _UNKNOWN, self.strings[file], line


def _single(message: bytes) -> Mapping[int, int]:
    return {number: value for number, value in fields(message) if isinstance(value, int)}
