"""The guarantees of the comparison of two profiles."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from hypothesis import assume, given
from hypothesis import strategies as st

from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Contexts, Function, Run, contexts_from_self
from sonde.instruments.contexts.profile.comparison.context_alignment import align_contexts
from sonde.instruments.contexts.profile.comparison.context_diff import ContextDiff, diff_contexts
from sonde.instruments.contexts.profile.comparison.function_alignment import align_functions
from sonde.instruments.contexts.profile.comparison.line_alignment import Spot, align_lines
from sonde.instruments.contexts.profile.comparison.yardstick import NORMALISATIONS, Normalise, Status
from sonde.instruments.contexts.profile.function_totals import function_totals
from strategies import profiles

MIRRORED: dict[Status, Status] = {
    "hotter": "colder",
    "colder": "hotter",
    "appeared": "vanished",
    "vanished": "appeared",
    "unchanged": "unchanged",
}
assert set(MIRRORED) == set(get_args(Status))

whole_profiles = profiles(pruned=False, approximate=True)


@st.composite
def program_profiles(draw: st.DrawFn, *, distinct: bool = False) -> ContextProfile:
    """Profiles of one small program, so that two of them have much in common.

    Args:
        distinct: siblings never share a function and no caller calls a function from two lines, so that
            names alone identify a context, whatever the lines.
    """
    names = "abcde"
    functions = tuple(Function(name, "app", "/src/app.py", 100 * i + 100) for i, name in enumerate(names))
    size = draw(st.integers(1, 14))
    parent: list[int] = []
    function: list[int] = []
    line: list[int] = []
    used: set[tuple[int, int]] = set()
    sites = draw(st.permutations(range(1, 1 + len(names))))
    for row in range(size):
        above = draw(st.integers(NO_PARENT, row - 1))
        which = draw(st.integers(0, len(names) - 1))
        if distinct and (above, which) in used:
            continue
        if above >= len(parent):
            continue
        used.add((above, which))
        parent.append(above)
        function.append(which)
        site = sites[which] if distinct else draw(st.integers(1, 4))
        line.append(0 if above == NO_PARENT else 100 * function[above] + 100 + site)
    column = st.lists(st.integers(0, 100), min_size=len(parent), max_size=len(parent))
    tree = contexts_from_self(
        parent=parent, function=function, call_line=line, calls=draw(column), self_ns=draw(column)
    )
    return ContextProfile(functions, tree, run=Run(clock="tsc"))


pairs_of_profiles = st.tuples(whole_profiles, whole_profiles) | st.tuples(program_profiles(), program_profiles())
spots = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), max_size=8, unique=True).map(sorted)


@given(whole_profiles | program_profiles(), st.sampled_from(NORMALISATIONS), st.floats(0, 0.1))
def test_a_profile_does_not_differ_from_itself(
    profile: ContextProfile, normalise: Normalise, min_change: float
) -> None:
    diff = diff_contexts(profile, profile, normalise=normalise, min_change=min_change)
    assert not diff.has_changes
    doubts = [(profile.approximation, "profile-approximate"), (profile.sampling, "profile-sampled")]
    assert [note.kind for note in diff.unaligned] == 2 * [kind for doubt, kind in doubts if doubt is not None]
    assert all(pair.before == pair.after for pair in diff.contexts.functions.pairs)


@given(pairs_of_profiles, st.sampled_from(NORMALISATIONS), st.floats(0, 0.5))
def test_exchanging_before_and_after_mirrors_the_answer(
    two: tuple[ContextProfile, ContextProfile], normalise: Normalise, min_change: float
) -> None:
    there = diff_contexts(*two, normalise=normalise, min_change=min_change)
    back = diff_contexts(*reversed(two), normalise=normalise, min_change=min_change)
    for one, other in ((there.changes, back.changes), (there.function_changes, back.function_changes)):
        assert list(one.total) == [-value for value in other.total]
        assert list(one.own) == [-value for value in other.own]
        assert one.status == [MIRRORED[status] for status in other.status]
    assert there.contexts.before == back.contexts.after
    assert sorted(note.amount for note in there.unaligned) == sorted(note.amount for note in back.unaligned)


@given(pairs_of_profiles)
def test_each_side_keeps_all_its_contexts_calls_and_time(two: tuple[ContextProfile, ContextProfile]) -> None:
    diff = diff_contexts(*two)
    aligned = diff.contexts
    for profile, side, present in (
        (diff.before, aligned.before, aligned.present_before),
        (diff.after, aligned.after, aligned.present_after),
    ):
        assert sum(present) == len(profile.contexts)
        assert sum(side.self_ns) == sum(profile.contexts.self_ns)
        assert sum(side.calls) == sum(profile.contexts.calls)
        assert sum(side.self_ns) + sum(not_kept_ns(side)) + profile.pruned_root_ns == profile.total_ns
        assert sum(side.calls) + sum(not_kept_calls(side)) + profile.pruned_root_calls == profile.total_calls
        assert all(
            values or (calls, own) == (0, 0)
            for values, calls, own in zip(present, side.calls, side.self_ns, strict=True)
        )
        replace(profile, functions=(profile.functions[:1] * len(aligned.functions.pairs)), contexts=side).check_valid()


def not_kept_ns(tree: Contexts) -> list[int]:
    """Of each context's time, what is neither its own nor of a context listed below it."""
    return not_kept(tree.parent, tree.self_ns, tree.total_ns)


def not_kept_calls(tree: Contexts) -> list[int]:
    return not_kept(tree.parent, tree.calls, tree.total_calls)


def not_kept(parent: Sequence[int], own: Sequence[int], total: Sequence[int]) -> list[int]:
    below = [sum(value for value, above in zip(total, parent, strict=True) if above == row) for row in range(len(own))]
    return [whole - value - rest for whole, value, rest in zip(total, own, below, strict=True)]


@given(program_profiles(), st.integers(-90, 500))
def test_moving_all_lines_of_a_file_leaves_nothing_unaligned(profile: ContextProfile, distance: int) -> None:
    tree = profile.contexts
    moved = replace(
        profile,
        functions=tuple(replace(each, first_line=each.first_line + distance) for each in profile.functions),
        contexts=replace(tree, call_line=[line and line + distance for line in tree.call_line]),
    )
    assert_same(diff_contexts(profile, moved, min_change=0.0))


@given(program_profiles())
def test_another_checkout_leaves_nothing_unaligned(profile: ContextProfile) -> None:
    functions = tuple(replace(each, file=f"/elsewhere{each.file}") for each in profile.functions)
    assert_same(diff_contexts(profile, replace(profile, functions=functions), min_change=0.0))


@given(program_profiles(), st.integers(1, 40), st.sampled_from("abcde"))
def test_lines_added_at_the_start_of_a_function_leave_nothing_unaligned(
    profile: ContextProfile, distance: int, edited: str
) -> None:
    tree, functions = profile.contexts, profile.functions
    callers = [functions[tree.function[above]].name if above != NO_PARENT else "" for above in tree.parent]
    lines = [
        line + distance if line and caller == edited else line
        for line, caller in zip(tree.call_line, callers, strict=True)
    ]
    assert_same(diff_contexts(profile, replace(profile, contexts=replace(tree, call_line=lines)), min_change=0.0))


def assert_same(diff: ContextDiff) -> None:
    assert not diff.has_changes
    assert not diff.unaligned
    assert all(diff.contexts.present_before)
    assert all(diff.contexts.present_after)


@given(program_profiles(distinct=True), program_profiles(distinct=True))
def test_contexts_with_distinct_names_are_matched_by_their_paths(one: ContextProfile, two: ContextProfile) -> None:
    """The oracle: here a path of names is an identity."""
    expected = (self_by_path(one), self_by_path(two))
    aligned = align_contexts(one, two)
    names = [aligned.functions.pairs[number].either.name for number in aligned.before.function]
    paths: list[tuple[str, ...]] = []
    for parent, name in zip(aligned.before.parent, names, strict=True):
        paths.append(((*paths[parent], name)) if parent != NO_PARENT else (name,))
    assert len(set(paths)) == len(paths)
    for side, present, values in (
        (aligned.before, aligned.present_before, expected[0]),
        (aligned.after, aligned.present_after, expected[1]),
    ):
        found = {path: own for path, own, there in zip(paths, side.self_ns, present, strict=True) if there}
        assert found == values


def self_by_path(profile: ContextProfile) -> dict[tuple[str, ...], int]:
    tree = profile.contexts
    paths: list[tuple[str, ...]] = []
    values: dict[tuple[str, ...], int] = {}
    for parent, function, own in zip(tree.parent, tree.function, tree.self_ns, strict=True):
        name = profile.functions[function].name
        paths.append((*paths[parent], name) if parent != NO_PARENT else (name,))
        values[paths[-1]] = own
    return values


@given(spots, spots)
def test_lines_are_paired_one_to_one_by_name(before: list[Spot], after: list[Spot]) -> None:
    pairs = align_lines(before, after).pairs
    assert set(pairs) <= set(before)
    assert set(pairs.values()) <= set(after)
    assert len(set(pairs.values())) == len(pairs)
    assert all(spot[1] == other[1] for spot, other in pairs.items())
    for name in {name for _, name in before} & {name for _, name in after}:
        assert any(spot[1] == name for spot in pairs)


@given(spots, st.integers(-20, 20))
def test_lines_that_all_moved_alike_are_paired_with_themselves(before: list[Spot], distance: int) -> None:
    alignment = align_lines(before, [(line + distance, name) for line, name in before])
    assert alignment.pairs == {(line, name): (line + distance, name) for line, name in before}
    assert not alignment.guessed


@given(whole_profiles, whole_profiles)
def test_every_function_is_in_exactly_one_pair(one: ContextProfile, two: ContextProfile) -> None:
    alignment = align_functions(one.functions, two.functions)
    assert [alignment.pairs[i].before for i in alignment.before] == list(one.functions)
    assert [alignment.pairs[i].after for i in alignment.after] == list(two.functions)
    assert len(alignment.pairs) == len(set(alignment.before) | set(alignment.after))
    assert all(pair.before.kind == pair.after.kind for pair in alignment.pairs if pair.before and pair.after)


@given(whole_profiles)
def test_function_totals_agree_with_a_walk_up_every_stack(profile: ContextProfile) -> None:
    totals = function_totals(profile)
    expected_ns = [0] * len(profile.functions)
    expected_calls = [0] * len(profile.functions)
    tree = profile.contexts
    kept_in_totals = zip(tree.self_ns, not_kept_ns(tree), tree.calls, not_kept_calls(tree), strict=True)
    for row, (own_ns, rest_ns, calls, rest_calls) in enumerate(kept_in_totals):
        for function in stack_of(tree, row):
            expected_ns[function] += own_ns + rest_ns
            expected_calls[function] += calls + rest_calls
    assert list(totals.total_ns) == expected_ns
    assert list(totals.total_calls) == expected_calls
    assert sum(totals.self_ns) == sum(tree.self_ns)
    assert sum(totals.calls) == sum(tree.calls)


def stack_of(tree: Contexts, row: int) -> set[int]:
    found = set()
    while row != NO_PARENT:
        found.add(tree.function[row])
        row = tree.parent[row]
    return found


@given(program_profiles(), program_profiles(), st.integers(1, 10**6))
def test_shares_do_not_depend_on_the_length_of_a_run(one: ContextProfile, two: ContextProfile, factor: int) -> None:
    assume(one.total_ns and two.total_ns)
    tree = two.contexts
    longer = contexts_from_self(
        parent=tree.parent,
        function=tree.function,
        call_line=tree.call_line,
        calls=tree.calls,
        self_ns=[value * factor for value in tree.self_ns],
    )
    plain = diff_contexts(one, two, normalise="total")
    scaled = diff_contexts(one, replace(two, contexts=longer), normalise="total")
    assert all(abs(a - b) < 1e-9 for a, b in zip(plain.changes.total, scaled.changes.total, strict=True))
