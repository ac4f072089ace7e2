"""Which contexts of one profile are which contexts of another: two trees laid over each other.

First functions are paired by name (`function_alignment`), then, for each pair of callers, the lines they
call from (`line_alignment`), once for all contexts, so that a call site means the same everywhere. After
that two contexts are one if the same pairs of functions lead to them over the same pairs of call sites:
both trees are inserted into one, each context under the key (caller's row, function pair, site pair).
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.instruments.contexts.profile.comparison.function_alignment import (
    FunctionAlignment,
    FunctionPair,
    align_functions,
    rename,
)
from sonde.instruments.contexts.profile.comparison.line_alignment import Spot, align_lines
from sonde.instruments.contexts.profile.context_profile import NO_PARENT, ContextProfile, Contexts
from sonde.instruments.contexts.profile.deviations import are_independent, regrouped_deviations

_RENAME_ROUNDS = 4
"""A rename can only be seen below callers that are already paired; deeper ones need another round."""

_LEAST_SIMILARITY = 0.5
"""Share of callees that two functions must have in common to be taken for one that was renamed."""


@dataclass(frozen=True, slots=True)
class GuessedSites:
    """Calls of one function from several lines of another, whose pairing is a guess."""

    caller: int
    """Function pair."""
    callee: int
    """Function pair."""
    lines_before: tuple[int, ...]
    lines_after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AlignedContexts:
    """Two trees as one: each row is a context of both profiles, or of one alone.

    `before` and `after` have the same shape and the same `parent`; their `function` is an index into
    `functions.pairs`. Where a side has no such context its values are zero.
    """

    functions: FunctionAlignment
    before: Contexts
    after: Contexts
    present_before: Sequence[int]
    """How many contexts of the profile before make up the row; 0: there are none."""
    present_after: Sequence[int]
    guessed_sites: tuple[GuessedSites, ...]

    def __len__(self) -> int:
        return len(self.before)


def align_contexts(before: ContextProfile, after: ContextProfile, *, with_renamed: bool = True) -> AlignedContexts:
    """Lay two whole profiles over each other.

    Args:
        with_renamed: whether functions may have been renamed from one to the other: not within one program.
    Guarantee: every context of each profile is in exactly one row, so each side's own values add up to
        its profile's totals; two rows differ in caller, function or call site; aligning in the other
        direction gives the mirror image.
    Cost: O(n + m) for the contexts, times the rounds in which renamed functions are found (at most four).
    """
    # Ties are broken by order of the input; always starting from the same side makes the answer symmetric.
    if _comes_first(after, before):
        return _mirrored(_align(after, before, with_renamed=with_renamed))
    return _align(before, after, with_renamed=with_renamed)


def _align(before: ContextProfile, after: ContextProfile, *, with_renamed: bool) -> AlignedContexts:
    functions = align_functions(before.functions, after.functions)
    for _ in range(_RENAME_ROUNDS if with_renamed else 0):
        aligned = _lay_over(before, after, functions)
        renamed = _find_renamed(aligned)
        if not renamed:
            return aligned
        functions = rename(functions, renamed)
    return _lay_over(before, after, functions)


def _lay_over(before: ContextProfile, after: ContextProfile, functions: FunctionAlignment) -> AlignedContexts:
    sites = _Sites(before, after, functions)
    rows: dict[tuple[int, int, int], int] = {}
    parents, pairs = array("q"), array("q")
    placed = []
    for profile, numbers, site_of in (
        (before, functions.before, sites.site_before),
        (after, functions.after, sites.site_after),
    ):
        tree = profile.contexts
        first_lines = _first_lines(profile)
        row_of = array("q")
        for parent, function, line in zip(tree.parent, tree.function, tree.call_line, strict=True):
            pair = numbers[function]
            if parent == NO_PARENT:
                key = (NO_PARENT, pair, 0)
            else:
                caller = tree.function[parent]
                offset = line - first_lines[caller] if line and first_lines[caller] else None
                key = (row_of[parent], pair, site_of(numbers[caller], offset, pair))
            row = rows.get(key)
            if row is None:
                row = rows[key] = len(parents)
                parents.append(key[0])
                pairs.append(pair)
            row_of.append(row)
        placed.append(row_of)
    side_before, present_before = _summed(before, placed[0], parents, pairs)
    side_after, present_after = _summed(after, placed[1], parents, pairs)
    return AlignedContexts(functions, side_before, side_after, present_before, present_after, sites.guessed())


def _summed(
    profile: ContextProfile, row_of: Sequence[int], parents: Sequence[int], pairs: Sequence[int]
) -> tuple[Contexts, Sequence[int]]:
    """Add up one side's contexts in the rows they were placed in."""
    tree = profile.contexts
    line, calls, total_calls, self_ns, total_ns, present = (array("q", bytes(8 * len(parents))) for _ in range(6))
    for context, row in enumerate(row_of):
        line[row] = tree.call_line[context]
        calls[row] += tree.calls[context]
        total_calls[row] += tree.total_calls[context]
        self_ns[row] += tree.self_ns[context]
        total_ns[row] += tree.total_ns[context]
        present[row] += 1
    of_calls, of_ns = (
        regrouped_deviations(column, row_of, len(parents), independent=independent)
        for column, independent in (
            (tree.calls_deviation, False),
            (tree.ns_deviation, are_independent(profile.sampling)),
        )
    )
    return Contexts(parents, pairs, line, calls, total_calls, self_ns, total_ns, (), of_calls, of_ns), present


class _Sites:
    """Numbers the call sites of all callers so that paired sites have the same number.

    A site is known by its distance below the caller's `def`, which edits elsewhere in the file leave
    alone. Sites of the profile before, and those paired with one, have even numbers, the rest odd ones.
    """

    def __init__(self, before: ContextProfile, after: ContextProfile, functions: FunctionAlignment) -> None:
        self._functions = functions
        self._guessed: list[GuessedSites] = []
        self._site_of: dict[int, dict[Spot, Spot]] = {}
        spots_before = _spots(before, functions.before)
        spots_after = _spots(after, functions.after)
        for caller, ours in spots_before.items():
            theirs = spots_after.get(caller)
            if theirs is not None and ours != theirs:
                self._align_caller(caller, sorted(ours), sorted(theirs))

    def site_before(self, _caller: int, offset: int | None, _callee: int) -> int:
        """Number of a call site of the profile before; None is a call from no line."""
        return 0 if offset is None else _even(offset)

    def site_after(self, caller: int, offset: int | None, callee: int) -> int:
        """Number of a call site of the profile after."""
        if offset is None:
            return 0
        known = self._site_of.get(caller)
        if known is None:
            return _even(offset)
        spot = known.get((offset, callee))
        return _even(offset) + 1 if spot is None else _even(spot[0])

    def guessed(self) -> tuple[GuessedSites, ...]:
        """What was paired by guessing."""
        return tuple(self._guessed)

    def _align_caller(self, caller: int, ours: list[Spot], theirs: list[Spot]) -> None:
        alignment = align_lines(ours, theirs)
        self._site_of[caller] = {other: spot for spot, other in alignment.pairs.items()}
        pair = self._functions.pairs[caller]
        assert pair.before is not None and pair.after is not None  # it calls on both sides
        for callee in sorted(alignment.guessed):
            self._guessed.append(
                GuessedSites(
                    caller=caller,
                    callee=callee,
                    lines_before=tuple(pair.before.first_line + line for line, name in ours if name == callee),
                    lines_after=tuple(pair.after.first_line + line for line, name in theirs if name == callee),
                )
            )


def _even(offset: int) -> int:
    """Sites count from 2, as 0 is the call from no line."""
    return 2 * (offset + 1) if offset >= 0 else 2 * offset


def _spots(profile: ContextProfile, numbers: Sequence[int]) -> dict[int, set[Spot]]:
    """By caller: the distances below its `def` and the functions it calls there."""
    tree = profile.contexts
    first_lines = _first_lines(profile)
    spots: dict[int, set[Spot]] = {}
    seen: set[tuple[int, int, int]] = set()
    for parent, callee, line in zip(tree.parent, tree.function, tree.call_line, strict=True):
        if parent == NO_PARENT or not line:
            continue
        caller = tree.function[parent]
        if first_lines[caller] and (edge := (caller, callee, line)) not in seen:
            seen.add(edge)
            spots.setdefault(numbers[caller], set()).add((line - first_lines[caller], numbers[callee]))
    return spots


def _first_lines(profile: ContextProfile) -> list[int]:
    """Where the lines of each function count from; 0 for builtins, which have none."""
    return [0 if function.kind == "builtin" else function.first_line for function in profile.functions]


def _find_renamed(aligned: AlignedContexts) -> list[tuple[int, int]]:
    """Pairs of one-sided function pairs that are probably one function.

    A candidate is the only function that its caller lost, beside the only one that it gained; it is
    taken if both have much the same callees, or neither has any and both ran equally often.
    """
    gone: dict[int, set[int]] = {}
    new: dict[int, set[int]] = {}
    pairs = aligned.functions.pairs
    parents, numbers = aligned.before.parent, aligned.before.function
    lonely = [_is_lonely(pair) for pair in pairs]
    for parent, number in zip(parents, numbers, strict=True):
        if lonely[number] and (
            parent == NO_PARENT or (aligned.present_before[parent] and aligned.present_after[parent])
        ):
            (new if pairs[number].before is None else gone).setdefault(parent, set()).add(number)
    votes = Counter(
        (next(iter(gone[parent])), next(iter(new[parent])))
        for parent in gone
        if len(gone[parent]) == 1 and len(new.get(parent, ())) == 1
    )
    similar = _Similarity(aligned, {number for vote in votes for number in vote})
    taken: set[int] = set()
    found = []
    for (old, young), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if old not in taken and young not in taken and similar(old, young):
            taken.update((old, young))
            found.append((old, young))
    return found


class _Similarity:
    """Whether two functions look like one, from what they call and how often they ran."""

    def __init__(self, aligned: AlignedContexts, candidates: set[int]) -> None:
        self._pairs = aligned.functions.pairs
        self._callees: dict[int, set[int]] = {number: set() for number in candidates}
        self._calls: Counter[int] = Counter()
        for row, number in enumerate(aligned.before.function):
            if number in candidates:
                self._calls[number] += aligned.before.calls[row] + aligned.after.calls[row]
            parent = aligned.before.parent[row]
            caller = aligned.before.function[parent] if parent != NO_PARENT else NO_PARENT
            if caller in candidates:
                self._callees[caller].add(number)

    def __call__(self, old: int, young: int) -> bool:
        before, after = self._pairs[old].before, self._pairs[young].after
        if before is None or after is None or before.kind != after.kind or before.kind == "builtin":
            return False
        ours, theirs = (self._known_callees(number) for number in (old, young))
        if ours or theirs:
            return len(ours & theirs) >= _LEAST_SIMILARITY * len(ours | theirs)
        if self._callees[old] or self._callees[young]:  # all of them without a partner: nothing to go by
            return False
        return before.module == after.module and self._calls[old] == self._calls[young]

    def _known_callees(self, number: int) -> set[int]:
        return {callee for callee in self._callees[number] if not _is_lonely(self._pairs[callee])}


def _is_lonely(pair: FunctionPair) -> bool:
    return pair.before is None or pair.after is None


def _comes_first(one: ContextProfile, other: ContextProfile) -> bool:
    """An order of profiles by content; neither comes first when they are the same."""
    names, other_names = (
        [(f.name, f.module, f.file, f.first_line, f.kind) for f in profile.functions] for profile in (one, other)
    )
    if names != other_names:
        return names < other_names
    a, b = one.contexts, other.contexts
    for column, other_column in (
        (a.parent, b.parent),
        (a.function, b.function),
        (a.call_line, b.call_line),
        (a.calls, b.calls),
        (a.self_ns, b.self_ns),
    ):
        values, other_values = list(column), list(other_column)
        if values != other_values:
            return values < other_values
    return False


def _mirrored(aligned: AlignedContexts) -> AlignedContexts:
    functions = aligned.functions
    return AlignedContexts(
        functions=FunctionAlignment(
            pairs=tuple(pair.mirrored() for pair in functions.pairs),
            before=functions.after,
            after=functions.before,
            guessed=functions.guessed,
        ),
        before=aligned.after,
        after=aligned.before,
        present_before=aligned.present_after,
        present_after=aligned.present_before,
        guessed_sites=tuple(
            GuessedSites(sites.caller, sites.callee, sites.lines_after, sites.lines_before)
            for sites in aligned.guessed_sites
        ),
    )
