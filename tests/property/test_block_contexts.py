"""What a block counted is what lies between two moments, context by context; the oracle knows contexts as paths."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from path_counts import Path, by_path
from sonde.events import Function
from sonde.instruments.contexts.analyses import BlockContexts
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile, Contexts, Run, contexts_from_self

MODULES = {"a": "app", "b": "app", "ours": "sonde.api.block"}
FUNCTIONS = tuple(Function(name, module, "app.py", 1) for name, module in MODULES.items())
Counts = dict[Path, tuple[int, int]]
"""Calls and own time."""

steps = st.tuples(st.sampled_from(FUNCTIONS), st.integers(0, 2))
paths = st.lists(steps, min_size=1, max_size=5).map(tuple)
counts = st.dictionaries(paths, st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=12)


def is_ours(function: Function) -> bool:
    return function.module.startswith("sonde.api.")


def profile(of: Counts) -> ContextProfile:
    row: dict[Path, int] = {}
    for path in of:
        for depth in range(1, len(path) + 1):
            row.setdefault(path[:depth], len(row))
    tree = contexts_from_self(
        parent=[row[path[:-1]] if path[1:] else NO_PARENT for path in row],
        function=[FUNCTIONS.index(path[-1][0]) for path in row],
        call_line=[path[-1][1] for path in row],
        calls=[of.get(path, (0, 0))[0] for path in row],
        self_ns=[of.get(path, (0, 0))[1] for path in row],
    )
    return ContextProfile(FUNCTIONS, tree, run=Run(clock="tsc"))


def shown_path(path: Path, of: Counts) -> Path:
    """Without sonde's own, and without callers that were there already, and have counted nothing."""
    shown: Path = ()
    own_line: int | None = None
    for depth, (function, called_from) in enumerate(path, 1):
        line = 0 if not shown else called_from if own_line is None else own_line
        own_line = line if is_ours(function) else None
        if own_line is None and (shown or any(of.get(path[:depth], (0, 0)))):
            shown = (*shown, (function, line))
    return shown


def plus(one: Counts, other: Counts) -> Counts:
    pairs = {path: (one.get(path, (0, 0)), other.get(path, (0, 0))) for path in one | other}
    return {path: (left[0] + right[0], left[1] + right[1]) for path, (left, right) in pairs.items()}


@examples(0.6)
@given(earlier=counts, blocks=st.lists(st.tuples(counts, counts), min_size=1, max_size=3))
def test_calls_and_times_are_those_of_the_moment_after_less_those_of_the_moment_before(
    earlier: Counts, blocks: list[tuple[Counts, Counts]]
) -> None:
    """*Guarantee* of `BlockContexts`; what is counted between the blocks is in none of them."""
    contexts = BlockContexts(is_ours)
    calls, own_ns = Counter[Path](), Counter[Path]()
    for between, block in blocks:
        earlier = plus(earlier, between)
        later = plus(earlier, block)
        contexts.add(profile(earlier), profile(later))
        for path, (more_calls, more_ns) in block.items():
            shown = shown_path(path, block)
            if not is_ours(path[-1][0]):
                calls[shown] += more_calls
                own_ns[shown] += more_ns
        earlier = later

    functions, tree = contexts.snapshot()

    found = ContextProfile(functions, tree, run=Run(clock="tsc"))
    found.check_valid()
    assert not any(is_ours(function) for function in functions)
    assert +by_path(found, tree.calls) == +calls
    assert +by_path(found, tree.self_ns) == +own_ns
    assert is_tree_of_what_counts(tree)


def is_tree_of_what_counts(tree: Contexts) -> bool:
    """Nothing is listed in which, and below which, nothing was counted."""
    return all(map(any, zip(tree.total_calls, tree.total_ns, strict=True)))
