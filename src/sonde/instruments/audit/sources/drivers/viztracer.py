"""VizTracer, by the trace that it writes."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.program_code import CodeName

_NAME = re.compile(r"(.*) \((.*):(\d+)\)", re.DOTALL)
_SLACK_US = 1e-3
"""Times are told in thousandths of a microsecond."""


def _read(path: Path) -> Told:
    """Complete events, a stack for each thread; time in C functions is that of the Python function around them.

    Raises:
        UnreadableAnswer: it is none.
    """
    threads: dict[tuple[Any, Any], list[tuple[float, float, str]]] = {}
    told = Told()
    try:
        for event in json.loads(path.read_bytes())["traceEvents"]:
            if event["ph"] == "X":
                thread = threads.setdefault((event["pid"], event["tid"]), [])
                thread.append((event["ts"], event["dur"], event["name"]))
        microseconds = sum(_add(told, events) for events in threads.values())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableAnswer(f"'{path.name}' is no trace of VizTracer: {error}") from error
    told.total_ns = round(microseconds * 1e3)
    return told


def _add(told: Told, events: Iterable[tuple[float, float, str]]) -> float:
    """Add a thread's functions; returns the time that its outermost ones took, in microseconds."""
    total = 0.0
    running: list[tuple[float, CodeName | None]] = []  # ends, and the Python function that runs then
    for begins, takes, name in sorted(events, key=lambda event: (event[0], -event[1])):
        ends = begins + takes
        while running and running[-1][0] < ends - _SLACK_US:
            running.pop()
        around = running[-1][1] if running else None
        found = _NAME.fullmatch(name)
        own = CodeName(found[2], int(found[3]), found[1]) if found else around
        if own is not None:
            told.add(own, takes)
        if around is not None:
            told.add(around, -takes)
        if not running:
            total += takes
        running.append((ends, own))
    return total


VIZTRACER = Driver(
    name="viztracer",
    command=lambda program, output: [
        *(program.python, "-m", "viztracer", "--quiet", "-o", f"{output}.json", "--"),
        *program.words,
    ],
    read=lambda path: _read(path.with_name(f"{path.name}.json")),
    module="viztracer",
    distribution="viztracer",
    own_code=("/viztracer/",),
)
