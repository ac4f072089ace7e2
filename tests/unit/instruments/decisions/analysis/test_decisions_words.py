"""Places and words of decisions: short where they must be, printable always."""

import pytest

from made_decisions import decided, made_run
from sonde.instruments.decisions.analysis.places import offset_text, place_text
from sonde.instruments.decisions.analysis.shares import period_text, share_of_run, share_text
from sonde.instruments.decisions.analysis.words import KIND_MEANING, decision_name, receivers_text, value_text
from sonde.instruments.decisions.model import CallKind, DecisionRun, Place, ReceiverProfile, ReceiverType, SourceRange


def test_offsets_are_said_as_the_run_counts_them() -> None:
    graal = DecisionRun("r", "graal", "bytecode index", [])
    llvm = DecisionRun("r", "llvm", "line", [], sources={"f": SourceRange("/src/a/b.c", 3)})
    assert offset_text(graal, "f", 12) == "bci 12"
    assert offset_text(graal, "f", -1) == ""
    assert place_text(graal, Place("f", -1)) == "bci -1"
    assert offset_text(llvm, "f", 12, 5) == "b.c:12:5"
    assert offset_text(llvm, "g", 12) == "line 12"


def test_a_share_needs_a_profile() -> None:
    assert share_of_run(made_run([], total=None), 5) is None
    assert share_of_run(made_run([], total=0), 5) is None
    assert share_of_run(made_run([], total=50), 5) == pytest.approx(0.1)
    assert share_text(0.0) == "0.0%"
    assert period_text(made_run([]), 1) == "1 sample"


def test_every_kind_of_call_but_the_root_is_explained() -> None:
    assert set(KIND_MEANING) == set(CallKind) - {CallKind.ROOT}


def test_values_are_said_as_the_compiler_does() -> None:
    assert [value_text(value) for value in (None, True, False, 3, 0.5, "x")] == [
        "null",
        "true",
        "false",
        "3",
        "0.5",
        "x",
    ]
    assert decision_name(decided("inline", "inline")) == "inline"


def test_receivers_that_do_not_fit_are_counted() -> None:
    types = tuple(ReceiverType(f"a.Type{number}", 0.1) for number in range(10))
    assert receivers_text(ReceiverProfile(True, types), 40) == "10.0% Type0, 10.0% Type1, 8 more"
    assert receivers_text(ReceiverProfile(False, ()), 40) == "no type seen (immature)"
