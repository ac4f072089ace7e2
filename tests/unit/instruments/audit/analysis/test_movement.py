"""How far a profile moves, and how far it does by chance: the test holds what it says."""

from itertools import combinations

import numpy as np
import pytest

from sonde.instruments.audit.analysis import movement, total_variation


def test_equal_runs_are_seen_to_move_seldom() -> None:
    random = np.random.default_rng(7)
    seen = 0
    for _ in range(100):
        runs = random.multinomial(300, [0.5, 0.3, 0.2], 12) / 300
        moved = movement(runs[:6], runs[6:])
        assert moved is not None
        seen += moved.is_seen
    assert seen <= 13  # of 100; 5 are expected, more than 13 once in a thousand times


def test_p_is_that_of_all_divisions() -> None:
    random = np.random.default_rng(8)
    runs = np.concatenate([random.multinomial(300, [0.5, 0.3, 0.2], 4), random.multinomial(300, [0.44, 0.36, 0.2], 4)])
    shares = runs / 300
    moved = movement(shares[:4], shares[4:])
    assert moved is not None

    distances = []
    for chosen in combinations(range(8), 4):
        rest = [at for at in range(8) if at not in chosen]
        distances.append(total_variation(shares[list(chosen)].mean(axis=0), shares[rest].mean(axis=0)))
    exact = sum(each >= moved.distance - 1e-12 for each in distances) / len(distances)

    assert moved.distance == distances[0]
    assert moved.p_value == pytest.approx(exact, abs=0.05)
    assert moved.by_chance == pytest.approx(np.mean(distances), rel=0.1)


def test_few_runs_say_nothing() -> None:
    runs = np.array([[1.0, 0.0]] * 3)
    assert movement(runs, runs) is None
