"""Conditions as they are typed, and compensation code."""

import pytest

from sonde.base.errors import UsageError
from sonde.osr import Always, Counter, Expression, Flag, Never, StateMap, parse_condition


def test_conditions_are_read_as_they_are_written() -> None:
    for condition in (
        Always(),
        Never(),
        Flag(),
        Flag(64),
        Counter(7),
        Counter(7, all_calls=True),
        Expression("%x u> 10"),
    ):
        assert parse_condition(str(condition).split(" ")) == condition


@pytest.mark.parametrize(
    "text", ["", "sometimes", "counter", "counter x", "counter 0", "counter 3 of some", "flag every 3", "x > 1"]
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_condition(text.split())
    assert refused.value.slug == "osr-condition"


def test_compensation_code_runs_straight_on() -> None:
    state = StateMap.from_text("%a = %b\n%c = i64 7; %d = add i64 %b, %e")
    assert dict(state.values) == {"%a": "%b", "%c": "7", "%d": "%d"}
    assert state.needed({"%a": "i64", "%c": "i64", "%d": "i64", "%f": "i64"}) == {"%b", "%e", "%f"}
    for text in ("br label %x", "%p = phi i64 [ 0, %x ]"):
        with pytest.raises(ValueError, match="cannot be compensation code"):
            StateMap.from_text(text)
