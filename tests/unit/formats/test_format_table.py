"""The table of formats, and the pieces that formats share."""

import json
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.base.errors import UsageError
from sonde.formats import FORMATS, Format, format_named, registered_name
from sonde.formats.depth_first import depth_first
from sonde.formats.frame_name import qualified_name
from sonde.formats.json_stream import write_items
from sonde.formats.stack_budget import heaviest_within, path_costs
from sonde.instruments.contexts.profile import ContextProfile, Function
from strategies import profiles

OF_CONTEXTS = [each for each in FORMATS if each.kind == "contexts"]


def _trees(max_size: int = 12) -> st.SearchStrategy[list[int]]:
    return st.integers(0, max_size).flatmap(
        lambda size: st.tuples(*(st.integers(-1, row - 1) for row in range(size))).map(list)
    )


@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
@given(profile=profiles(surrogates=True, approximate=True))
def test_every_format_writes_every_profile_the_same_way_twice_and_leaves_it_alone(
    each: Format, profile: ContextProfile
) -> None:
    before = repr(profile)
    first, second = BytesIO(), BytesIO()

    each.write(profile, first)
    each.write(profile, second)

    assert first.getvalue() == second.getvalue()
    assert repr(profile) == before
    profile.check_valid()


@pytest.mark.parametrize("each", FORMATS, ids=registered_name)
def test_names_and_suffixes_are_distinct_and_findable(each: Format) -> None:
    assert format_named(registered_name(each)) is each
    assert each.suffix.startswith(".")
    assert sum((each.kind, each.suffix) == (other.kind, other.suffix) for other in FORMATS) == 1


def test_an_unknown_format_names_its_neighbour() -> None:
    with pytest.raises(UsageError) as refused:
        format_named("speedscop")

    assert refused.value.slug == "unknown-format"
    assert refused.value.hint == "did you mean '--to speedscope'?"


@given(_trees())
def test_depth_first_opens_and_closes_every_row_around_its_children(parent: list[int]) -> None:
    path: list[int] = []
    opened: list[int] = []
    for step in depth_first(parent):
        if step >= 0:
            assert parent[step] == (path[-1] if path else -1)
            path.append(step)
            opened.append(step)
        else:
            assert path.pop() == ~step
    assert not path
    assert sorted(opened) == list(range(len(parent)))


@given(_trees(), st.integers(0, 60), st.data())
def test_the_listed_contexts_are_a_tree_within_the_budget(parent: list[int], budget: int, data: st.DataObject) -> None:
    weights = [1] * len(parent)
    for row in range(len(parent) - 1, -1, -1):
        weights[row] += data.draw(st.integers(0, 3))
        if parent[row] >= 0:
            weights[parent[row]] += weights[row]
    costs = path_costs(parent, [0] * len(parent), [1])

    listed = heaviest_within(weights, costs, budget)

    if listed is None:
        assert sum(costs) <= budget
        return
    assert sum(cost for cost, kept in zip(costs, listed, strict=True) if kept) <= budget < sum(costs)
    assert all(listed[parent[row]] for row in range(len(parent)) if listed[row] and parent[row] >= 0)


@pytest.mark.parametrize("count", [0, 1, 8191, 8192, 8193, 20_000])
def test_json_items_are_separated_whatever_their_number(count: int) -> None:
    stream = BytesIO()

    write_items(stream, map(str, range(count)))

    assert json.loads(b"[" + stream.getvalue() + b"]") == list(range(count))


def test_names_are_qualified_once_and_always_writable() -> None:
    assert qualified_name(Function("Parser.parse", "pkg.mod", "m.py", 3)) == "pkg.mod.Parser.parse"
    assert qualified_name(Function("app", "app", "app.py", 1, "module")) == "<module app>"
    assert qualified_name(Function("len", "builtins", "", 0, "builtin")) == "builtins.len"
    assert qualified_name(Function("caf\udce9", "", "", 0)) == "caf\\udce9"
    assert qualified_name(Function("", "", "", 0)) == "(no name)"
