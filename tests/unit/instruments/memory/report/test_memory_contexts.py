"""Calling contexts in reports of memory accesses: trees, what ran from one function on, comparisons."""

import pytest

from made_memory_profiles import contexts_profile, inventory_profile
from sonde.base.errors import UsageError
from sonde.instruments.memory.options import ACCESSES_FIRST, MemoryDiffOptions, MemoryOptions
from sonde.instruments.memory.profile import compare_memory
from sonde.instruments.memory.profile.contexts import context_totals, inclusive_by_function, own_by_function
from sonde.instruments.memory.profile.group_figures import memory_figures
from sonde.instruments.memory.profile.memory_profile import NO_CALLER, MemoryProfile
from sonde.instruments.memory.report import difference_report, memory_report
from sonde.report import FlameGraph, Report, Row, Table
from sonde.report.table import Column

ACCESSES = "accesses"


def tree(report: Report) -> Table:
    return next(table for table in report.tables() if table.key == "contexts")


def at(columns: tuple[Column, ...], row: Row, key: str) -> object:
    return row.cells[[column.key for column in columns].index(key)]


def outline(report: Report) -> list[tuple[int, str, int]]:
    """Depth, name and accesses of each row."""
    found, table = [], tree(report)
    pending = [(0, row) for row in reversed(table.rows)]
    while pending:
        depth, row = pending.pop()
        name, accesses = at(table.columns, row, "function"), at(table.columns, row, ACCESSES)
        assert isinstance(accesses, int)
        found.append((depth, str(getattr(name, "text", "") or getattr(name, "label", name)), accesses))
        pending.extend((depth + 1, below) for below in row.below[::-1])
    return found


def with_all_below(profile: MemoryProfile, name: str) -> int:
    """By a walk up from every context."""
    total = 0
    for each in profile.contexts:
        number, is_below = each, False
        while True:
            is_below |= number.function >= 0 and profile.functions[number.function].name == name
            if number.parent == NO_CALLER:
                break
            number = profile.contexts[number.parent]
        total += each.accesses * is_below
    return total


def test_a_tree_has_callers_with_what_they_called_the_heaviest_first() -> None:
    profile = contexts_profile()
    assert outline(memory_report(profile, MemoryOptions(sort="accesses", rows=20)))[:6] == [
        (0, "<module>", with_all_below(profile, "<module>")),
        (1, "main", with_all_below(profile, "main")),
        (2, "walk", 1_000_000),
        (2, "check", with_all_below(profile, "check")),
        (3, "walk", 250_000),
        (2, "Tree.deep ×2 levels", with_all_below(profile, "Tree.deep")),
    ]


def test_what_is_not_looked_at_counts_for_its_nearest_caller_that_is() -> None:
    profile = contexts_profile()
    told = outline(memory_report(profile, MemoryOptions(sort="accesses", rows=20, exclude=("check",))))
    assert (2, "walk", 1_250_000) in told
    assert told[1] == (1, "main", with_all_below(profile, "main"))


def test_a_tree_ends_where_the_least_share_does() -> None:
    table = tree(memory_report(contexts_profile(), MemoryOptions(min_share=0.3, sort="accesses")))
    whole = contexts_profile().accesses
    assert all(at(table.columns, row, ACCESSES) >= 0.3 * whole for row in table.all_rows())  # type: ignore[operator]
    assert table.legend.startswith("not listed: ")


def test_from_a_function_there_is_what_it_and_its_callees_did() -> None:
    profile = contexts_profile()
    report = memory_report(profile, MemoryOptions(from_="check", sort="accesses"))
    inside = with_all_below(profile, "check")
    assert outline(report) == [(0, "check", inside), (1, "walk", 250_000)]
    functions = next(table for table in report.tables() if table.key == "python_functions")
    assert sum(at(functions.columns, row, ACCESSES) for row in functions.rows) == inside  # type: ignore[misc]
    assert f"{inside / profile.accesses:.1%} of the accesses" in report.headline[0]


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"from_": "chekc"}, "no-such-function"),
        ({"from_": "check", "include": ("main",)}, "no-code-left"),
        ({"from_": "check", "min_share": 0.9}, "no-code-left"),
    ],
)
def test_a_function_that_leaves_nothing_is_refused(options: dict[str, object], slug: str) -> None:
    with pytest.raises(UsageError) as caught:
        memory_report(contexts_profile(), MemoryOptions(**options))  # type: ignore[arg-type]
    assert caught.value.slug == slug
    assert slug != "no-such-function" or "'check'" in str(caught.value.hint)


def test_the_flame_graph_is_as_wide_as_the_run() -> None:
    profile = contexts_profile()
    (graph,) = (block for block in memory_report(profile).blocks if isinstance(block, FlameGraph))
    cost, accesses = graph.weights
    outside = profile.contexts[0].accesses
    assert accesses.whole == profile.accesses == sum(accesses.own) + outside
    assert [total for total, above in zip(accesses.total, graph.parent, strict=True) if above == NO_CALLER] == [
        profile.accesses - outside
    ]
    assert cost.own != accesses.own


def test_a_function_counts_once_where_it_is_on_the_stack_twice() -> None:
    profile = contexts_profile()
    own, inclusive = own_by_function(profile.contexts), inclusive_by_function(profile.contexts)
    told = {profile.functions[each.function]: each.accesses for each in inclusive}
    assert {function.name: accesses for function, accesses in told.items() if "other" not in function.file} == {
        function.name: with_all_below(profile, function.name) for function in told
    }
    assert sum(each.accesses for each in own) + profile.contexts[0].accesses == profile.accesses
    assert context_totals(profile.contexts)[1].accesses == with_all_below(profile, "<module>")


def test_a_comparison_tells_what_functions_and_their_callees_did_more() -> None:
    before, after = contexts_profile(), contexts_profile(rounds=3)
    found = compare_memory(before, after)
    assert {each.name: each.accesses for each in found.inclusive_functions} == {
        name: with_all_below(after, name) - with_all_below(before, name) for name in ("<module>", "main", "walk")
    }
    inside = compare_memory(before, after, from_="main")
    assert [each.name for each in inside.python_functions] == ["walk"]
    assert not (inside.python_lines or inside.native_functions or inside.types)
    assert compare_memory(before, after, from_="check").python_functions == ()
    assert compare_memory(inventory_profile(), after).inclusive_functions == ()
    report = difference_report(inside, MemoryDiffOptions(from_="main"))
    assert "what ran in 'main'" in str(report.blocks)


def test_groups_are_compared_from_a_function_on_too() -> None:
    profiles = [contexts_profile(rounds=rounds) for rounds in (1, 2)]
    figures = memory_figures(profiles, ["one", "two"], ACCESSES_FIRST, from_="main")
    told = [dict(zip([f.name for f in run.functions], run.own, strict=True)) for run in figures.runs]
    assert [run["walk"] for run in told] == [500_000 + 287_500, 1_000_000 + 287_500]
    assert "<module>" not in told[0]
