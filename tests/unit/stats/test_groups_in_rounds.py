"""Groups that took turns: analysis of variance and all pairs in rounds, against statsmodels and SciPy."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import studentized_range
from statsmodels.formula.api import ols
from statsmodels.stats.anova import DataFrame, anova_lm  # pandas has no types, and is there with it

from sonde.base.errors import InputError, UsageError
from sonde.stats.all_pairs import all_pairs
from sonde.stats.analysis_of_variance import one_way


def measured(groups: int, rounds: int, seed: int, between: float = 3.0) -> dict[str, npt.NDArray[np.float64]]:
    """Alternatives 0.5 apart with a deviation of 1, in rounds that differ by more."""
    random = np.random.default_rng(seed)
    values = 100.0 + 0.5 * np.arange(groups)[:, None] + random.normal(0.0, 1.0, (groups, rounds))
    values += random.normal(0.0, between, rounds)
    return {f"g{index}": row for index, row in enumerate(values)}


@pytest.mark.parametrize(("groups", "rounds"), [(2, 2), (3, 2), (3, 10), (6, 25)])
def test_the_table_is_as_in_statsmodels(groups: int, rounds: int) -> None:
    samples = measured(groups, rounds, groups)
    frame = DataFrame(
        {
            "v": np.concatenate(list(samples.values())),
            "g": np.repeat(np.arange(groups), rounds),
            "b": np.tile(np.arange(rounds), groups),
        }
    )
    oracle = anova_lm(ols("v ~ C(g) + C(b)", frame).fit())

    table = one_way(list(samples.values()), blocked=True)

    assert [row.source for row in table.rows] == ["groups", "rounds", "residual"]
    assert [row.degrees_of_freedom for row in table.rows] == list(oracle["df"])
    assert [row.sum_of_squares for row in table.rows] == pytest.approx(list(oracle["sum_sq"]), rel=1e-9)
    assert [row.mean_square for row in table.rows] == pytest.approx(list(oracle["mean_sq"]), rel=1e-9)
    assert [row.f for row in table.rows[:2]] == pytest.approx(list(oracle["F"])[:2], rel=1e-9)
    assert [row.p_value for row in table.rows[:2]] == pytest.approx(list(oracle["PR(>F)"])[:2], rel=1e-9)
    assert table.sizes == (rounds,) * groups


@pytest.mark.parametrize(("groups", "rounds"), [(2, 5), (3, 10), (6, 25)])
def test_pairs_are_judged_by_the_residual_of_that_table(groups: int, rounds: int) -> None:
    samples = measured(groups, rounds, groups)
    residual = one_way(list(samples.values()), blocked=True).row("residual")
    assert residual.mean_square is not None
    error, freedom = np.sqrt(residual.mean_square / rounds), residual.degrees_of_freedom

    pairs = all_pairs(samples, 0.99, blocked=True)

    assert len(pairs) == groups * (groups - 1) // 2
    reach = error * float(studentized_range.ppf(0.99, groups, freedom))
    for pair in pairs:
        apart = float(np.mean(samples[pair.second]) - np.mean(samples[pair.first]))
        assert pair.interval is not None and pair.difference == pytest.approx(apart, rel=1e-12)
        assert (pair.interval.low, pair.interval.high) == pytest.approx((apart - reach, apart + reach), rel=1e-7)
        p_value = float(studentized_range.sf(abs(apart) / error, groups, freedom))
        assert pair.p_value == pytest.approx(p_value, rel=1e-8, abs=1e-13)
        assert "within rounds" in pair.method and pair.degrees_of_freedom == freedom


def test_two_groups_in_rounds_are_compared_as_by_paired_t() -> None:
    samples = measured(2, 8, 3)
    apart = samples["g1"] - samples["g0"]
    t = apart.mean() / (apart.std(ddof=1) / np.sqrt(8))

    assert one_way(list(samples.values()), blocked=True).row("groups").f == pytest.approx(t * t, rel=1e-9)


def test_what_rounds_have_in_common_hides_no_difference() -> None:
    samples = measured(3, 60, 9, between=30.0)
    _, alone, _ = all_pairs(samples)
    _, in_rounds, _ = all_pairs(samples, blocked=True)

    assert (alone.first, alone.second) == ("g0", "g2")
    assert alone.p_value > 0.9 and in_rounds.p_value < 0.001


def test_no_group_is_told_apart_falsely_more_often_than_stated() -> None:
    random = np.random.default_rng(21)
    experiments = 1_500
    values = random.normal(50.0, 1.0, (experiments, 3, 6)) + random.normal(0.0, 2.0, (experiments, 1, 6))
    rows = [one_way(list(groups), blocked=True).row("groups").p_value for groups in values]
    misses = np.mean([p is not None and p <= 0.05 for p in rows])
    family = np.mean(
        [
            min(p.p_value for p in all_pairs(dict(zip("abc", groups, strict=True)), blocked=True)) <= 0.05
            for groups in values[:400]
        ]
    )

    # Three standard errors.
    assert abs(misses - 0.05) < 3.0 * np.sqrt(0.05 * 0.95 / experiments)
    assert abs(family - 0.05) < 3.0 * np.sqrt(0.05 * 0.95 / 400)


def test_variation_within_groups_is_that_over_all_rounds() -> None:
    samples = measured(4, 4_000, 5)

    table = one_way(list(samples.values()), blocked=True)

    assert table.within == pytest.approx(np.sqrt(10.0) / 100.75, rel=0.03)
    assert table.between == pytest.approx(np.std([0.0, 0.5, 1.0, 1.5], ddof=1) / 100.75, rel=0.1)


@pytest.mark.parametrize("blocked", [False, True])
def test_two_values_of_each_group_show_neither_shape_nor_spread(blocked: bool) -> None:
    samples = measured(5, 2, 1)
    for assumptions in (
        one_way(list(samples.values()), blocked=blocked).assumptions,
        all_pairs(samples, blocked=blocked)[0].assumptions,
    ):
        assert {one.name: one.holds for one in assumptions} == {
            "normality": None,
            "independence": None,
            "equal variances": None,
        }


def test_assumptions_are_checked_by_residuals() -> None:
    samples = measured(4, 40, 2, between=50.0)
    assert [one.holds for one in one_way(list(samples.values()), blocked=True).assumptions] == [True, None, True]

    samples["g3"] = samples["g3"] + np.random.default_rng(1).normal(0.0, 20.0, 40)
    assert one_way(list(samples.values()), blocked=True).assumptions[2].failed
    two = dict(list(samples.items())[2:])
    assert one_way(list(two.values()), blocked=True).assumptions[2].holds is None


def test_groups_that_differ_by_the_same_in_each_round_show_no_variation() -> None:
    groups = {"a": [0.1, 0.2, 0.3], "b": [1.1, 1.2, 1.3]}
    with pytest.raises(InputError, match="the same in each round") as caught:
        one_way(list(groups.values()), blocked=True)
    assert caught.value.slug == "no-variation"

    [pair] = all_pairs(groups, blocked=True)
    assert pair.interval is None and pair.withheld == "the values do not vary within rounds"


def test_rounds_that_lack_a_value_are_refused() -> None:
    groups = {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.5]}
    for refused in (lambda: one_way(list(groups.values()), blocked=True), lambda: all_pairs(groups, blocked=True)):
        with pytest.raises(InputError, match="group 0 has 3 values, group 1 has 2") as caught:
            refused()
        assert caught.value.slug == "not-pairs"


def test_rounds_with_unequal_variances_are_refused() -> None:
    groups = {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.5, 2.0]}
    for refused in (
        lambda: one_way(list(groups.values()), blocked=True, equal_variances=False),
        lambda: all_pairs(groups, blocked=True, equal_variances=False),
    ):
        with pytest.raises(UsageError) as caught:
            refused()
        assert caught.value.slug == "no-such-analysis"
