"""What is folded and what is left out changes no total, and counts where the documentation says, path by path."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sonde.base.errors import UsageError
from sonde.code import CodeSelection, origin_of
from sonde.instruments.contexts.analysis.function_groups import GroupedFunctions
from sonde.instruments.contexts.analysis.uncertainty import not_kept_below
from sonde.instruments.contexts.profile import (
    ELSEWHERE,
    IMPORTS,
    NO_PARENT,
    WAITING,
    ContextProfile,
    Function,
    fold_imports,
    function_totals,
    is_waiting,
    select_code,
)
from sonde.instruments.contexts.report.headline import headline
from strategies import profiles

_LIBRARY = "/usr/lib/python3.12"
_IMPORTING = ("_frozen_importlib", "importlib._bootstrap")
FUNCTIONS = (
    Function("main", "app", "/home/ada/app.py", 1),
    Function("serve", "app", "/home/ada/app.py", 20),
    Function("<module>", "shop", "/home/ada/shop.py", 1, "module"),
    Function("_find_and_load", _IMPORTING[0], "<frozen importlib._bootstrap>", 1022),
    Function("_load_unlocked", _IMPORTING[1], "<frozen importlib._bootstrap>", 666),
    Function("Condition.wait", "threading", f"{_LIBRARY}/threading.py", 295),
    Function("lock.acquire", "", "", 0, "builtin"),
    Function("Queue.get", "queue", f"{_LIBRARY}/queue.py", 154),
    Function("get", "requests.api", "/v/lib/python3.12/site-packages/requests/api.py", 60),
)
SELECTIONS = (
    CodeSelection(mine=True),
    CodeSelection(include=("app",)),
    CodeSelection(include=("requests",), exclude=("serve",)),
    CodeSelection(exclude=("threading", "main")),
)

Step = tuple[Function, int]
"""A function, and the line that it was called from."""
Path = tuple[Step, ...]
"""From a root to a context."""


@st.composite
def programs(draw: st.DrawFn, *, pruned: bool = False) -> ContextProfile:
    """Profiles with code of all origins; of them also some in bounded memory, and sampled ones."""
    profile = draw(profiles(approximate=True, pruned=pruned, max_contexts=16))
    count = len(profile.functions)
    chosen = draw(st.lists(st.sampled_from(FUNCTIONS), min_size=count, max_size=count, unique=True))
    return replace(profile, functions=tuple(chosen))


def rows_by_path(profile: ContextProfile) -> Iterator[tuple[Path, int]]:
    """Each row with its path."""
    paths: list[Path] = []
    tree = profile.contexts
    for row, (above, function, line) in enumerate(zip(tree.parent, tree.function, tree.call_line, strict=True)):
        paths.append((() if above == NO_PARENT else paths[above]) + ((profile.functions[function], line),))
        yield paths[-1], row


def summed(profile: ContextProfile, shown: Callable[[Path], Path], column: Sequence[int]) -> dict[Path, int]:
    """Values of a column by the path that stands for that of their row; paths that are not there have none."""
    sums: dict[Path, int] = defaultdict(int)
    for path, row in rows_by_path(profile):
        sums[shown(path)] += column[row] if len(column) else 0
    return dict(sums)


def folded(path: Path) -> Path:
    """Cut a path at its first import: the slow twin of `fold_imports`."""
    for number, (function, line) in enumerate(path):
        if function.module in _IMPORTING:
            return (*path[:number], (IMPORTS, line))
    return path


def selected(path: Path, selection: CodeSelection) -> Path:
    """Leave steps out of a path, the slow twin of `select_code`."""
    kept: list[Step] = []
    left_from: int | None = None
    for function, line in path:
        at = (line if left_from is None else left_from) if kept else 0
        if function == IMPORTS or selection.has(function):
            kept.append((function, at))
            left_from = None
        elif is_waiting(function) and not (kept and kept[-1][0] == WAITING):
            kept.append((WAITING, at))
            left_from = None
        elif left_from is None:
            left_from = line
    return tuple(kept) or ((ELSEWHERE, 0),)


def identity(path: Path) -> Path:
    return path


def check_sums(profile: ContextProfile, made: ContextProfile, shown: Callable[[Path], Path]) -> None:
    made.check_valid()
    old, new = profile.contexts, made.contexts
    assert (made.total_calls, made.total_ns) == (profile.total_calls, profile.total_ns)
    for before, after in ((old.calls_deviation, new.calls_deviation), (old.ns_deviation, new.ns_deviation)):
        assert summed(profile, shown, before) == summed(made, identity, after)
    check_errors(profile, made, shown)
    for own, total, own_after, total_after in (
        (old.calls, old.total_calls, new.calls, new.total_calls),
        (old.self_ns, old.total_ns, new.self_ns, new.total_ns),
    ):
        not_kept = summed(profile, shown, not_kept_below(old.parent, own, total))
        not_kept_after = summed(made, identity, not_kept_below(new.parent, own_after, total_after))
        expected, found = summed(profile, shown, own), summed(made, identity, own_after)
        for path in expected:
            settled = not_kept[path] if path[-1][0] == IMPORTS else 0
            assert found[path] == expected[path] + settled
            assert not_kept_after[path] == not_kept[path] - settled
        assert found.keys() == expected.keys()


def check_errors(profile: ContextProfile, made: ContextProfile, shown: Callable[[Path], Path]) -> None:
    """Sums; of imports no more than what is not kept above them."""
    if not len(profile.contexts.error):
        return
    by_time, tree = profile.metric == "time", profile.contexts
    own, total = (tree.self_ns, tree.total_ns) if by_time else (tree.calls, tree.total_calls)
    not_kept = summed(profile, shown, not_kept_below(tree.parent, own, total))
    at_top = profile.pruned_root_ns if by_time else profile.pruned_root_calls
    expected = summed(profile, shown, tree.error)
    for path in expected:
        if path[-1][0] == IMPORTS and shown is folded:
            above = sum(not_kept.get(path[:length], 0) for length in range(1, len(path)))
            expected[path] = min(expected[path], at_top + above)
    assert summed(made, identity, made.contexts.error) == expected


@given(programs(pruned=True))
def test_imports_are_folded_as_path_by_path(profile: ContextProfile) -> None:
    check_sums(profile, fold_imports(profile), folded)


@given(programs(), st.sampled_from(SELECTIONS), st.booleans())
def test_left_out_code_counts_for_its_nearest_shown_caller(
    profile: ContextProfile, selection: CodeSelection, is_folded: bool
) -> None:
    profile = fold_imports(profile) if is_folded else profile
    if not any(selection.has(profile.functions[number]) for number in profile.contexts.function):
        with pytest.raises(UsageError, match="no function that ran is left"):
            select_code(profile, selection)
        return
    check_sums(profile, select_code(profile, selection), lambda path: selected(path, selection))


@given(programs(pruned=True))
def test_own_values_of_functions_imports_and_waiting_are_those_of_all_contexts(profile: ContextProfile) -> None:
    shown = fold_imports(profile)
    groups = GroupedFunctions(shown, function_totals(shown))
    tree = shown.contexts
    own = tree.self_ns if profile.has_time else tree.calls
    assert sum(group.own for group in groups.groups) == groups.covered == sum(own)
    waits = [row for row in range(len(tree)) if is_waiting(shown.functions[tree.function[row]])]
    assert groups.waiting == (sum(own[row] for row in waits) if profile.has_time else 0)
    assert groups.imports == sum(own[row] for row in range(len(tree)) if shown.functions[tree.function[row]] == IMPORTS)
    for group in groups.groups:
        assert group.own <= group.total <= shown.whole


@given(programs(), st.data())
def test_what_is_said_to_be_hottest_is_so_wherever_the_rest_belongs(
    profile: ContextProfile, data: st.DataObject
) -> None:
    """A truth within the bounds: all that was not kept is of one function."""
    assume(profile.sampling is None)
    groups = GroupedFunctions(profile, function_totals(profile))
    said = [
        sentence for sentence in headline(profile, groups) if " is hottest: " in sentence or " is called " in sentence
    ]
    if not said or " or " in said[0]:
        return
    true_own = {groups.functions[group.function]: group.own for group in groups.work}
    favoured = data.draw(st.sampled_from([each for each in FUNCTIONS if not is_waiting(each)]))
    true_own[favoured] = true_own.get(favoured, 0) + profile.whole - groups.covered
    if " of this project: " in said[0]:
        true_own = {function: own for function, own in true_own.items() if origin_of(function) == "own"}
    most = max(true_own.values())
    hottest = [function for function, own in true_own.items() if own == most]
    assert any(said[0].startswith(function.label) for function in hottest)
