"""Names, places and words of decisions: short where they must be, printable always."""

import pytest

from made_decisions import decided, made_run
from sonde.base.fitted_text import display_width
from sonde.instruments.decisions.model import CallKind, DecisionRun, Place, ReceiverProfile, ReceiverType, SourceRange
from sonde.instruments.decisions.report.method_names import bare_method, method_text, short_method
from sonde.instruments.decisions.report.places import offset_text, place_text
from sonde.instruments.decisions.report.shares import period_text, share_of_run, share_text
from sonde.instruments.decisions.report.words import KIND_MEANING, decision_name, receivers_text, value_text

NAMES = [
    "java.util.HashMap.putVal(int, Object, Object, boolean, boolean)",
    "io.jenetics.Mutator$$Lambda/0x80cd9f6fcd00a46038273ae57f84ae77.apply(Object)",
    "scala.collection.IterableOnceOps.count(Function1)",
    "core::iter::adapters::map::Map<I,F>::fold",
    "std::vector<int, std::allocator<int> >::push_back(int const&)",
    "pkg.module.Class.method.<locals>.inner",
    "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
    "",
    "((((",
    "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 50,
    "x" * 100_000,
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [0, 1, 4, 12, 20, 40, 80])
def test_a_short_name_is_never_wider_than_it_may_be(name: str, width: int) -> None:
    assert display_width(short_method(name, width)) <= width
    assert display_width(bare_method(name, width)) <= width


def test_packages_go_before_anything_else() -> None:
    name = "java.util.HashMap.putVal(int, java.lang.Object)"
    assert short_method(name, 80) == name
    assert short_method(name, 40) == "HashMap.putVal(int, Object)"
    assert short_method(name, 20) == "HashMap.putVal(\N{HORIZONTAL ELLIPSIS})"


def test_hidden_classes_stay_apart_when_their_digests_are_cut() -> None:
    first = "a.B$$Lambda/0x000000004a30ca58.apply(Object, Object, Object, Object)"
    second = "a.B$$Lambda/0x0000000029305218.apply(Object, Object, Object, Object)"
    assert bare_method(first, 50) != bare_method(second, 50)


def test_a_method_without_a_name_is_unknown() -> None:
    assert short_method(None, 40) == method_text(None) == "unknown"


def test_names_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in short_method("a\x1b[2Jb", 80)


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
