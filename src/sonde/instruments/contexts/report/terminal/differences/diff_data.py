"""A comparison as plain data: what the terminal view shows, for programs."""

from dataclasses import asdict
from typing import Any

from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Contexts, FunctionTotals
from sonde.instruments.contexts.profile.comparison import ContextDiff, FunctionPair
from sonde.instruments.contexts.report.terminal.context_data import named


def diff_as_data(diff: ContextDiff) -> dict[str, Any]:
    """All that changed, with the contexts on the way there; units are in the names of the fields.

    `change` and `own_change` are in the unit that `unit` names: `ns`, `calls`, or `share` of each run.
    """
    yardstick, pairs = diff.yardstick, diff.contexts.functions.pairs
    parent, status = diff.contexts.before.parent, diff.changes.status
    rows = _changed_rows(diff)
    number = {NO_PARENT: None} | {row: i for i, row in enumerate(rows)}
    unit = "share" if yardstick.normalise == "total" else {"time": "ns", "calls": "calls"}[yardstick.metric]
    return {
        "metric": yardstick.metric,
        "normalise": yardstick.normalise,
        "unit": unit,
        "least_change": yardstick.least_change,
        "before": _side(diff.before),
        "after": _side(diff.after),
        "contexts": [
            {
                "id": number[row],
                "parent": number[parent[row]],
                "status": status[row],
                "change": diff.changes.total[row],
                "own_change": diff.changes.own[row],
                **_pair(pairs[diff.contexts.before.function[row]]),
                "before": _values(diff.contexts.before, row) if diff.contexts.present_before[row] else None,
                "after": _values(diff.contexts.after, row) if diff.contexts.present_after[row] else None,
            }
            for row in rows
        ],
        "functions": [
            {
                "status": diff.function_changes.status[i],
                "change": diff.function_changes.total[i],
                "own_change": diff.function_changes.own[i],
                **_pair(pairs[i]),
                "before": _function_values(diff.functions_before, i),
                "after": _function_values(diff.functions_after, i),
            }
            for i in sorted(range(len(pairs)), key=lambda i: (-abs(diff.function_changes.own[i]), i))
            if diff.function_changes.status[i] != "unchanged"
        ],
        "unaligned": [asdict(note) for note in diff.unaligned],
        "unaligned_functions": [{"how": pair.how, **_pair(pair)} for pair in pairs if pair.how != "same"],
        "guessed_call_sites": [
            {
                "caller": pairs[sites.caller].either.label,
                "callee": pairs[sites.callee].either.label,
                "lines_before": sites.lines_before,
                "lines_after": sites.lines_after,
            }
            for sites in diff.contexts.guessed_sites
        ],
    }


def _changed_rows(diff: ContextDiff) -> list[int]:
    """Rows that changed and their callers."""
    parent, status = diff.contexts.before.parent, diff.changes.status
    keep = [status != "unchanged" for status in status]
    for row in range(len(parent) - 1, -1, -1):
        if keep[row] and parent[row] != NO_PARENT:
            keep[parent[row]] = True
    return [row for row, is_kept in enumerate(keep) if is_kept]


def _side(profile: ContextProfile) -> dict[str, Any]:
    return {
        "run": asdict(profile.run),
        "calls": profile.total_calls,
        "thread_ns": profile.total_ns if profile.has_time else None,
        "contexts": len(profile.contexts),
        "losses": [asdict(loss) for loss in profile.losses],
        "approximation": None if profile.approximation is None else asdict(profile.approximation),
        "sampling": None if profile.sampling is None else asdict(profile.sampling),
    }


def _pair(pair: FunctionPair) -> dict[str, Any]:
    was = pair.before if pair.after is not None and pair.before != pair.after else None
    return {**named(pair.either), "was": None if was is None else named(was)}


def _values(side: Contexts, row: int) -> dict[str, Any]:
    return {
        "call_line": side.call_line[row] or None,
        "calls": side.calls[row],
        "total_calls": side.total_calls[row],
        "self_ns": side.self_ns[row],
        "total_ns": side.total_ns[row],
    }


def _function_values(side: FunctionTotals, i: int) -> dict[str, Any]:
    return {"calls": side.calls[i], "self_ns": side.self_ns[i], "total_ns": side.total_ns[i]}
