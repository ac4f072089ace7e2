"""A calling context tree made anew, in which a context may stand for several of the old one."""

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from operator import sub

from sonde.events import Function
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile, Contexts
from sonde.instruments.contexts.profile.deviations import are_independent, regrouped_deviations


class Regrouping:
    """Gathers the contexts of a profile in new ones, callers before callees.

    Args:
        profile: exact or with bounds, read whole or not.
        functions: that the new contexts are of, by number, when they are made.
        settled: of the new functions, those that stand for all that ran below them: what was not kept there, or not
            read, is their own.
    """

    def __init__(self, profile: ContextProfile, functions: Iterable[Function], settled: Collection[int] = ()) -> None:
        self._profile, self._functions, self._settled = profile, functions, settled
        self._rows: dict[tuple[int, int, int], int] = {}

    def at(self, parent: int, function: int, line: int) -> int:
        """The new context of a function that a new context calls from a line; made if there is none."""
        return self._rows.setdefault((parent, function, line), len(self._rows))

    def made(self, new_row: Sequence[int]) -> ContextProfile:
        """The new profile.

        Args:
            new_row: (n_contexts,) of each old context, the new one that stands for it.
        Guarantee: no total of the profile changes. Own values and errors of a new context are the sums of those that
            it stands for: true own values of these are together at most value and error. Standard errors are those of
            the sums (`profile/deviations.py`). What is missing of a settled one is part of what its callers lack, so
            that its error is at most that.
        Cost: O(n).
        """
        tree, keys = self._profile.contexts, list(self._rows)
        parent = array("q", (key[0] for key in keys))
        settled = [key[1] in self._settled for key in keys]

        def summed(column: Iterable[int]) -> "array[int]":
            sums = array("q", bytes(8 * len(keys)))
            for row, value in zip(new_row, column, strict=True):
                sums[row] += value
            return sums

        def optional(column: Sequence[int]) -> Sequence[int]:
            return summed(column) if len(column) else ()

        def own_and_total(own: Sequence[int], total: Sequence[int]) -> "tuple[array[int], array[int]]":
            owns, rest = summed(own), summed(_not_in_a_context(tree.parent, own, total))
            totals = array("q", map(int.__add__, owns, rest))
            for row in range(len(keys) - 1, -1, -1):
                if settled[row]:
                    owns[row] += rest[row]
                if parent[row] != NO_PARENT:
                    totals[parent[row]] += totals[row]
            return owns, totals

        calls, total_calls = own_and_total(tree.calls, tree.total_calls)
        self_ns, total_ns = own_and_total(tree.self_ns, tree.total_ns)
        error = optional(tree.error)
        if len(error):
            is_time = self._profile.metric == "time"
            own, total = (self_ns, total_ns) if is_time else (calls, total_calls)
            at_top = self._profile.pruned_root_ns if is_time else self._profile.pruned_root_calls
            lacking = _lacking_above(parent, _not_in_a_context(parent, own, total), at_top)
            pairs = zip(error, lacking, settled, strict=True)
            error = array("q", (min(sum_, most) if is_settled else sum_ for sum_, most, is_settled in pairs))
        contexts = Contexts(
            parent=parent,
            function=array("q", (key[1] for key in keys)),
            call_line=array("q", (key[2] for key in keys)),
            calls=calls,
            total_calls=total_calls,
            self_ns=self_ns,
            total_ns=total_ns,
            error=error,
            calls_deviation=regrouped_deviations(tree.calls_deviation, new_row, len(keys), independent=False),
            ns_deviation=regrouped_deviations(
                tree.ns_deviation, new_row, len(keys), independent=are_independent(self._profile.sampling)
            ),
        )
        return replace(self._profile, functions=tuple(self._functions), contexts=contexts)


def fold_below(profile: ContextProfile, is_folded: Callable[[Function], bool], stand_in: Function) -> ContextProfile:
    """Put one function in the place of some and of all that ran below them.

    Functions keep their numbers; the stand-in comes last, if any of them is folded, whether it was read or not.

    Guarantee: no total changes; the own value of the stand-in is that of all that it stands for, whether it was kept
        or not.
    Cost: O(n).
    """
    chosen = [is_folded(function) for function in profile.functions]
    tree, number = profile.contexts, len(profile.functions)
    if not any(chosen):
        return profile
    regrouping = Regrouping(profile, (*profile.functions, stand_in), {number})
    is_inside = bytearray(len(tree) + 1)  # the last one is the caller of roots, -1
    new_row = array("q", [NO_PARENT]) * (len(tree) + 1)
    for row, (above, function, line) in enumerate(zip(tree.parent, tree.function, tree.call_line, strict=True)):
        if is_inside[above]:
            is_inside[row], new_row[row] = 1, new_row[above]
            continue
        is_inside[row] = chosen[function]
        new_row[row] = regrouping.at(new_row[above], number if chosen[function] else function, line)
    return regrouping.made(new_row[:-1])


def without_idle_functions(profile: ContextProfile) -> ContextProfile:
    """Leave out functions that ran in none of the contexts, and number the others anew.

    Cost: O(n).
    """
    tree = profile.contexts
    number = {function: place for place, function in enumerate(sorted(set(tree.function)))}
    contexts = replace(tree, function=array("q", (number[function] for function in tree.function)))
    return replace(
        profile, functions=tuple(profile.functions[each] for each in number), contexts=contexts, threads=None
    )


def _not_in_a_context(parent: Sequence[int], own: Sequence[int], total: Sequence[int]) -> "array[int]":
    """What the total of each context has beyond its own value and those of its callees."""
    rest = array("q", map(sub, total, own))
    for row, above in enumerate(parent):
        if above != NO_PARENT:
            rest[above] -= total[row]
    return rest


def _lacking_above(parent: Sequence[int], lacking: Sequence[int], at_top: int) -> "array[int]":
    """What the callers of each context lack together: the sum over all above it, and what is at the top."""
    sums = array("q", [at_top]) * len(parent)
    for row, above in enumerate(parent):
        if above != NO_PARENT:
            sums[row] = sums[above] + lacking[above]
    return sums
