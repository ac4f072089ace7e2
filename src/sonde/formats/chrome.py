"""Chrome trace events: a profile for https://ui.perfetto.dev and chrome://tracing.

A calling context tree has no time axis, so it is laid out as one: each context is as wide as
its total, callees are packed from its left edge, what is left on the right is its own. The
name of the track, and `otherData`, say that this is a sum over the run and not a timeline.
Perfetto draws at most 512 nested events and reports deeper ones as dropped; the file holds
them all.

Each context is a pair of begin and end events, not one complete ("X") event: times are in
microseconds, so nanoseconds are decimal fractions, and a reader that adds the start and the
duration of an X event gets an end that differs in the last bit from where its sibling starts
or its caller ends. Perfetto drops such an event, others draw the sibling inside it. Begin and
end events have each moment once, so no rounding can make them overlap.
"""

import json
from collections.abc import Iterator
from typing import BinaryIO

from sonde.formats.depth_first import depth_first
from sonde.formats.frame_name import NOT_LISTED, plain_text, qualified_name
from sonde.formats.json_stream import write_items
from sonde.formats.metric import Metric, below_no_root, choose_metric, exclusive, inclusive
from sonde.formats.provenance import record, title
from sonde.formats.unlisted import unlisted_below
from sonde.instruments.contexts.profile import ContextProfile, Function, time_name


def write_chrome(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    """Write a profile as trace event JSON.

    Contexts that weigh nothing in the chosen metric have no width; they are left out and
    counted in `otherData`. `displayTimeUnit` is not written: some readers took it as the
    unit of the file.

    Args:
        metric: what widths mean: a nanosecond is drawn as itself, a call as one
            microsecond. None for time when it was measured.
    Raises:
        UsageError: `no-time-measured`.
    Guarantee: all boxes together are as wide as the profile's total in the metric.
    Cost: O(n) time and output, about 250 bytes a context; 24 bytes of memory a context.
    """
    chosen = choose_metric(profile, metric)
    weightless = sum(1 for weight in inclusive(profile, chosen) if not weight)
    about = {**record(profile, chosen), "weightless_contexts_left_out": weightless}
    stream.write(b'{"traceEvents":[\n')
    write_items(stream, _events(profile, chosen))
    stream.write(b'\n],\n"otherData":' + json.dumps(about).encode("ascii") + b"}\n")


def _events(profile: ContextProfile, metric: Metric) -> Iterator[str]:
    yield _name("process_name", title(profile))
    unit = time_name(profile) if metric == "time" else "calls, 1 us = 1 call"
    yield _name("thread_name", f"summed up per calling context, not a timeline ({unit})")

    tree = profile.contexts
    own, total = exclusive(profile, metric), inclusive(profile, metric)
    missing = unlisted_below(tree.parent, own, total, below_no_root=below_no_root(profile, metric))
    begins = [_begin(each) for each in profile.functions]
    micro = _microseconds if metric == "time" else str
    at = 0
    for step in depth_first(tree.parent):
        if step >= 0:
            if total[step]:
                yield (
                    f'{begins[tree.function[step]]}"called_from_line":{tree.call_line[step]},'
                    f'"calls":{tree.calls[step]},"total_calls":{tree.total_calls[step]},'
                    f'"self_ns":{tree.self_ns[step]},"total_ns":{tree.total_ns[step]}}},"ts":{micro(at)}}}'
                )
        elif total[row := ~step]:
            if missing[row] > 0:
                yield _unlisted(micro(at))
                at += missing[row]
                yield _end(micro(at))
            at += own[row]
            yield _end(micro(at))
    if missing[-1] > 0:
        yield _unlisted(micro(at))
        yield _end(micro(at + missing[-1]))


def _begin(function: Function) -> str:
    """All of a begin event that depends on the function alone, up to the middle of its `args`."""
    name = json.dumps(qualified_name(function))
    place = json.dumps(plain_text(function.place))
    return f'{{"ph":"B","pid":1,"tid":1,"name":{name},"args":{{"place":{place},'


def _unlisted(at: str) -> str:
    return f'{{"ph":"B","pid":1,"tid":1,"name":"{NOT_LISTED}","ts":{at}}}'


def _end(at: str) -> str:
    return f'{{"ph":"E","pid":1,"tid":1,"ts":{at}}}'


def _name(what: str, text: str) -> str:
    return json.dumps({"ph": "M", "pid": 1, "tid": 1, "name": what, "args": {"name": text}})


def _microseconds(nanoseconds: int) -> str:
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"
