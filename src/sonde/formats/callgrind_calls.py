"""The callgrind format for calling contexts: who calls whom from which line, for callgrind_annotate and KCachegrind.

The format knows calls, not contexts: all contexts of a function are one, and so are its calls from one line. What a
function did itself is on the line of its definition, as nothing is known of its other lines. "(program)" calls what
nothing called. In profiles of bounded memory, "(not listed)" is a function that is called where contexts were given up.

callgrind_annotate takes what the calls of a function cost for its inclusive value. So a call costs what ran in it, but
within the same function nothing: that is in the outer call's cost already. Functions of one name in one file are one to
the format's readers, and what one of them costs within another counts twice.
"""

from collections.abc import Iterator
from typing import BinaryIO

from sonde.formats.callgrind_names import CallgrindNames, one_line
from sonde.formats.depth_first import depth_first
from sonde.formats.frame_name import NOT_LISTED, qualified_name
from sonde.formats.metric import Metric, below_no_root, choose_metric, exclusive, inclusive, whole
from sonde.formats.provenance import EXPORTER, statements, title
from sonde.formats.unlisted import unlisted_below
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile

_EVENTS = {"time": "ns", "calls": "Calls"}

_PROGRAM = "(program)"

_Call = tuple[int, int]
"""Line in the caller, and function that is called."""


def write_callgrind_calls(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    """Write the call graph of a profile, UTF-8.

    Args:
        metric: what is counted, nanoseconds or calls; None for time when it was measured.
    Raises:
        UsageError: `no-time-measured`.
    Guarantee: own counts add up to the profile's total; what calls of a function cost, to its inclusive value, in
        which recursion counts once.
    Cost: O(n) time and memory for n contexts.
    """
    for line in _lines(profile, choose_metric(profile, metric)):
        stream.write(line.encode() + b"\n")


def _lines(profile: ContextProfile, metric: Metric) -> Iterator[str]:
    own, calls = _call_graph(profile, metric)
    yield "# callgrind format"
    yield "version: 1"
    yield f"creator: {EXPORTER}"
    yield f"cmd: {one_line(title(profile))}"
    for statement in statements(profile):
        yield f"desc: {one_line(statement)}"
    yield "positions: line"
    yield f"events: {_EVENTS[metric]}"
    yield f"summary: {whole(profile, metric)}"
    names = CallgrindNames()
    told = [(each.file, qualified_name(each), each.first_line) for each in profile.functions] + [
        ("", NOT_LISTED, 0),
        ("", _PROGRAM, 0),
    ]
    for function in sorted(own, key=lambda function: (told[function][0], function)):
        file, name, first_line = told[function]
        yield ""
        yield f"fl={names.of('fl', file)}"
        yield f"fn={names.of('fn', name)}"
        yield f"{first_line} {own[function]}"
        for (line, callee), (count, cost) in sorted(calls.get(function, {}).items()):
            its_file, its_name, target = told[callee]
            if its_file != file:
                yield f"cfi={names.of('fl', its_file)}"
            yield f"cfn={names.of('fn', its_name)}"
            yield f"calls={count} {target}"
            yield f"{line} {cost}"


def _call_graph(profile: ContextProfile, metric: Metric) -> tuple[dict[int, int], dict[int, dict[_Call, list[int]]]]:
    """Own counts by function; by caller, its calls with their number and what they cost."""
    tree, not_listed, program = profile.contexts, len(profile.functions), len(profile.functions) + 1
    own = {program: 0}
    calls: dict[int, dict[_Call, list[int]]] = {}

    def add(caller: int, call: _Call, count: int, cost: int) -> None:
        sums = calls.setdefault(caller, {}).setdefault(call, [0, 0])
        sums[0] += max(1, count)  # of what was found running; callgrind_annotate takes no calls for none
        sums[1] += cost

    weights, totals = exclusive(profile, metric), inclusive(profile, metric)
    missing = unlisted_below(tree.parent, weights, totals, below_no_root=below_no_root(profile, metric))
    is_outermost = _outermost(profile)
    for row, (parent, function) in enumerate(zip(tree.parent, tree.function, strict=True)):
        own[function] = own.get(function, 0) + weights[row]
        caller = program if parent == NO_PARENT else tree.function[parent]
        add(caller, (tree.call_line[row], function), tree.calls[row], totals[row] if is_outermost[row] else 0)
        if missing[row]:
            add(function, (0, not_listed), 1, missing[row])
    if missing[-1]:
        add(program, (0, not_listed), 1, missing[-1])
    if total_missing := sum(missing):
        own[not_listed] = total_missing
    return own, calls


def _outermost(profile: ContextProfile) -> bytearray:
    """Whether each context has none of the same function above: (n_contexts,), 0 or 1."""
    tree, is_outermost = profile.contexts, bytearray(len(profile.contexts))
    running = [0] * len(profile.functions)
    for step in depth_first(tree.parent):
        function = tree.function[step if step >= 0 else ~step]
        if step >= 0:
            is_outermost[step] = not running[function]
        running[function] += 1 if step >= 0 else -1
    return is_outermost
