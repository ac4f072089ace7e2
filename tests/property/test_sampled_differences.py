"""Differences of sampled amounts: intervals that hold, few false discoveries, much power; and laws of both."""

from math import inf, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulated_looks import Floats, Seen, Visits, looked_at, profile_of_looks, visits
from sonde.evidence import SampledAmount, difference_interval, difference_p_value, ratio_interval
from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge, JudgedChange
from sonde.instruments.contexts.profile.comparison import diff_contexts

SHARES = [0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01]
SHORT = [0.02] * len(SHARES)
MIXED = [0.02, 5.0, 0.3, 1.0, 0.05, 2.0, 0.1, 0.5, 0.02, 0.3]
"""Lengths of visits, in distances between looks: looks depend on one another."""
COMPARISONS = 100
LOOKS = 4000


def program(lengths: list[float], random: np.random.Generator) -> Visits:
    return visits(SHARES, lengths, LOOKS, random)


def amounts(seen: Seen) -> list[SampledAmount]:
    return [
        SampledAmount(own, deviation, seen.whole, seen.looks)
        for own, deviation in zip(seen.own.tolist(), seen.deviation.tolist(), strict=True)
    ]


@pytest.mark.parametrize(("lengths", "least", "most"), [(SHORT, 0.93, 0.97), (MIXED, 0.95, 1.0)])
def test_intervals_of_differences_hold_the_true_ones(lengths: list[float], least: float, most: float) -> None:
    random = np.random.default_rng(21)
    factors = np.where(np.arange(len(SHARES)) % 3 == 0, 1.3, 1.0)
    held = []
    for _ in range(COMPARISONS):
        runs = program(lengths, random)
        before, after = looked_at(runs, random), looked_at(runs, random, factors)
        truth = runs.of_functions * (factors - 1.0)
        for one, other, difference in zip(amounts(before), amounts(after), truth.tolist(), strict=True):
            held.append(difference in difference_interval(one, other))

    # Of 1,000 that hold with 95 %, fewer than 93 % or more than 97 % are as improbable as 0.004.
    assert least <= np.mean(held) <= most


def judged(
    runs: Visits, random: np.random.Generator, factors: Floats, noise: float = 0.0
) -> tuple[dict[int, JudgedChange], Floats]:
    """What is said of two runs, by function; and the true ratios."""
    drawn = [np.exp(noise * random.standard_normal(len(SHARES))) for _ in range(2)]
    sides = [looked_at(runs, random, each) for each in (drawn[0], drawn[1] * factors)]
    diff = diff_contexts(*map(profile_of_looks, sides), min_change=0.0)
    found = ChangeJudge(diff, run_noise=noise).functions().of_pairs
    names = {
        number: int(pair.either.name[1:]) for number, pair in enumerate(diff.contexts.functions.pairs[1:], start=1)
    }
    ratios = drawn[1] / drawn[0] * factors if not noise else factors
    return {names[number]: each for number, each in found.items() if number in names}, ratios


def changed(found: dict[int, JudgedChange]) -> set[int]:
    return {name for name, each in found.items() if each.verdict in ("more", "less")}


@pytest.mark.parametrize(("lengths", "noise"), [(SHORT, 0.0), (MIXED, 0.0), (SHORT, 0.05)])
def test_where_nothing_changed_at_most_one_comparison_in_twenty_says_so(lengths: list[float], noise: float) -> None:
    random = np.random.default_rng(22)
    nothing = np.ones(len(SHARES))

    found = [bool(changed(judged(program(lengths, random), random, nothing, noise)[0])) for _ in range(COMPARISONS)]

    # Of 100, 12 or more have a probability below 0.005 if 5 % is the rate.
    assert sum(found) < 12


def test_what_is_a_fifth_slower_is_found_and_little_else() -> None:
    random = np.random.default_rng(23)
    factors = np.ones(len(SHARES))
    factors[[0, 1]] = 1.2
    found, false_share, missed, uncovered = 0, [], 0, 0
    for _ in range(COMPARISONS):
        verdicts, ratios = judged(program(SHORT, random), random, factors)
        names = changed(verdicts)
        found += len(names)
        false_share.append(len(names - {0, 1}) / max(1, len(names)))
        missed += len({0, 1} - names)
        intervals = {name: verdicts[name].ratio for name in names}
        uncovered += sum(each is None or ratios[name] not in each for name, each in intervals.items())

    assert np.mean(false_share) < 0.05 + 3 * np.std(false_share) / np.sqrt(COMPARISONS)
    assert missed <= 0.05 * 2 * COMPARISONS
    assert uncovered <= 0.08 * found


@st.composite
def sampled_amounts(draw: st.DrawFn) -> SampledAmount:
    whole, share = draw(st.floats(1.0, 1e9)), draw(st.sampled_from([0.0, 1e-3, 0.2, 0.5, 0.97, 1.0]))
    deviation = whole * (share * (1 - share) / draw(st.sampled_from([20.0, 1000.0]))) ** 0.5
    return SampledAmount(
        share * whole,
        deviation,
        whole,
        draw(st.sampled_from([10.0, 1000.0, inf])),
        whole * draw(st.sampled_from([0.0, 0.01])),
        draw(st.sampled_from([0.0, 0.03, 0.3])),
    )


@given(sampled_amounts(), sampled_amounts(), st.sampled_from([0.9, 0.95, 0.999]))
def test_intervals_and_tests_agree_and_swapping_the_sides_mirrors_them(
    one: SampledAmount, other: SampledAmount, level: float
) -> None:
    around, p_value = difference_interval(one, other, level), difference_p_value(one, other)
    assert other.amount - one.amount in around
    assert isclose(p_value, 1 - level, rel_tol=1e-6) or (0 in around) == (p_value > 1 - level)
    mirrored = difference_interval(other, one, level)
    assert (-mirrored.high, -mirrored.low) == (around.low, around.high)
    assert difference_p_value(other, one) == p_value

    ratio, inverse = ratio_interval(one, other, level), ratio_interval(other, one, level)
    scale = one.whole + other.whole
    if ratio is not None and min(abs(around.low), abs(around.high)) > 1e-9 * scale:
        assert (1 in ratio) == (0 in around)
    if ratio is not None and inverse is not None and inverse.low > 0:
        assert isclose(1 / inverse.low, ratio.high, rel_tol=1e-6)


@given(sampled_amounts(), st.floats(0.01, 5.0))
def test_what_is_less_sure_has_a_wider_interval_around_the_amount(amount: SampledAmount, deviate: float) -> None:
    low, high = amount.limits(deviate)
    lower, higher = amount.limits(2 * deviate)
    assert lower <= low <= amount.amount <= high <= higher
    assert amount.limits(0.0) == (amount.amount, amount.amount + amount.above)
