"""What a compiled function took, by what was measured of it and by what its instructions are expected to cost."""

import pytest

from sonde.instruments.contexts.verb.read_cycles import unit_times
from sonde.native import UnitCycles


def test_what_reading_the_clock_took_is_taken_out_of_each_interval() -> None:
    found = unit_times(UnitCycles(0, 10, 30, 30, 6000.0, 100.0), empty=40, cycles=7.0, rate=0.5)
    assert (found.entries, found.intervals, found.measured) == (10, 30, 30)
    assert found.ns == (6000 - 40 * 30) / 2
    assert found.variance == 25
    assert not found.is_estimated


@pytest.mark.parametrize(
    ("ticks", "cycles", "expected"),
    [
        (1300.0, 20.0, 200),  # between what is left, 100, and what was measured
        (1300.0, 2.0, 100),  # at least what is left
        (1300.0, 900.0, 1300),  # at most what was measured
        (1100.0, 3.0, 30),  # nothing is left
        (1100.0, 900.0, 1100),
    ],
)
def test_short_intervals_have_the_estimate_as_far_as_the_measurement_allows_it(
    ticks: float, cycles: float, expected: float
) -> None:
    found = unit_times(UnitCycles(0, 10, 30, 5, ticks, 9.0), empty=40, cycles=cycles, rate=1.0)
    assert (found.ns, found.variance, found.is_estimated) == (expected, 0, True)


def test_entries_alone_have_the_estimate() -> None:
    assert unit_times(UnitCycles(0, 10, 0, 0, 0.0, 0.0), empty=40, cycles=7.0, rate=2.0).ns == 140


def test_intervals_of_which_none_was_measured_have_nothing() -> None:
    assert unit_times(UnitCycles(0, 0, 3, 0, 0.0, 0.0), empty=40, cycles=7.0, rate=2.0).ns == 0
