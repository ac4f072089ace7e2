"""Changes of some functions only."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sonde.base.units import format_percent
from sonde.code import CodeSelection
from sonde.instruments.contexts.profile.comparison.context_diff import Changes, ContextDiff
from sonde.instruments.contexts.profile.comparison.yardstick import Status
from sonde.instruments.contexts.profile.selected_code import no_contexts_left


def select_changes(diff: ContextDiff, selection: CodeSelection, min_share: float = 0.0) -> ContextDiff:
    """Keep the changes of the functions that are looked at; all others count as unchanged.

    Values and totals stay as they are: what selected functions call is in their inclusive values.

    Args:
        min_share: of the heavier run, what is looked at has at least this on either side: contexts by their inclusive
            value, functions by their own. Where values are shares of each run, it is of that run.
    Raises:
        UsageError: `no-code-left`, no function is left.
    Cost: O(n) for n contexts.
    """
    if selection.is_everything and not min_share:
        return diff
    functions = [pair.either for pair in diff.contexts.functions.pairs]
    among = selection.among(functions)
    chosen = frozenset(number for number, function in enumerate(functions) if function in among)
    contexts, is_time = diff.contexts, diff.yardstick.metric == "time"
    inclusive = [side.total_ns if is_time else side.total_calls for side in (contexts.before, contexts.after)]
    own = [side.self_ns if is_time else side.calls for side in (diff.functions_before, diff.functions_after)]

    def are_looked_at(numbers: Iterable[int], sides: list[Sequence[int]]) -> list[bool]:
        return [
            number in chosen and diff.yardstick.has_share(before, after, min_share)
            for number, before, after in zip(numbers, *sides, strict=True)
        ]

    of_contexts = are_looked_at(contexts.before.function, inclusive)
    of_functions = are_looked_at(range(len(functions)), own)
    if not any(of_contexts) and not any(of_functions):
        least = f"what has at least {format_percent(min_share)} of the heavier run" if min_share else ""
        raise no_contexts_left(selection, functions, least)
    return replace(
        diff,
        changes=_where(diff.changes, of_contexts),
        function_changes=_where(diff.function_changes, of_functions),
        chosen=chosen,
        min_share=min_share,
    )


def _where(changes: Changes, is_chosen: Sequence[bool]) -> Changes:
    unchanged: Status = "unchanged"
    status = [each if chosen else unchanged for each, chosen in zip(changes.status, is_chosen, strict=True)]
    return replace(changes, status=status)
