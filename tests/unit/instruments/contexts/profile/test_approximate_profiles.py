"""Approximate profiles: which contexts are hot, what stays true of parts, and what is not valid."""

from dataclasses import replace
from pathlib import Path

import pytest

from sonde.base.errors import InternalError
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    Sampling,
    context_classes,
    focus_on,
    hot_context_tree,
    read_profile,
    write_profile,
)
from sonde.instruments.contexts.profile.comparison.inlined_comprehensions import dissolve_comprehensions
from sonde.instruments.contexts.profile.context_profile import Contexts
from tree_builder import profile_of

OUTLINE = """
main x1
  parse @101 x2
    token @201 x300
    comment @202 x18
  write @102 x9
"""
BOUNDS = Approximation(metric="calls", phi=0.05, epsilon=0.01, floor=2, counters=100)  # hot from 20 of 400 on


def approximate(outline: str = OUTLINE, *, calls_below_main: int = 60, calls_elsewhere: int = 10) -> ContextProfile:
    """A profile with 400 calls in all, of which 70 are in no context; each context may have two more than it says."""
    exact = profile_of(outline)
    tree = exact.contexts
    totals = [tree.total_calls[0] + calls_below_main, *tree.total_calls[1:]]
    contexts = replace(tree, total_calls=totals, error=[2] * len(tree))
    return replace(exact, contexts=contexts, approximation=BOUNDS, pruned_root_calls=calls_elsewhere)


def test_a_context_is_hot_possibly_hot_or_cold() -> None:
    profile = approximate()
    profile.check_valid()

    assert (profile.metric, profile.metric_total, profile.hot_threshold) == ("calls", 400, 20)
    assert context_classes(profile) == ["cold", "cold", "hot", "possibly hot", "cold"]
    assert context_classes(profile, phi=0.5) == ["cold", "cold", "hot", "cold", "cold"]


def test_the_hot_tree_leads_to_what_is_hot_and_keeps_totals_and_bounds() -> None:
    profile = approximate()

    hot = hot_context_tree(profile)

    hot.check_valid()
    assert [hot.functions[number].name for number in hot.contexts.function] == ["main", "parse", "token", "comment"]
    assert hot.total_calls == 400
    assert list(hot.contexts.total_calls) == [390, 320, 300, 18]
    assert hot.approximation == replace(BOUNDS, floor=11)  # `write` may have that many


def test_of_an_exact_profile_somebody_has_to_say_what_is_hot() -> None:
    exact = profile_of(OUTLINE, clock="none")

    with pytest.raises(InternalError, match="cannot say what is hot"):
        context_classes(exact)
    hot = hot_context_tree(exact, phi=0.5)
    hot.check_valid()
    assert (len(hot.contexts), hot.pruned_contexts, hot.total_calls) == (3, 2, 330)


def test_in_focus_the_same_contexts_are_hot() -> None:
    part = focus_on(approximate(), "parse")

    part.check_valid()
    assert (part.total_calls, part.hot_threshold) == (320, 20)
    assert context_classes(part) == ["cold", "hot", "possibly hot"]
    assert list(part.contexts.error) == [2, 2, 2]


def test_in_focus_nothing_becomes_hot_because_the_part_is_small() -> None:
    small, inner = focus_on(approximate(), "write"), focus_on(focus_on(approximate(), "parse"), "comment")

    assert [(part.total_calls, part.hot_threshold) for part in (small, inner)] == [(9, 20), (18, 20)]
    assert [context_classes(part) for part in (small, inner)] == [["cold"], ["possibly hot"]]


def test_a_part_of_a_run_that_is_written_knows_the_run(tmp_path: Path) -> None:
    part = focus_on(approximate(), "parse")
    write_profile(tmp_path / "part.sonde", part)

    assert read_profile(tmp_path / "part.sonde") == part


def test_dissolved_comprehensions_leave_what_is_not_listed_in_the_totals() -> None:
    profile = approximate()
    functions = tuple(replace(f, kind="comprehension") if f.name == "parse" else f for f in profile.functions)

    dissolved, vanished = dissolve_comprehensions(replace(profile, functions=functions))

    dissolved.check_valid()
    assert (vanished, dissolved.total_calls) == (2, 398)
    assert list(dissolved.contexts.total_calls) == [388, 300, 18, 9]


@pytest.mark.parametrize(
    "profile",
    [
        replace(approximate(), approximation=None),
        replace(profile_of(OUTLINE), pruned_root_calls=1),
        replace(approximate(), contexts=replace(approximate().contexts, error=[1])),
        replace(approximate(), contexts=replace(approximate().contexts, error=[0, 0, -1, 0, 0])),
        replace(approximate(), contexts=replace(approximate().contexts, calls_deviation=[1] * 5)),
        replace(approximate(), contexts=replace(approximate().contexts, total_calls=[1] * 5)),
    ],
    ids=["errors without bounds", "calls nowhere", "short", "negative", "deviations without sample", "total too small"],
)
def test_what_cannot_be_is_not_valid(profile: ContextProfile) -> None:
    with pytest.raises(InternalError, match="cannot trust this profile"):
        profile.check_valid()


@pytest.mark.parametrize(
    "change",
    [{"metric": "bytes"}, {"phi": 0.0}, {"phi": 1.1}, {"epsilon": 0.0}, {"floor": -1}, {"counters": 0}, {"whole": -1}],
    ids=str,
)
def test_bounds_are_checked_when_they_are_made(change: dict[str, object]) -> None:
    fields = {"metric": "calls", "phi": 0.1, "epsilon": 0.02, "floor": 0, "counters": 50} | change
    with pytest.raises(ValueError, match="an approximation has"):
        Approximation(**fields)  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize("change", [{"burst_ns": 21}, {"burst_ns": -1}, {"bursts": -1}, {"fraction": 1.5}], ids=str)
def test_samples_are_checked_when_they_are_made(change: dict[str, float]) -> None:
    fields = {"interval_ns": 20, "burst_ns": 2, "bursts": 3, "fraction": 0.1} | change
    with pytest.raises(ValueError, match="a sample has"):
        Sampling(**fields)  # type: ignore[arg-type] # wrong on purpose


def test_rows_whose_caller_is_left_out_become_roots() -> None:
    tree: Contexts = approximate().contexts.of_rows([1, 3, 4])

    assert list(tree.parent) == [-1, 0, -1]
    assert list(tree.error) == [2, 2, 2]
    assert list(tree.calls_deviation) == []
