"""The report shows every profile there can be, and its numbers add up."""

from hypothesis import given
from hypothesis import strategies as st

from report_json import all_rows, left_out
from sonde.base.fitted_text import display_width
from sonde.instruments.contexts.analysis.folded_tree import FoldedTree
from sonde.instruments.contexts.analysis.tree_selection import Branch, select_branches
from sonde.instruments.contexts.analysis.uncertainty import Uncertainties
from sonde.instruments.contexts.profile import ContextProfile, context_classes
from sonde.instruments.contexts.report import ContextLimits, contexts_report
from sonde.instruments.contexts.report.terminal.live_page import live_lines, live_summary
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text
from strategies import profiles


@given(profiles(surrogates=True, approximate=True), st.integers(20, 200), st.floats(0, 1), st.integers(1, 5))
def test_every_profile_can_be_printed_within_the_page(
    profile: ContextProfile, width: int, min_share: float, rows: int
) -> None:
    text = report_text(contexts_report(profile, ContextLimits(min_share, rows, 3)), columns=width)
    assert all(display_width(line) <= width for line in text.splitlines())


@given(profiles(surrogates=True, approximate=True), st.sampled_from([60, 80, 200]), st.integers(1, 40))
def test_every_profile_can_be_shown_live_within_its_block(profile: ContextProfile, width: int, height: int) -> None:
    lines = live_lines(profile, 10**9, width=width, height=height)
    assert 1 <= len(lines) <= height
    assert all(display_width(line) <= width for line in lines)
    assert "\n" not in live_summary(profile, 10**9)


@given(profiles(pruned=False, approximate=True))
def test_folding_keeps_all_contexts_and_all_weight(profile: ContextProfile) -> None:
    tree = FoldedTree(profile)
    nodes = tree.grow_all()
    whole = profile.total_ns if profile.has_time else profile.total_calls
    assert sorted(row for node in nodes for row in node.members) == list(range(len(profile.contexts)))
    assert sum(node.self_weight + node.not_kept for node in nodes) + tree.not_kept == whole
    assert sum(node.not_kept for node in nodes) + tree.not_kept == tree.all_not_kept
    for node in nodes:
        assert node.total == node.self_weight + node.not_kept + sum(child.total for child in node.children)
        assert node.below == len(node.members) + sum(child.below for child in node.children)


@given(profiles(approximate=True), st.floats(0, 0.5), st.integers(1, 6))
def test_shown_hidden_and_not_kept_weight_is_all_weight(profile: ContextProfile, min_share: float, rows: int) -> None:
    tree = FoldedTree(profile)
    whole = profile.total_ns if profile.has_time else profile.total_calls
    selection = select_branches(tree, whole=whole, least_weight=min_share * whole, rows=rows)
    weight, contexts = selection.all_hidden_weight + selection.all_not_kept, selection.all_hidden_contexts
    pending: list[Branch] = list(selection.roots)
    while pending:
        branch = pending.pop()
        assert branch.hidden_weight >= 0
        below = sum(child.node.total for child in unfolded(branch))
        assert branch.node.total == branch.node.self_weight + branch.node.not_kept + branch.hidden_weight + below
        for node in (*branch.passed_on, branch.node):
            weight += node.self_weight
            contexts += len(node.members)
        pending.extend(branch.children)
    assert weight == whole
    assert contexts == len(profile.contexts)


@given(profiles(approximate=True), st.integers(1, 40))
def test_doubts_are_those_of_the_contexts(profile: ContextProfile, rows: int) -> None:
    values, errors = profile.metric_values(), profile.errors()
    data = report_data(contexts_report(profile, ContextLimits(0.0, rows, 3)))
    is_bounded, is_sampled = profile.approximation is not None, profile.sampling is not None
    for record in all_rows(data, "unfolded_contexts"):
        assert ("error" in record) == ("class" in record) == is_bounded
        assert ("calls_deviation" in record) == is_sampled
    if profile.approximation is not None:
        uncertainties = Uncertainties(profile)
        for row, kind in enumerate(context_classes(profile)):
            assert uncertainties.of([row]).heat == kind
            assert values[row] + errors[row] == values[row] + uncertainties.of([row]).error


@given(profiles(approximate=True), st.integers(1, 6))
def test_the_data_lists_contexts_or_counts_them(profile: ContextProfile, rows: int) -> None:
    data = report_data(contexts_report(profile, ContextLimits(0.0, rows, 3)))
    listed = all_rows(data, "unfolded_contexts")
    assert len(listed) <= rows
    assert len(listed) + left_out(data, "unfolded_contexts") == len(profile.contexts) + profile.pruned_contexts


def unfolded(branch: Branch) -> list[Branch]:
    """The children of a branch; of those that stand for a chain, the chain's first."""
    return [Branch(child.passed_on[0]) if child.passed_on else child for child in branch.children]
