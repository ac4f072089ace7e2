"""What two profiles have in common: the source's worked examples, and the ends of the scale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.evidence import rank_overlap, stability, top_overlap, unweighted_overlap, weighted_overlap

X, Y = [5.0, 0.0, 2.0], [30.0, 4.0, 0.0]
"""Buytaert, section 4.4.2: the samples of methods a, b and c in two profiles."""

vectors = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.5, 40.0])] * 2), min_size=1, max_size=12)


def test_the_worked_examples_of_the_source() -> None:
    assert unweighted_overlap(X, Y) == pytest.approx(1 / 3)
    assert round(weighted_overlap(X, Y), 2) == 0.71
    runs = [[5.0, 1.0, 4.0], [6.0, 0.0, 3.0], [5.0, 2.0, 3.0]]
    assert [weighted_overlap(*pair) for pair in ((runs[0], runs[1]), (runs[0], runs[2]), (runs[1], runs[2]))] == (
        pytest.approx([0.5 + 1 / 3, 0.9, 0.8])
    )
    assert round(stability(runs) or 0.0, 2) == 0.84


@given(vectors)
def test_overlaps_are_shares_the_same_either_way_and_know_no_unit(pairs: list[tuple[float, float]]) -> None:
    one, other = (list(each) for each in zip(*pairs, strict=True))
    for overlap in (unweighted_overlap, weighted_overlap):
        assert 0 <= overlap(one, other) <= 1 + 1e-12
        assert overlap(one, other) == pytest.approx(overlap(other, one))
        assert overlap(one, [7 * each for each in other]) == pytest.approx(overlap(one, other))
        assert overlap(one, one) == pytest.approx(1)
    if any(one) and any(other):
        slowly = 1 - sum(abs(a / sum(one) - b / sum(other)) for a, b in pairs) / 2
        assert weighted_overlap(one, other) == pytest.approx(slowly)


def test_an_empty_profile_has_nothing_in_common_with_another_but_is_like_itself() -> None:
    for overlap in (unweighted_overlap, weighted_overlap, rank_overlap):
        assert overlap([0.0] * 3, X) == 0
        assert overlap([0.0] * 3, [0.0] * 3) == 1
    assert top_overlap([0.0] * 3, X, 0.5) == 1
    assert stability([X]) is None


def test_of_the_hottest_one_at_least_is_looked_for_and_of_equal_ones_the_first() -> None:
    dense = [10.0, 40.0, 10.0, 0.0, 5.0]
    assert [top_overlap(dense, [0.0, 1.0, 1.0, 1.0, 0.0], share) for share in (0.01, 0.25, 0.5, 0.75, 1.0)] == [
        1.0,
        1.0,
        0.5,
        2 / 3,
        0.5,
    ]
    assert top_overlap([1.0] * 100, [1.0] * 7 + [0.0] * 93, 0.07) == 1.0


def test_ranks_are_compared_among_the_first_that_both_have() -> None:
    one, other = [0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.3, 0.2]
    assert rank_overlap(one, other, 2) == 0.5
    assert rank_overlap(one, one) == 1
    assert rank_overlap([1.0, 0.0, 0.0, 0.0], one) == 1
