"""Laws of what goes with what: nothing is lost, and what explains is explained by nothing."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_decisions import called, inlined, made_run, made_sides, made_unit, root
from sonde.instruments.decisions.analysis import compare_runs, findings
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Outcome, Phase, Place, Trees

EVENTS: list[tuple[str, str, Outcome]] = [
    ("loop-vectorize", "Vectorized", "applied"),
    ("loop-vectorize", "MissedDetails", "missed"),
    ("loop-vectorize", "CantVectorizeCall", "analysis"),
    ("loop-vectorize", "UnsafeDep", "analysis"),
    ("loop-unroll", "FullyUnrolled", "applied"),
    ("loop-unroll", "PartialUnrolled", "applied"),
    ("licm", "Hoisted", "applied"),
    ("licm", "LoadWithLoopInvariantAddressInvalidated", "missed"),
    ("gvn", "LoadClobbered", "missed"),
    ("slp-vectorizer", "NotPossible", "missed"),
    ("deadargelim", "ArgumentRemoved", "applied"),
]
decisions = st.builds(
    lambda said, method, line, column: Decision(said[0], said[1], (Place(method, line, column),), (), said[2]),
    st.sampled_from(EVENTS),
    st.sampled_from(["f", "g"]),
    st.integers(0, 5),
    st.sampled_from([5, 9]),
)
made_calls = st.builds(
    lambda is_inlined, at: (inlined if is_inlined else called)("h", at), st.booleans(), st.integers(0, 5)
)


def run(calls: list[CallSite], said: list[Decision]) -> DecisionRun:
    trees = Trees(root("f", *calls), Phase("all passes", [*said]))
    return made_run([made_unit(0, trees, period=900)], kind="llvm")


sides = st.builds(
    run, st.lists(made_calls, max_size=2, unique_by=lambda call: call.at), st.lists(decisions, max_size=8)
)


@examples(1)
@given(sides, sides)
def test_every_decision_is_in_one_difference_and_what_explains_is_explained_by_nothing(
    first: DecisionRun, second: DecisionRun
) -> None:
    comparison = compare_runs(*made_sides(first, second, HeatPolicy(percentile=1.0)))
    found = findings(comparison)
    said = [[*unit.load().optimizations.children] for run in (first, second) for unit in run.units]
    told: tuple[list[Decision], list[Decision]] = ([], [])
    for lead in found:
        assert all(not each.with_it and each.decisions is not None for each in lead.with_it)
        for each in (lead, *lead.with_it):
            if each.decisions is not None:
                told[0].extend(each.decisions.left)
                told[1].extend(each.decisions.right)
    # What is on one side only is told, once; what moved in the order is told on both.
    counts = [Counter(each for each in side if isinstance(each, Decision)) for side in said]
    for side, own in enumerate(told):
        of_here = Counter(own)
        assert of_here <= counts[side]
        assert counts[side] - counts[1 - side] <= of_here
