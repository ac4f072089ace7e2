"""In which order comparisons are read."""

from made_judgements import made_comparison, made_sample
from sonde.instruments.bench.judging import ranked
from sonde.instruments.bench.measurements import Metric

RATE = Metric("throughput", "ops/s", "higher")


def test_what_got_worse_comes_first_and_what_is_the_same_last() -> None:
    comparisons = [
        made_comparison("same", 1.0, (0.999, 1.001)),
        made_comparison("unclear", 1.0, (0.9, 1.1)),
        made_comparison("better", 0.8, (0.7, 0.9)),
        made_comparison("worse", 1.2, (1.1, 1.3)),
    ]
    assert [group.verdict for group in ranked(comparisons)] == ["worse", "better", "unclear", "same"]


def test_verdicts_that_nobody_got_are_left_out() -> None:
    assert [group.verdict for group in ranked([made_comparison("same", 1.0, (0.999, 1.001))])] == ["same"]


def test_the_largest_change_comes_first_whichever_way_is_better() -> None:
    rates = [(made_sample([100.0]), made_sample([100.0 * ratio], metric=RATE), ratio) for ratio in (0.9, 0.5, 0.7)]
    comparisons = [
        made_comparison("worse", ratio, (ratio - 0.01, ratio + 0.01), first=first, second=second)
        for first, second, ratio in rates
    ]
    [group] = ranked(comparisons)
    assert [comparison.ratio.value for comparison in group.comparisons if comparison.ratio] == [0.5, 0.7, 0.9]


def test_regressions_come_before_what_is_worse_within_the_tolerance() -> None:
    within = made_comparison("worse", 1.5, (1.01, 2.0), is_regression=False)
    beyond = made_comparison("worse", 1.1, (1.09, 1.11), is_regression=True)
    [group] = ranked([within, beyond])
    assert group.comparisons == (beyond, within)


def test_what_cannot_be_told_is_sorted_by_how_bad_it_may_be() -> None:
    wide, narrow = made_comparison("unclear", 1.0, (0.5, 1.5)), made_comparison("unclear", 1.01, (0.99, 1.03))
    without = made_comparison("unclear", 1.0, None)
    [group] = ranked([narrow, wide, without])
    assert group.comparisons == (without, wide, narrow)


def test_throughput_that_cannot_be_told_is_sorted_by_its_low_end() -> None:
    first = made_sample([1.0], metric=RATE)
    low = made_comparison("unclear", 1.0, (0.5, 1.1), first=first)
    high = made_comparison("unclear", 1.0, (0.9, 9.0), first=first)
    [group] = ranked([high, low])
    assert group.comparisons == (low, high)
