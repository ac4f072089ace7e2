"""A profile's answer as plain data: what the terminal view shows, for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sonde.instruments.contexts.profile import (
    NO_PARENT,
    ContextProfile,
    Function,
    FunctionTotals,
    context_classes,
    function_totals,
)
from sonde.instruments.contexts.report.exactness import largest_error, not_kept_below
from sonde.instruments.contexts.report.terminal.context_page import ContextLimits
from sonde.instruments.contexts.report.terminal.function_table import hottest_functions


def contexts_as_data(
    profile: ContextProfile, limits: ContextLimits, *, functions: FunctionTotals | None = None
) -> dict[str, Any]:
    """The heaviest contexts and functions as lists of records; units are in the names of the fields.

    Fields about exactness are null in an exact profile: `approximation`, `sampling`, and of each context `error`,
    `class`, `calls_deviation`, `ns_deviation` (standard errors), `not_kept_calls` and `not_kept_ns` (what ran right
    below it in contexts that were given up; null, too, when not all contexts were read).

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
    doubtful = _Doubtful(profile)
    return {
        "run": asdict(profile.run) | {"processes": [asdict(process) for process in profile.processes]},
        "totals": {
            "calls": profile.total_calls,
            "thread_ns": profile.total_ns if profile.has_time else None,
            "contexts": len(tree) + profile.pruned_contexts,
        },
        "approximation": doubtful.approximation(),
        "sampling": None if profile.sampling is None else asdict(profile.sampling),
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
                **doubtful.context(row),
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
        "functions_total_is_lower_bound": bool(profile.pruned_contexts) or profile.left_something_out,
        "functions_own_is_lower_bound": profile.left_something_out,
        "losses": [asdict(loss) for loss in profile.losses],
    }


class _Doubtful:
    """The fields that say how exact a profile is."""

    def __init__(self, profile: ContextProfile) -> None:
        self._profile = profile
        self._is_bounded = profile.approximation is not None
        # Else what was not kept cannot be told from what was only not read.
        self._is_whole = self._is_bounded and not profile.pruned_contexts
        tree = profile.contexts
        self._classes: Sequence[str] = context_classes(profile) if self._is_bounded else ()
        self._calls = not_kept_below(tree.parent, tree.calls, tree.total_calls) if self._is_whole else ()
        self._ns = not_kept_below(tree.parent, tree.self_ns, tree.total_ns) if self._is_whole else ()

    def approximation(self) -> dict[str, Any] | None:
        profile, is_whole = self._profile, self._is_whole
        if profile.approximation is None:
            return None
        return asdict(profile.approximation) | {
            "hot_threshold": profile.hot_threshold,
            "largest_error": largest_error(profile),
            "not_kept_calls": profile.pruned_root_calls + sum(self._calls) if is_whole else None,
            "not_kept_ns": profile.pruned_root_ns + sum(self._ns) if is_whole and profile.has_time else None,
        }

    def context(self, row: int) -> dict[str, Any]:
        profile, tree = self._profile, self._profile.contexts
        is_sampled, has_time = profile.sampling is not None, profile.has_time
        return {
            "error": _at(tree.error, row) if self._is_bounded else None,
            "class": self._classes[row] if self._is_bounded else None,
            "not_kept_calls": self._calls[row] if self._is_whole else None,
            "not_kept_ns": self._ns[row] if self._is_whole and has_time else None,
            "calls_deviation": _at(tree.calls_deviation, row) if is_sampled else None,
            "ns_deviation": _at(tree.ns_deviation, row) if is_sampled and has_time else None,
        }


def _at(column: Sequence[int], row: int) -> int:
    return column[row] if column else 0


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
