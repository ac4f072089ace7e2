"""Looking at some code only: what else ran counts for the nearest caller that is looked at."""

from array import array
from collections.abc import Sequence
from typing import Literal

from sonde.base.errors import UsageError
from sonde.code import CodeSelection, is_import_machinery, no_code_left
from sonde.events import Function
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile
from sonde.instruments.contexts.profile.regrouping import Regrouping, fold_below
from sonde.instruments.contexts.profile.stand_ins import ELSEWHERE, IMPORTS, WAITING, is_stand_in
from sonde.instruments.contexts.profile.waiting import is_waiting

_NOT_LEFT = -1
"""No line: the context is shown."""

_Fate = Literal["shown", "waiting", "dissolved"]


def fold_imports(profile: ContextProfile) -> ContextProfile:
    """Make one context of each import: of the import machinery with all that ran below it, bodies of modules too.

    Guarantee, cost: those of `fold_below`.
    """
    return fold_below(profile, is_import_machinery, IMPORTS)


def select_code(profile: ContextProfile, selection: CodeSelection) -> ContextProfile:
    """Keep contexts of some functions; dissolve the others into their nearest caller that is kept.

    Its own values are then what it spent itself and in code that was left out. Of that code, functions that wait stand
    apart, as `waiting`, and so do imports that were folded. What has no caller that is kept is one root, `elsewhere`.

    Args:
        profile: read whole.
    Raises:
        UsageError: `no-code-left`, nothing is left.
    Guarantee: totals of the profile are unchanged. The own value of a context is the sum over the contexts it stands
        for, and so is its error; its standard error is that of the sum, at most. What was not kept below one of these
        is in its total.
    Cost: O(n).
    """
    chosen = selection.among(profile.functions)
    fates = [_fate(function, chosen) for function in profile.functions]
    tree = profile.contexts
    if chosen.isdisjoint(profile.functions[number] for number in set(tree.function)):
        raise no_contexts_left(selection, [profile.functions[number] for number in sorted(set(tree.function))])
    waiting, elsewhere = len(profile.functions), len(profile.functions) + 1
    regrouping = Regrouping(profile, (*profile.functions, WAITING, ELSEWHERE))
    new_row = array("q", [NO_PARENT]) * (len(tree) + 1)  # the last one is the caller of roots, -1
    left_from = array("q", [_NOT_LEFT]) * (len(tree) + 1)
    """Of what is dissolved: the line of its nearest shown caller from which code that is left out ran."""
    has_shown_caller, is_below_waiting = bytearray(len(tree) + 1), bytearray(len(tree) + 1)
    for row, (above, function, line) in enumerate(zip(tree.parent, tree.function, tree.call_line, strict=True)):
        fate = fates[function]
        parent = new_row[above] if has_shown_caller[above] else NO_PARENT
        from_line = line if left_from[above] == _NOT_LEFT else left_from[above]
        if fate == "dissolved" or (fate == "waiting" and is_below_waiting[above]):
            has_shown_caller[row], is_below_waiting[row] = has_shown_caller[above], is_below_waiting[above]
            new_row[row] = regrouping.at(NO_PARENT, elsewhere, 0) if parent == NO_PARENT else parent
            left_from[row] = from_line
        else:
            number = waiting if fate == "waiting" else function
            has_shown_caller[row], is_below_waiting[row] = 1, fate == "waiting"
            new_row[row] = regrouping.at(parent, number, 0 if parent == NO_PARENT else from_line)
    return regrouping.made(new_row[:-1])


def no_contexts_left(selection: CodeSelection, ran: Sequence[Function], and_words: str = "") -> UsageError:
    """The error for a selection that leaves none of the functions that ran.

    Args:
        and_words: what else is asked for.
    """
    if IMPORTS in ran:
        hint = "add --imports if it ran while modules were imported"
        return no_code_left(selection, ran, and_words=and_words, hint=hint)
    return no_code_left(selection, ran, and_words=and_words)


def _fate(function: Function, chosen: frozenset[Function]) -> _Fate:
    if is_stand_in(function) or function in chosen:
        return "shown"
    return "waiting" if is_waiting(function) else "dissolved"
