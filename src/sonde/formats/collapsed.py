r"""Collapsed stacks: one line per stack, `outer;inner;leaf weight`, for flame graph tools.

The format has no header and no comments: what a profile lacks cannot be said in it, except
for weight that belongs to contexts not listed, which is a frame of its own. In names, `\` is
written `\\`, `;` is `\x3b` and line breaks are `\n`, `\r` and the like, so that different
names stay different.
"""

from collections.abc import Iterator
from typing import BinaryIO

from sonde.formats.depth_first import depth_first
from sonde.formats.frame_name import NOT_LISTED, qualified_name
from sonde.formats.metric import Metric, below_no_root, choose_metric, exclusive, inclusive
from sonde.formats.stack_budget import heaviest_within, path_costs
from sonde.formats.unlisted import unlisted_below
from sonde.instruments.contexts.profile import ContextProfile, Function

MAX_BYTES = 1 << 30
"""Size of all listed stacks together; a million contexts thirty calls deep take about this much."""

_CHUNK_BYTES = 1 << 20

_LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Everything that some reader takes for the end of a line; as `str.splitlines` has it."""

_ESCAPES = {ord(";"): r"\x3b"} | {ord(c): c.encode("unicode_escape").decode() for c in "\\" + _LINE_BREAKS}


def write_collapsed(
    profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None, max_bytes: int = MAX_BYTES
) -> None:
    """Write a profile as collapsed stacks, UTF-8.

    One line per context that weighs something by itself. A function called from two lines of
    the same caller gives two lines with the same stack; readers add them up.

    Args:
        metric: what the weight is, nanoseconds or calls; None for time when it was measured.
        max_bytes: when all stacks would take more, the lightest contexts are added up in
            "(not listed)" leaves.
    Raises:
        UsageError: `no-time-measured`.
    Guarantee: the weights add up to the profile's total in the metric.
    Cost: time and output are the sum of all stacks' lengths, at most about twice `max_bytes`;
        memory is O(depth) besides 40 bytes a context, 90 when not all stacks fit.
    """
    chosen = choose_metric(profile, metric)
    pending = bytearray()
    for line in _lines(profile, chosen, max_bytes):
        pending += line
        if len(pending) >= _CHUNK_BYTES:
            stream.write(pending)
            pending = bytearray()
    stream.write(pending)


def _lines(profile: ContextProfile, metric: Metric, max_bytes: int) -> Iterator[bytes | bytearray]:
    tree = profile.contexts
    function, own, total = tree.function, exclusive(profile, metric), inclusive(profile, metric)
    frames = [collapsed_frame(each) + b";" for each in profile.functions]
    costs = path_costs(tree.parent, function, [len(frame) for frame in frames])
    listed = heaviest_within(total, costs, max_bytes)
    missing = unlisted_below(tree.parent, own, total, below_no_root=below_no_root(profile, metric), listed=listed)
    elsewhere = NOT_LISTED.encode()
    path = bytearray()
    for step in depth_first(tree.parent):
        row = step if step >= 0 else ~step
        if listed is not None and not listed[row]:
            continue
        frame = frames[function[row]]
        if step < 0:
            del path[-len(frame) :]
            continue
        path += frame
        if own[row]:
            yield path[:-1] + b" %d\n" % own[row]
        if missing[row] > 0:
            yield path + elsewhere + b" %d\n" % missing[row]
    if missing[-1] > 0:
        yield elsewhere + b" %d\n" % missing[-1]


def collapsed_frame(function: Function) -> bytes:
    """A function as one frame of a line."""
    return qualified_name(function).translate(_ESCAPES).encode()
