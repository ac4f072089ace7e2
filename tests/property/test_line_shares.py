"""Own time divided among lines: the parts are the whole, and the intervals hold what they promise."""

from fractions import Fraction
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sonde.evidence import share_interval
from sonde.instruments.contexts.analysis.line_shares import LEAST_SAMPLES, line_shares

sampled = st.dictionaries(st.integers(1, 10**6), st.integers(1, 2**32), min_size=1, max_size=12)


@given(st.integers(0, 2**60), sampled)
def test_lines_add_up_to_the_own_time_of_their_function(own_ns: int, samples: dict[int, int]) -> None:
    shares = line_shares(own_ns, samples)

    if sum(samples.values()) < LEAST_SAMPLES:
        assert shares == []
        return
    assert sum(share.own_ns for share in shares) == own_ns
    assert [share.line for share in shares] == sorted(samples)
    for share in shares:
        assert abs(share.own_ns - Fraction(own_ns * samples[share.line], sum(samples.values()))) < 1


@given(st.integers(0, 2**40), sampled, st.dictionaries(st.integers(0, 10**6), st.integers(0, 2**40)), st.data())
def test_what_watching_cost_is_taken_out_of_the_lines_that_call(
    own_ns: int, samples: dict[int, int], watching_ns: dict[int, int], data: st.DataObject
) -> None:
    watching_ns |= {line: data.draw(st.integers(0, 2**40)) for line in samples}
    seen, sampled_ns = sum(samples.values()), own_ns + sum(watching_ns.values())

    shares = line_shares(own_ns, samples, watching_ns)

    assert sum(share.own_ns for share in shares) == (own_ns if shares else 0)
    less = {line: Fraction(sampled_ns * samples[line], seen) - watching_ns[line] for line in samples}
    if shares and set(watching_ns) <= set(samples) and min(less.values()) >= 0:
        assert all(abs(share.own_ns - less[share.line]) < 1 for share in shares)


@given(st.integers(0, 2**60), sampled, st.randoms())
def test_the_order_of_samples_does_not_matter(own_ns: int, samples: dict[int, int], random: Random) -> None:
    lines = list(samples)
    random.shuffle(lines)

    assert line_shares(own_ns, {line: samples[line] for line in lines}) == line_shares(own_ns, samples)


@pytest.mark.parametrize("seen", [LEAST_SAMPLES, 37, 200])
def test_the_true_share_is_within_the_interval_19_times_out_of_20(seen: int) -> None:
    # Exact: the chance of each outcome of so many looks, where a line truly has the share; over many true shares.
    own_ns = 10**9
    held = []
    for percent in range(1, 100, 3):
        share = percent / 100
        chance = 0.0
        for found in range(seen + 1):
            likelihood = comb(seen, found) * share**found * (1 - share) ** (seen - found)
            samples = {line: count for line, count in ((7, found), (8, seen - found)) if count}
            told = {each.line: each for each in line_shares(own_ns, samples)}
            if 7 in told:
                chance += likelihood * (abs(told[7].own_ns - share * own_ns) <= told[7].around_ns)
            else:  # a line that was not seen is not listed: nothing wrong is said of it
                chance += likelihood
        held.append(chance)

    assert sum(held) / len(held) >= 0.95
    assert min(held) >= 0.85


@given(st.integers(1, 10**6), st.data())
def test_the_interval_of_a_share_is_that_of_scipy(samples: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(0, samples))

    around, expected = share_interval(part, samples), binomtest(part, samples).proportion_ci(method="wilson")

    assert (around.low, around.high) == pytest.approx((expected.low, expected.high), abs=1e-4)
    assert 0 <= around.low <= part / samples <= around.high <= 1


def test_of_no_samples_all_is_possible() -> None:
    assert (share_interval(0, 0).low, share_interval(0, 0).high) == (0, 1)


@given(st.integers(0, 2**60), sampled, st.integers(1, 2**32))
def test_what_has_no_line_is_divided_as_the_rest(own_ns: int, samples: dict[int, int], unknown: int) -> None:
    assert line_shares(own_ns, samples | {0: unknown}) == line_shares(own_ns, samples)
