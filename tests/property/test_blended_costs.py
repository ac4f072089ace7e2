"""An estimated division of a function's time, corrected by samples: against the definition, part by part."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.instruments.contexts.analyses import blended_costs, disagreement
from sonde.instruments.contexts.analyses.blended_costs import WORTH_OF_ESTIMATE
from sonde.ir import SourceFunction
from sonde.ir.analyses import InlinedPart, UnitCosts

FUNCTIONS = [SourceFunction(name, "/a.c", line) for line, name in enumerate("fgh", 1)]
F = FUNCTIONS[0]
PARTS = [InlinedPart((F,), (2,)), InlinedPart((FUNCTIONS[1], F), (3, 2)), InlinedPart((FUNCTIONS[2], F), (4, 2))]

costs = st.builds(
    UnitCosts,
    st.dictionaries(st.sampled_from(PARTS), st.integers(0, 10**6).map(float)),
    st.integers(0, 10**6).map(float),
)


@given(costs, costs)
def test_parts_are_the_mean_of_the_posterior(estimate: UnitCosts, samples: UnitCosts) -> None:
    found = blended_costs(estimate, samples)
    n, k = Fraction(samples.cycles), Fraction(WORTH_OF_ESTIMATE)
    if not n:
        assert found is estimate
        return
    k = k if estimate.cycles else Fraction(0)
    for part in [*PARTS, None]:
        has, p = (
            (samples.unplaced, estimate.unplaced)
            if part is None
            else (samples.parts.get(part, 0.0), estimate.parts.get(part, 0.0))
        )
        share = Fraction(p) / Fraction(estimate.cycles) if estimate.cycles else Fraction(0)
        expected = (Fraction(has) + k * share) / (n + k)
        got = found.unplaced if part is None else found.parts.get(part, 0.0)
        assert got / found.cycles == pytest.approx(float(expected), abs=1e-9)


@given(costs, costs, st.floats(0.1, 1e9))
def test_disagreement_is_half_the_distance_of_the_shares(estimate: UnitCosts, samples: UnitCosts, time: float) -> None:
    found = disagreement([(F, estimate)], {0: samples}, {0: time})
    if not estimate.cycles or not samples.cycles:
        assert found.where is None
        return
    expected = 0.0
    for at, part in enumerate(PARTS):
        shares = [
            (each.parts.get(part, 0.0) + (each.unplaced if not at else 0.0)) / each.cycles
            for each in (estimate, samples)
        ]
        expected += abs(shares[0] - shares[1]) / 2
    assert found.share == pytest.approx(expected if found.where else 0, abs=1e-9)
    assert 0 <= found.share <= 1 + 1e-9


def test_what_differs_most_is_told() -> None:
    estimate = UnitCosts({PARTS[0]: 1.0, PARTS[1]: 3.0}, 0.0)
    samples = UnitCosts({PARTS[0]: 90.0, PARTS[1]: 10.0}, 0.0)
    found = disagreement([(F, estimate)], {0: samples}, {0: 5.0})
    assert found.where in ((F, F), (F, FUNCTIONS[1]))
    assert found.share == pytest.approx(0.65)
    assert {found.estimated, found.sampled} in ({0.25, 0.9}, {0.75, 0.1})
    assert 0 < found.by_chance < 0.05


def test_without_samples_the_estimate_stays() -> None:
    estimate = UnitCosts({PARTS[0]: 1.0}, 2.0)
    assert blended_costs(estimate, None) is estimate
