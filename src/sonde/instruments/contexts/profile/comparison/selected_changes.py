"""Changes of some functions only."""

from dataclasses import replace

from sonde.base.errors import UsageError
from sonde.code import CodeSelection, Function, names_near
from sonde.instruments.contexts.profile.comparison.context_diff import Changes, ContextDiff
from sonde.instruments.contexts.profile.comparison.yardstick import Status


def select_changes(diff: ContextDiff, selection: CodeSelection) -> ContextDiff:
    """Keep the changes of the functions that are looked at; all others count as unchanged.

    Values and totals stay as they are: what selected functions call is in their inclusive values.

    Raises:
        UsageError: `no-such-code`, no function is left.
    Cost: O(n) for n contexts.
    """
    if selection.is_everything:
        return diff
    functions = [pair.either for pair in diff.contexts.functions.pairs]
    is_chosen = [selection.has(function) for function in functions]
    if not any(is_chosen):
        raise nothing_left(functions, selection)
    of_contexts = [is_chosen[number] for number in diff.contexts.before.function]
    return replace(
        diff,
        is_chosen=is_chosen,
        changes=_where(diff.changes, of_contexts),
        function_changes=_where(diff.function_changes, is_chosen),
    )


def nothing_left(functions: list[Function], selection: CodeSelection) -> UsageError:
    """The error for a selection that fits none of the functions that ran."""
    near = names_near(functions, [*selection.include, *selection.exclude])
    return UsageError(
        f"cannot show {selection.words()}: no function that ran is left",
        slug="no-such-code",
        hint=f"did you mean {', '.join(map(repr, near))}?" if near else "leave out one of the filters",
    )


def _where(changes: Changes, is_chosen: list[bool]) -> Changes:
    unchanged: Status = "unchanged"
    status = [each if chosen else unchanged for each, chosen in zip(changes.status, is_chosen, strict=True)]
    return replace(changes, status=status)
