"""Groups of runs with known effects: few false discoveries, much power, intervals that hold."""

import numpy as np
import pytest

from made_groups import simulated
from sonde.groups import GroupComparison, compare_groups

COMPARISONS = 100
FUNCTIONS = 30
MEANS = np.geomspace(100.0, 10_000.0, FUNCTIONS)
CHANGED = np.where(np.arange(FUNCTIONS) % 10 == 0, 2.0, 1.0)
"""Three of thirty take twice as long."""


def found_in(comparison: GroupComparison) -> set[int]:
    return {int(each.function.name[1:]) for each in comparison.established if each.function is not None}


@pytest.mark.parametrize("runs", [5, 8])
@pytest.mark.parametrize("paired", [False, True])
def test_of_equal_groups_at_most_one_in_twenty_has_a_discovery(runs: int, paired: bool) -> None:
    # Under the null the false discovery proportion is 1 where anything is found, so its mean is how often that is.
    found = [
        bool(
            found_in(
                compare_groups(*simulated(seed, MEANS, np.ones(FUNCTIONS), runs, paired=paired), is_independent=True)
            )
        )
        for seed in range(COMPARISONS)
    ]

    # Of 100, 12 or more have a probability below 0.005 if 5 % is the rate.
    assert sum(found) < 12


@pytest.mark.parametrize("paired", [False, True])
def test_doubled_functions_are_found_others_are_not_and_intervals_hold(paired: bool) -> None:
    false_share, missed, chosen, uncovered = [], 0, 0, 0
    for seed in range(COMPARISONS):
        comparison = compare_groups(*simulated(seed, MEANS, CHANGED, 5, paired=paired), is_independent=True)
        found = found_in(comparison)
        truth = set(np.flatnonzero(CHANGED > 1.0).tolist())
        false_share.append(len(found - truth) / max(len(found), 1))
        missed += len(truth - found)
        for each in comparison.established:
            assert each.function is not None and each.ratio is not None
            chosen += 1
            uncovered += CHANGED[int(each.function.name[1:])] not in each.ratio

    assert np.mean(false_share) < 0.05 + 3 * np.std(false_share) / np.sqrt(COMPARISONS)
    assert missed <= 0.01 * 3 * COMPARISONS
    assert uncovered <= 0.08 * chosen


def test_exchanging_the_sides_inverts_all_ratios() -> None:
    before, after = simulated(1, MEANS, CHANGED, 6, paired=True)
    ours = {each.function: each for each in compare_groups(before, after).functions}
    theirs = {each.function: each for each in compare_groups(after, before).functions}

    for function, each in ours.items():
        other = theirs[function]
        assert each.is_established == other.is_established
        assert each.p_value == pytest.approx(other.p_value)
        assert each.ratio is not None and other.ratio is not None
        assert (each.ratio.low, each.ratio.high) == pytest.approx((1 / other.ratio.high, 1 / other.ratio.low))
