"""pprof: a gzipped `profile.proto`, for `go tool pprof` and everything that reads its files.

Source: github.com/google/pprof, `proto/profile.proto`; the field numbers below are from there.
Stacks go leaf first. A frame's line is the line from which it calls the next one, the leaf's is
the line of its definition, because a profile of calls knows no other. Both metrics are always
in the file; the chosen one is shown first.
"""

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import BinaryIO

from sonde.formats.depth_first import depth_first
from sonde.formats.frame_name import NOT_LISTED, plain_text, qualified_name
from sonde.formats.metric import Metric, choose_metric, inclusive
from sonde.formats.protobuf import bytes_field, packed_field, varint, varint_field
from sonde.formats.provenance import statements, title
from sonde.formats.stack_budget import heaviest_within, path_costs
from sonde.formats.unlisted import unlisted_below
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Function

MAX_FRAMES = 64_000_000
"""Frames of all listed stacks together; a million contexts 64 calls deep. `go tool pprof -top`
took 1.3 GB and 12 s for 45 million (Go 1.26), so this is about what a laptop can still open."""

_COMPRESSION_LEVEL = 1
"""Stacks repeat so much that level 6 takes several times longer for little."""

_CHUNK_BYTES = 1 << 20

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 1, 2, 3, 4, 5, 6
_TIME_NANOS, _DURATION_NANOS, _PERIOD_TYPE, _PERIOD, _COMMENT, _DEFAULT_SAMPLE_TYPE = 9, 10, 11, 12, 13, 14


def write_pprof(
    profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None, max_frames: int = MAX_FRAMES
) -> None:
    """Write a profile as gzipped `profile.proto`.

    Sample types are calls/count and, when it was measured, time/nanoseconds. Losses, bounds
    and the origin are comments (`pprof -comments`). The same profile gives the same bytes.

    Args:
        metric: the default sample type; None for time when it was measured.
        max_frames: when all stacks together have more frames, the lightest contexts are
            added up in "(not listed)" leaves.
    Raises:
        UsageError: `no-time-measured`.
    Guarantee: the values of each sample type add up to the profile's total.
    Cost: O(sum of the stacks' lengths) time, at most about twice `max_frames`; memory is
        O(depth) besides 40 bytes a context, 90 when not all stacks fit.
    """
    encoder = _Encoder(profile, choose_metric(profile, metric), max_frames)
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=_COMPRESSION_LEVEL, mtime=0) as packed:
        pending = bytearray()
        for message in encoder.fields():
            pending += message
            if len(pending) >= _CHUNK_BYTES:
                packed.write(pending)
                pending = bytearray()
        packed.write(pending)


class _Encoder:
    """Turns one profile into the fields of one `Profile` message.

    Samples come first and tables last, for what a table holds is known when all samples are
    written; the order of fields means nothing to a reader.
    """

    def __init__(self, profile: ContextProfile, metric: Metric, max_frames: int) -> None:
        self._profile = profile
        self._metric = metric
        self._max_frames = max_frames
        self._strings: dict[str, int] = {"": 0}
        self._locations: dict[tuple[int, int], bytes] = {}
        self._folded = 0

    def fields(self) -> Iterator[bytes | bytearray]:
        """All fields of the message."""
        yield from self._types()
        yield from self._samples()
        yield from self._location_table()
        yield from self._function_table()
        yield from self._about()
        for text in self._strings:
            yield bytes_field(_STRING, text.encode())

    def _types(self) -> Iterator[bytes]:
        units = {"calls": "count", "time": "nanoseconds"} if self._profile.has_time else {"calls": "count"}
        for kind, unit in units.items():
            yield bytes_field(_SAMPLE_TYPE, self._value_type(kind, unit))
        yield bytes_field(_PERIOD_TYPE, self._value_type("calls", "count"))
        if self._profile.sampling is None:
            yield varint_field(_PERIOD, 1)  # every call is counted
        yield varint_field(_DEFAULT_SAMPLE_TYPE, self._string(self._metric))

    def _samples(self) -> Iterator[bytes | bytearray]:
        profile, tree = self._profile, self._profile.contexts
        parent, function, call_line, calls = tree.parent, tree.function, tree.call_line, tree.calls
        depths = path_costs(parent, function, [1] * len(profile.functions))
        listed = heaviest_within(inclusive(profile, self._metric), depths, self._max_frames)
        self._folded = 0 if listed is None else len(tree) - sum(listed)
        missing_calls = unlisted_below(
            parent, calls, tree.total_calls, below_no_root=profile.pruned_root_calls, listed=listed
        )
        missing_ns = unlisted_below(
            parent, tree.self_ns, tree.total_ns, below_no_root=profile.pruned_root_ns, listed=listed
        )
        leaves = [self._location(number, each.first_line) for number, each in enumerate(profile.functions)]
        elsewhere = len(profile.functions)  # the function that stands for what is not listed
        callers = _LeftwardBytes()
        for step in depth_first(parent):
            row = step if step >= 0 else ~step
            if listed is not None and not listed[row]:
                continue
            caller = parent[row]
            if step < 0:
                if caller != NO_PARENT:
                    callers.pop()
                continue
            if caller != NO_PARENT:
                callers.push(self._location(function[caller], call_line[row]))
            if calls[row] or tree.self_ns[row]:
                yield self._sample(leaves[function[row]], callers.view(), calls[row], tree.self_ns[row])
            if missing_calls[row] > 0 or missing_ns[row] > 0:
                callers.push(self._location(function[row], 0))
                leaf = self._location(elsewhere, 0)
                yield self._sample(leaf, callers.view(), max(missing_calls[row], 0), max(missing_ns[row], 0))
                callers.pop()
        if missing_calls[-1] > 0 or missing_ns[-1] > 0:
            yield self._sample(self._location(elsewhere, 0), b"", missing_calls[-1], missing_ns[-1])

    def _sample(self, leaf: bytes, callers: bytes | memoryview, calls: int, self_ns: int) -> bytearray:
        values = varint(calls) + varint(self_ns) if self._profile.has_time else varint(calls)
        locations_head = b"\x0a" + varint(len(leaf) + len(callers)) + leaf  # field 1, packed
        values_field = b"\x12" + varint(len(values)) + values  # field 2, packed
        message = bytearray(b"\x12")  # field 2 of Profile
        message += varint(len(locations_head) + len(callers) + len(values_field))
        message += locations_head
        message += callers
        message += values_field
        return message

    def _location(self, function: int, line: int) -> bytes:
        """The encoded id of a place, which is its rank of first use, from 1."""
        known = self._locations.get((function, line))
        if known is None:
            known = self._locations[function, line] = varint(len(self._locations) + 1)
        return known

    def _location_table(self) -> Iterator[bytes]:
        for identity, (function, line) in enumerate(self._locations, 1):
            where = varint_field(1, function + 1) + varint_field(2, line)
            yield bytes_field(_LOCATION, varint_field(1, identity) + varint_field(2, 1) + bytes_field(4, where))

    def _function_table(self) -> Iterator[bytes]:
        unlisted = Function(NOT_LISTED, "", "", 0)
        for identity, function in enumerate((*self._profile.functions, unlisted), 1):
            yield bytes_field(
                _FUNCTION,
                varint_field(1, identity)
                + varint_field(2, self._string(qualified_name(function)))
                + varint_field(3, self._string(plain_text(function.name)))
                + varint_field(4, self._string(plain_text(function.file)))
                + varint_field(5, function.first_line),
            )

    def _about(self) -> Iterator[bytes]:
        # One mapping, the program, that declares all names known: nothing is left to symbolize.
        has_functions, has_filenames, has_line_numbers = varint_field(7, 1), varint_field(8, 1), varint_field(9, 1)
        yield bytes_field(
            _MAPPING,
            varint_field(1, 1)
            + varint_field(5, self._string(title(self._profile)))
            + (has_functions + has_filenames + has_line_numbers),
        )
        said = statements(self._profile)
        if self._folded:
            said.append(
                f"missing: {self._folded} lighter contexts have no stack of their own, all stacks together would have"
                f" more than {self._max_frames} frames; their weight is in '{NOT_LISTED}' leaves"
            )
        yield packed_field(_COMMENT, map(self._string, said))
        yield varint_field(_TIME_NANOS, _epoch_ns(self._profile.run.started_at))
        yield varint_field(_DURATION_NANOS, self._profile.run.duration_ns)

    def _value_type(self, kind: str, unit: str) -> bytes:
        return varint_field(1, self._string(kind)) + varint_field(2, self._string(unit))

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))


class _LeftwardBytes:
    """A stack of byte strings, last pushed first: how a stack is written leaf first in O(depth)."""

    def __init__(self) -> None:
        self._buffer = bytearray(4096)
        self._starts = [len(self._buffer)]

    def push(self, piece: bytes) -> None:
        end = self._starts[-1]
        if end < len(piece):
            grown = len(self._buffer)
            self._buffer = bytearray(grown) + self._buffer
            self._starts = [start + grown for start in self._starts]
            end += grown
        self._starts.append(end - len(piece))
        self._buffer[end - len(piece) : end] = piece

    def pop(self) -> None:
        self._starts.pop()

    def view(self) -> memoryview:
        return memoryview(self._buffer)[self._starts[-1] :]


def _epoch_ns(started_at: str) -> int:
    """Nanoseconds since 1970 of an ISO 8601 moment, UTC unless it says otherwise; 0, unknown, when it is not one."""
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000
