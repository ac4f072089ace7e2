"""A profile's answer as plain data: what the terminal view shows, for programs."""

from dataclasses import asdict
from typing import Any

from sonde.profiles import NO_PARENT, ContextProfile, Function, FunctionTotals, function_totals
from sonde.views.terminal.context_page import ContextLimits
from sonde.views.terminal.function_table import hottest_functions


def contexts_as_data(
    profile: ContextProfile, limits: ContextLimits, *, functions: FunctionTotals | None = None
) -> dict[str, Any]:
    """The heaviest contexts and functions as lists of records; units are in the names of the fields.

    Contexts are not folded; parents come before children, and ids count within this answer. At most
    `limits.rows` contexts are listed, the heaviest, none below `limits.min_share`; `not_listed` counts the rest.

    Args:
        functions: as for `print_contexts`.
    """
    tree, weights = profile.contexts, profile.weights()
    whole = profile.total_ns if profile.has_time else profile.total_calls
    # A caller weighs at least as much as its callees and comes first, so these are closed under "caller of".
    heaviest = sorted(range(len(tree)), key=lambda row: (-weights[row], row))[: limits.rows]
    rows = sorted(row for row in heaviest if weights[row] >= limits.min_share * whole)
    number = {NO_PARENT: None} | {row: i for i, row in enumerate(rows)}
    totals = functions or function_totals(profile)
    return {
        "run": asdict(profile.run) | {"processes": [asdict(process) for process in profile.processes]},
        "totals": {
            "calls": profile.total_calls,
            "thread_ns": profile.total_ns if profile.has_time else None,
            "contexts": len(tree) + profile.pruned_contexts,
        },
        "contexts": [
            {
                "id": number[row],
                "parent": number[tree.parent[row]],
                **named(profile.functions[tree.function[row]]),
                "call_line": tree.call_line[row] or None,
                "calls": tree.calls[row],
                "total_calls": tree.total_calls[row],
                "self_ns": tree.self_ns[row] if profile.has_time else None,
                "total_ns": tree.total_ns[row] if profile.has_time else None,
            }
            for row in rows
        ],
        "not_listed": len(tree) + profile.pruned_contexts - len(rows),
        "functions": [
            {
                **named(profile.functions[i]),
                "contexts": totals.contexts[i],
                "calls": totals.calls[i],
                "self_ns": totals.self_ns[i] if profile.has_time else None,
                "total_ns": totals.total_ns[i] if profile.has_time else None,
            }
            for i in hottest_functions(profile, totals, limits.functions)
        ],
        "functions_total_is_lower_bound": bool(profile.pruned_contexts),
        "losses": [asdict(loss) for loss in profile.losses],
    }


def named(function: Function) -> dict[str, Any]:
    """A function as fields of a record."""
    return {
        "label": function.label,
        "name": function.name,
        "module": function.module,
        "file": function.file or None,
        "line": function.first_line or None,
        "kind": function.kind,
    }
