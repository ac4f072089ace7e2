"""The differences of two compilations."""

from textwrap import dedent

import pytest

from decision_texts import delta_text
from made_experiments import Made, experiment, inlined
from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.experiments import (
    CompareOptions,
    Differences,
    TooBig,
    TreeOptions,
    UnitPair,
    differences,
)
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place


def pair(first: Made, second: Made) -> UnitPair:
    return UnitPair(experiment(1, first).run.units[0], experiment(2, second).run.units[0])


def text(found: object) -> str:
    assert isinstance(found, DeltaNode)
    return delta_text(found)


FIRST = Made("a()", 0, [CallSite("c()", 9), inlined("b()", 1), CallSite("d()", 5)], Phase("RootPhase", [Phase("P")]))
SECOND = Made(
    "a()",
    0,
    [CallSite("b()", 1, alive=True), CallSite("c()", 9)],
    Phase("RootPhase", [Phase("P"), Phase("Q", [Decision("X", "Y", (Place("a()", 4),))])]),
)


def test_both_trees_are_compared_and_pruned() -> None:
    found = differences(pair(FIRST, SECOND))

    assert found.any
    assert found.context is None
    assert text(found.inlining) == dedent("""\
        . (root) a()
          * (inlined -> direct) b() line 1
          - (deleted) d() line 5""")
    assert text(found.optimizations) == dedent("""\
        . RootPhase
          + Q
            + X line 4""")


def test_identities_are_kept_when_asked_for() -> None:
    found = differences(pair(FIRST, SECOND), CompareOptions(prune=False))

    assert text(found.inlining) == dedent("""\
        . (root) a()
          * (inlined -> direct) b() line 1
          - (deleted) d() line 5
          . (deleted) c() line 9""")


def test_context_trees_are_compared_instead() -> None:
    found = differences(pair(FIRST, SECOND), CompareOptions(context=True))

    assert (found.inlining, found.optimizations) == (None, None)
    assert text(found.context) == dedent("""\
        . Optimization-context tree
          . (root) a()
            + X line 4
            * (inlined -> direct) b() line 1
            - (deleted) d() line 5""")


def test_equal_trees_have_no_differences() -> None:
    assert differences(pair(FIRST, FIRST)) == Differences()
    assert not differences(pair(FIRST, FIRST)).any
    assert not differences(pair(FIRST, FIRST), CompareOptions(context=True)).any


def test_order_counts_only_where_it_means_something() -> None:
    turned = FIRST._replace(calls=FIRST.calls[::-1])
    as_logged = CompareOptions(TreeOptions(sort_inlining_tree=False))

    assert not differences(pair(FIRST, turned)).any
    assert differences(pair(FIRST, turned), as_logged).any


@pytest.mark.parametrize("context", [False, True])
def test_trees_that_are_too_big_say_so(context: bool) -> None:
    large = Made("a()", 0, [CallSite("b()", place) for place in range(10_001)])

    found = differences(pair(large, large), CompareOptions(context=context))

    assert (found.context if context else found.inlining) is TooBig.TOO_BIG
    assert found.optimizations is None
    assert found.any
