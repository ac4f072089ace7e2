"""Which counter a change is named after."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.instruments.phases.analysis import CounterChange, changed_counter
from sonde.instruments.phases.known_counters import KNOWN_COUNTERS

WORK = "simulated:instructions"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ([(WORK, 1_000_000, 3_000_000), ("allocations", 900, 2700)], WORK),
        ([(WORK, 1_000_000, 1_020_000), ("simulated:l1d-misses", 10, 90_000)], "simulated:l1d-misses"),
        # One that becomes two hundred is nothing beside two million instructions.
        ([(WORK, 1_000_000, 3_000_000), ("simulated:l1d-misses", 1, 200)], WORK),
        ([(WORK, 1_000_000, 3_000_000), ("allocations", 3, 9000)], "allocations"),
        ([(WORK, 1_000_000, 1_010_000), ("allocations", 1000, 1010)], None),
        ([("simulated:accesses", 100, 900), ("task-clock", 1, 10**9)], None),
        ([("page-faults", 100, 300), ("context-switches", 1, 15)], "page-faults"),
        ([], None),
    ],
)
def test_what_is_worth_most_by_instruction_is_named(changes: list[tuple[str, int, int]], named: str | None) -> None:
    found = changed_counter([CounterChange(*each) for each in changes])
    assert (found.name if found else None) == named


counts = st.one_of(st.integers(0, 50), st.integers(0, 10**9))


@given(st.dictionaries(st.sampled_from([each.name for each in KNOWN_COUNTERS]), st.tuples(counts, counts)))
def test_exchanging_before_and_after_names_the_same_counter(all_of: dict[str, tuple[int, int]]) -> None:
    there = changed_counter([CounterChange(name, before, after) for name, (before, after) in all_of.items()])
    back = changed_counter([CounterChange(name, after, before) for name, (before, after) in all_of.items()])
    assert (there.name if there else None) == (back.name if back else None)
