"""A profile as a report for its page: the flame graph, sums of whole functions, lines, what is said first."""

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given

from sonde.code import Place
from sonde.instruments.contexts.profile import ContextProfile, Function, Loss, keep_heaviest
from sonde.instruments.contexts.report import context_report, contexts_page, contexts_report
from sonde.report import FlameGraph, Notices, Report, Table
from strategies import profiles
from tree_builder import profile_of

SMALL = """
main 10
  work @2 25
    hash @6 5
  work @3 22 x2
    hash @6 8
    work @6 30 x5
"""
PLACES = {
    "main": Function("main", "app", "app.py", 1),
    "work": Function("work", "app", "app.py", 5),
    "hash": Function("hash", "builtins", "", 0, "builtin"),
}


def small_profile(clock: str = "tsc") -> ContextProfile:
    return profile_of(SMALL, functions=PLACES, clock=clock, losses=(Loss("events-lost", 3, "Three events were lost."),))


def graph_of(report: Report) -> FlameGraph:
    return next(block for block in report.blocks if isinstance(block, FlameGraph))


def table_of(report: Report, key: str) -> Table:
    return next(table for table in report.tables() if table.key == key)


def lines_of(report: Report) -> dict[int, tuple[object, ...]]:
    """Cells by line."""
    cells = [row.cells for row in table_of(report, "lines").rows]
    return {each[-1].line: each[:-1] for each in cells if isinstance(each[-1], Place)}


def test_losses_stand_before_the_graph_and_the_graph_before_tables() -> None:
    blocks = contexts_page(small_profile()).blocks
    kinds = [type(block) for block in blocks]
    assert kinds.index(Notices) < kinds.index(FlameGraph) < kinds.index(Table)


def test_frames_are_contexts_as_wide_as_their_time_or_their_calls() -> None:
    profile = small_profile()
    graph = graph_of(contexts_page(profile))
    time, calls = graph.weights
    assert (time.whole, calls.whole) == (profile.total_ns, profile.total_calls)
    assert (time.own, calls.total) == (profile.contexts.self_ns, profile.contexts.total_calls)
    assert (time.hot_from, list(time.not_kept), graph.left_out) == (0, [], 0)


def test_without_a_clock_frames_are_as_wide_as_their_calls() -> None:
    assert [weights.key for weights in graph_of(contexts_page(small_profile("none"))).weights] == ["calls"]


@given(profiles(approximate=True, pruned=False))
def test_what_was_not_kept_adds_up_with_what_is_shown(profile: ContextProfile) -> None:
    if not len(profile.contexts):
        return
    graph = graph_of(contexts_page(profile))
    for weights in graph.weights:
        assert sum(weights.own) + sum(weights.not_kept) + weights.not_kept_at_top == weights.whole
        is_exact = profile.approximation is None
        lost = [0] * len(weights.total) if is_exact else weights.not_kept
        assert all(0 <= each <= total for each, total in zip(lost, weights.total, strict=True))


def test_lines_have_what_begins_there_and_what_is_called_from_there() -> None:
    # Line 6 calls hash (5 + 8 ns, 2 calls) and work itself (30 ns, 5 calls); line 5 begins what has 77 ns of its own.
    assert lines_of(contexts_page(small_profile())) == {
        1: (1, 10, None),
        2: (1, None, 30),
        3: (2, None, 60),
        5: (8, 77, None),
        6: (7, None, 43),
    }


def test_without_a_clock_lines_have_calls() -> None:
    assert lines_of(contexts_page(small_profile("none"))) == {
        1: (1, None), 2: (1, 2), 3: (2, 8), 5: (8, None), 6: (7, 7),
    }  # fmt: skip


def test_a_line_that_calls_itself_in_turn_counts_its_outermost_calls() -> None:
    profile = profile_of("main 1\n  down @9 10\n    down @9 10\n      down @9 10", functions={"main": PLACES["main"]})
    assert lines_of(contexts_page(profile))[9] == (3, None, 30)


@given(profiles())
def test_lines_agree_with_walking_up_from_every_context(profile: ContextProfile) -> None:
    if not len(profile.contexts):
        return
    tree = profile.contexts
    weights = tree.total_ns if profile.has_time else tree.total_calls

    def line_of(row: int) -> tuple[str, int] | None:
        above = tree.parent[row]
        file = "" if above < 0 else profile.functions[tree.function[above]].file
        return (file, tree.call_line[row]) if file and tree.call_line[row] else None

    expected: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for row in range(len(tree)):
        at = line_of(row)
        if at is None:
            continue
        expected[at][0] += tree.calls[row]
        above = tree.parent[row]
        while above >= 0 and line_of(above) != at:
            above = tree.parent[above]
        if above < 0:
            expected[at][1] += weights[row]
    found = {}
    for line in table_of(contexts_page(profile), "lines").rows:
        *_, callees, place = line.cells
        assert isinstance(place, Place)
        if callees is not None:
            found[place.file, place.line] = callees
    assert found == {at: weight for at, (_, weight) in expected.items()}


def test_functions_are_summed_over_contexts_that_have_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = small_profile()
    whole = contexts_page(profile)
    monkeypatch.setattr(context_report, "_MOST_ON_PAGE", 2)
    report = contexts_page(profile)
    assert [row.cells for row in table_of(report, "functions").rows] == [
        row.cells for row in table_of(whole, "functions").rows
    ]
    assert (len(graph_of(report).parent), graph_of(report).left_out) == (2, 4)
    assert "of the 2 heaviest contexts" in table_of(report, "lines").notes


def test_programs_get_lines_and_no_graph() -> None:
    report = contexts_report(small_profile())
    assert table_of(report, "lines").is_secondary
    assert not [block for block in report.blocks if isinstance(block, FlameGraph)]
    assert "lines" not in [table.key for table in contexts_report(small_profile(), with_data=False).tables()]


@given(profiles())
def test_the_heaviest_contexts_are_a_valid_tree(profile: ContextProfile) -> None:
    whole = replace(profile, approximation=None)
    for limit in range(1, len(profile.contexts) + 1):
        kept = keep_heaviest(whole, limit)
        kept.check_valid()
        assert len(kept.contexts) == limit
        assert (kept.total_calls, kept.total_ns) == (whole.total_calls, whole.total_ns)
        lightest = min(kept.weights())
        assert sum(weight > lightest for weight in whole.weights()) <= limit
