"""Analysis of variance with several factors, against R's published examples and statsmodels."""

import numpy as np
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import DataFrame, anova_lm  # pandas has no types, and is there with it

from r_examples import NPK, WARP_BREAKS
from sonde.base.errors import InputError, UsageError
from sonde.stats.factorial_anova import Sums, factorial_anova


def test_breaks_of_yarn_are_as_in_r() -> None:
    values = [count for counts in WARP_BREAKS.values() for count in counts]
    wool = [wool for (wool, _), counts in WARP_BREAKS.items() for _ in counts]
    tension = [tension for (_, tension), counts in WARP_BREAKS.items() for _ in counts]

    table = factorial_anova(values, {"wool": wool, "tension": tension})

    assert [(row.source, row.degrees_of_freedom) for row in table.rows] == [
        ("wool", 1),
        ("tension", 2),
        ("wool:tension", 2),
        ("residual", 48),
    ]
    assert [row.sum_of_squares for row in table.rows] == pytest.approx([450.67, 2034.26, 1002.78, 5745.11], rel=1e-5)
    assert [row.f for row in table.rows[:3]] == pytest.approx([3.7653, 8.4980, 4.1891], rel=2e-5)
    assert [row.p_value for row in table.rows[:3]] == pytest.approx([0.0582130, 0.0006926, 0.0210442], rel=1e-4)
    assert table.sizes == (9,) * 6


def test_yields_of_peas_are_as_in_r() -> None:
    words = NPK.split()
    nutrients = {name: [word[at] for word in words[::2]] for at, name in enumerate("NPK")}

    table = factorial_anova([float(word) for word in words[1::2]], nutrients, order=2)

    squares = {row.source: row.sum_of_squares for row in table.rows}
    # The interaction of all three is confounded with blocks, which R's model has, and are in the residual here.
    expected = {"N": 189.28, "P": 8.40, "K": 95.20, "N:P": 21.28, "N:K": 33.14, "P:K": 0.48}
    assert {name: squares[name] for name in expected} == pytest.approx(expected, abs=0.006)
    assert squares["residual"] == pytest.approx(343.295 + 185.286, abs=0.01)


def test_yields_of_peas_in_blocks_are_as_in_r() -> None:
    words = NPK.split()
    nutrients = {name: [word[at] for word in words[::2]] for at, name in enumerate("NPK")}
    blocks = [place // 4 for place in range(24)]

    table = factorial_anova([float(word) for word in words[1::2]], nutrients, order=2, rounds=blocks)

    assert [(row.source, row.degrees_of_freedom) for row in table.rows[-2:]] == [("rounds", 5), ("residual", 12)]
    assert [row.f for row in table.rows[:-1]] == pytest.approx(
        [12.259, 0.544, 6.166, 1.378, 2.146, 0.031, 4.447], abs=0.001
    )
    assert [row.p_value for row in table.rows[:-1]] == pytest.approx(
        [0.00437, 0.47490, 0.02880, 0.26317, 0.16865, 0.86275, 0.01594], abs=2e-5
    )


@pytest.mark.parametrize("sums", ["I", "II", "III"])
def test_rounds_that_lack_values_are_as_in_statsmodels(sums: Sums) -> None:
    random = np.random.default_rng(6)
    whole = [(python, flag, round_) for round_ in range(9) for python in "abc" for flag in "xy"]
    rows = [whole[place] for place in sorted(random.permutation(len(whole))[:45])]
    factors = {"python": [row[0] for row in rows], "flags": [row[1] for row in rows]}
    rounds = [row[2] for row in rows]
    values = random.normal(100.0, 1.0, len(rows)) + 5.0 * np.array(rounds)
    model = ols(
        "values ~ C(rounds, Sum) + C(python, Sum) * C(flags, Sum)",
        DataFrame({**factors, "rounds": rounds, "values": values}),
    ).fit()
    oracle = anova_lm(model, typ={"I": 1, "II": 2, "III": 3}[sums]).drop("Intercept", errors="ignore")

    table = factorial_anova(values, factors, sums=sums, rounds=rounds)

    terms = [row for row in table.rows if row.source != "rounds"]
    assert [row.sum_of_squares for row in terms] == pytest.approx(list(oracle["sum_sq"])[1:], rel=1e-9)
    assert [row.p_value for row in terms[:-1]] == pytest.approx(list(oracle["PR(>F)"])[1:-1], rel=1e-8)
    assert table.row("residual").degrees_of_freedom == oracle["df"]["Residual"]


@pytest.mark.parametrize(
    ("groups", "rounds", "unknown"),
    [(20, 2, {"normality", "equal variances"}), (2, 20, {"equal variances"}), (5, 20, set())],
)
def test_few_rounds_or_groups_show_neither_shape_nor_spread(groups: int, rounds: int, unknown: set[str]) -> None:
    values = np.random.default_rng(1).normal(100.0, 1.0, groups * rounds)
    levels = [f"{group}" for group in range(groups) for _ in range(rounds)]

    table = factorial_anova(values, {"size": levels}, rounds=list(range(rounds)) * groups)

    assert {one.name for one in table.assumptions if one.holds is None} == unknown | {"independence"}


@pytest.mark.parametrize("sums", ["I", "II", "III"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_cells_of_any_sizes_are_as_in_statsmodels(sums: Sums, order: int) -> None:
    random = np.random.default_rng(4)
    count = 120
    factors = {
        name: [levels[index] for index in random.integers(0, len(levels), count)]
        for name, levels in (("python", ("3.11", "3.12", "3.13")), ("flags", ("", "-O")), ("input", ("a", "b", "c")))
    }
    values = random.normal(100.0, 2.0, count) + np.array([float(level) for level in factors["python"]])
    model = ols(
        f"values ~ (C(python, Sum) + C(flags, Sum) + C(input, Sum)) ** {order}",
        DataFrame({**factors, "values": values}),
    ).fit()
    oracle = anova_lm(model, typ={"I": 1, "II": 2, "III": 3}[sums]).drop("Intercept", errors="ignore")

    table = factorial_anova(values, factors, sums=sums, order=order)

    assert [row.sum_of_squares for row in table.rows] == pytest.approx(list(oracle["sum_sq"]), rel=1e-9)
    assert [row.degrees_of_freedom for row in table.rows] == list(oracle["df"])
    assert [row.f for row in table.rows[:-1]] == pytest.approx(list(oracle["F"])[:-1], rel=1e-9)
    assert [row.p_value for row in table.rows[:-1]] == pytest.approx(list(oracle["PR(>F)"])[:-1], rel=1e-9)


def test_one_factor_is_the_one_way_analysis() -> None:
    table = factorial_anova([1.0, 2.0, 3.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0], {"group": list("aaabbbccc")})

    assert table.row("group").f == pytest.approx(21.0, rel=1e-12)


def test_a_combination_that_was_not_measured_is_refused_with_what_to_leave_out() -> None:
    factors = {"jit": list("nnyynn"), "gc": list("aaaabb")}

    with pytest.raises(InputError, match="3 of 4 combinations") as caught:
        factorial_anova([1.0, 2.0, 3.0, 4.0, 5.0, 6.5], factors)

    assert caught.value.slug == "empty-cells" and "order=1" in str(caught.value.hint)
    assert len(factorial_anova([1.0, 2.0, 3.0, 4.0, 5.0, 6.5], factors, order=1).rows) == 3


def test_one_value_of_each_combination_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        factorial_anova([1.0, 2.0, 3.0, 5.0], {"jit": list("nnyy"), "gc": list("abab")})

    assert caught.value.slug == "no-replication"


@pytest.mark.parametrize(
    ("values", "factors", "slug"),
    [
        ([1.0, 2.0], {}, "bad-factor"),
        ([1.0, 2.0, 3.0], {"jit": ["y", "n"]}, "bad-factor"),
        ([1.0, 2.0, 3.0], {"jit": ["y", "y", "y"]}, "bad-factor"),
        ([1.0, 2.0, 3.0, 5.0], {"rounds": list("nnyy")}, "bad-factor"),
        ([1.0, 2.0, 3.0, 5.0], {"residual": list("nnyy")}, "bad-factor"),
        ([1.0, 1.0, 2.0, 2.0], {"jit": list("nnyy")}, "no-variation"),
        ([0.1, 0.1, 0.1, 0.1], {"jit": list("nnyy")}, "no-variation"),
        ([], {"jit": []}, "no-values"),
    ],
)
def test_what_cannot_be_analysed_is_refused(values: list[float], factors: dict[str, list[str]], slug: str) -> None:
    with pytest.raises(InputError) as caught:
        factorial_anova(values, factors)

    assert caught.value.slug == slug


def test_an_unknown_type_of_sums_is_refused() -> None:
    with pytest.raises(UsageError, match="I, II, III"):
        factorial_anova([1.0, 2.0], {"a": ["x", "y"]}, sums="IV")  # type: ignore[arg-type]
