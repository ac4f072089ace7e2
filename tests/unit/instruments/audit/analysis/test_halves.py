"""How much a dense sample differs from itself: over all divisions, so that two audits of one program agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.evidence import weighted_overlap
from sonde.instruments.audit.analysis.halves import apart_by_halves

ROUNDS = 6


@given(st.permutations(range(ROUNDS)), st.integers(0, 99))
def test_the_order_of_runs_does_not_matter_and_halves_are_those_of_the_oracle(order: list[int], seed: int) -> None:
    runs = np.random.default_rng(seed).dirichlet(np.ones(5), ROUNDS)
    apart = apart_by_halves(runs)

    by_hand = []
    for mask in range(1 << ROUNDS):
        if mask.bit_count() == ROUNDS // 2:
            first = np.array([bool(mask >> at & 1) for at in range(ROUNDS)])
            by_hand.append(1 - weighted_overlap(runs[first].mean(axis=0).tolist(), runs[~first].mean(axis=0).tolist()))
    assert apart == pytest.approx(np.mean(by_hand))
    assert apart_by_halves(runs[order]) == pytest.approx(apart)


def test_few_and_many_runs() -> None:
    runs = np.random.default_rng(1).dirichlet(np.ones(5), 40)
    assert apart_by_halves(runs[:1]) is None
    assert apart_by_halves(runs[:2]) == pytest.approx(1 - weighted_overlap(runs[0].tolist(), runs[1].tolist()))
    assert apart_by_halves(runs) == apart_by_halves(runs)  # of some divisions, the same ones each time


def test_two_audits_of_a_short_program_seldom_differ_in_whether_it_is_too_short() -> None:
    random = np.random.default_rng(5)
    differ = {"one division": 0, "all": 0}
    for _ in range(100):
        program = random.dirichlet(np.full(12, 0.8))
        found: dict[str, set[bool]] = {"one division": set(), "all": set()}
        for _ in range(2):
            runs = random.multinomial(20, program, ROUNDS) / 20
            one = 1 - weighted_overlap(runs[::2].mean(axis=0).tolist(), runs[1::2].mean(axis=0).tolist())
            found["one division"].add(one > 0.25)
            found["all"].add((apart_by_halves(runs) or 0.0) > 0.25)
        for name, said in found.items():
            differ[name] += len(said) == 2
    assert 2 * differ["all"] <= differ["one division"]
    assert differ["all"] <= 12
