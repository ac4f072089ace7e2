"""Speedscope: a profile for https://www.speedscope.app, as its "evented" type.

Speedscope's "sampled" type spells every stack in full, which is quadratic for deep trees; its
"evented" type only says where each box opens and closes, so the file is O(n) at any depth.
The price is that positions look like moments. They are not, and the profile's name says so;
the "Left Heavy" and "Sandwich" views ignore positions. Speedscope itself recurses: version
1.25.0 opened 5,000 nested calls and gave up on 8,000.
"""

import json
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from sonde.formats.depth_first import depth_first
from sonde.formats.frame_name import NOT_LISTED, plain_text, qualified_name
from sonde.formats.json_stream import write_items
from sonde.formats.metric import Metric, below_no_root, choose_metric, exclusive, inclusive, whole
from sonde.formats.provenance import EXPORTER, record, title
from sonde.formats.unlisted import unlisted_below
from sonde.instruments.contexts.profile import ContextProfile, Function, time_name

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write_speedscope(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    """Write a profile as speedscope JSON.

    Contexts that weigh nothing in the chosen metric have no width and are left out; run,
    losses, bounds and their like are under the key `sonde`, which speedscope passes over.

    Args:
        metric: what widths mean, nanoseconds or calls; None for time when it was measured.
    Raises:
        UsageError: `no-time-measured`.
    Guarantee: all boxes together are as wide as the profile's total in the metric.
    Cost: O(n) time and output, about 90 bytes a context; 24 bytes of memory a context.
    """
    chosen = choose_metric(profile, metric)
    what = time_name(profile) if chosen == "time" else "calls"
    head = {
        "$schema": SCHEMA,
        "exporter": EXPORTER,
        "name": title(profile),
        "activeProfileIndex": 0,
        "sonde": record(profile, chosen),
    }
    body = {
        "type": "evented",
        "name": f"{what} per calling context (summed up, not a timeline)",
        "unit": "nanoseconds" if chosen == "time" else "none",
        "startValue": 0,
        "endValue": whole(profile, chosen),
    }
    stream.write(_open(head) + b',\n"shared":{"frames":[\n')
    write_items(stream, _frames(profile.functions))
    stream.write(b'\n]},\n"profiles":[' + _open(body) + b',\n"events":[\n')
    write_items(stream, _events(profile, chosen))
    stream.write(b"\n]}]}\n")


def _open(fields: Mapping[str, object]) -> bytes:
    """A JSON object without its closing brace."""
    return json.dumps(fields)[:-1].encode("ascii")


def _frames(functions: tuple[Function, ...]) -> Iterator[str]:
    for function in functions:
        frame: dict[str, object] = {"name": qualified_name(function)}
        if function.file:
            frame["file"] = plain_text(function.file)
        if function.first_line:
            frame["line"] = function.first_line
        yield json.dumps(frame)
    yield json.dumps({"name": NOT_LISTED})


def _events(profile: ContextProfile, metric: Metric) -> Iterator[str]:
    tree = profile.contexts
    function, own, total = tree.function, exclusive(profile, metric), inclusive(profile, metric)
    missing = unlisted_below(tree.parent, own, total, below_no_root=below_no_root(profile, metric))
    opens = [f'{{"type":"O","frame":{number},"at":' for number in range(len(profile.functions) + 1)]
    closes = [f'{{"type":"C","frame":{number},"at":' for number in range(len(profile.functions) + 1)]
    at = 0
    for step in depth_first(tree.parent):
        if step >= 0:
            if total[step]:
                yield f"{opens[function[step]]}{at}}}"
        elif total[row := ~step]:
            if missing[row] > 0:
                yield f"{opens[-1]}{at}}}"
                at += missing[row]
                yield f"{closes[-1]}{at}}}"
            at += own[row]
            yield f"{closes[function[row]]}{at}}}"
    if missing[-1] > 0:
        yield f"{opens[-1]}{at}}}"
        yield f"{closes[-1]}{at + missing[-1]}}}"
