"""Recipes: what people write, and what they are told when it cannot be."""

import pytest

from sonde.base.errors import UsageError
from sonde.passes import HoistLoopInvariants, LlvmPipeline, LlvmSinglePass, parse_recipe


def test_ours_and_llvms_are_mixed() -> None:
    steps = parse_recipe("sroa,hoist-loop-invariants{most=3},O2").steps
    assert steps == (LlvmSinglePass("sroa"), HoistLoopInvariants(most=3), LlvmPipeline(2))


def test_spaces_are_allowed_and_options_may_be_left_out() -> None:
    assert parse_recipe("hoist-loop-invariants{}").steps == (HoistLoopInvariants(),)
    assert parse_recipe("sroa ,newgvn").steps == (LlvmSinglePass("sroa"), LlvmSinglePass("newgvn"))


def test_an_option_of_yes_or_no_may_be_named_only() -> None:
    (step,) = parse_recipe("eliminate-dead-code{keep-loads}").steps
    assert step == parse_recipe("eliminate-dead-code{keep-loads=true}").steps[0]
    assert step != parse_recipe("eliminate-dead-code{keep-loads=false}").steps[0]


def test_the_level_is_the_highest() -> None:
    assert parse_recipe("O1,sroa,O3,O2").level == 3
    assert parse_recipe("sroa").level is None


@pytest.mark.parametrize(
    ("recipe", "slug", "said", "hint"),
    [
        ("newgnv", "unknown-pass", "'newgnv'", "newgvn"),
        ("cse", "unknown-pass", "'cse'", "early-cse"),
        ("O4", "unknown-pass", "'O4'", "O3"),
        ("hoist-loop-invariant", "unknown-pass", "'hoist-loop-invariant'", "hoist-loop-invariants"),
        ("xyzzy", "unknown-pass", "'xyzzy'", "known are"),
        ("sroa{fast}", "unknown-pass-option", "'fast'", "sroa"),
        ("hoist-loop-invariants{moast=3}", "unknown-pass-option", "'moast'", "most"),
        ("hoist-loop-invariants{most=many}", "bad-pass-option", "a whole number", None),
        ("hoist-loop-invariants{most}", "bad-pass-option", "a whole number", None),
        ("eliminate-dead-code{keep-loads=1}", "bad-pass-option", "true or false", None),
        ("", "bad-recipe", "character 1", "as in"),
        ("sroa,", "bad-recipe", "last comma", "sroa"),
        ("sroa,,O2", "bad-recipe", "character 6", "as in"),
        ("sroa newgvn", "bad-recipe", "character 6", "as in"),
        ("hoist-loop-invariants{most=3", "bad-recipe", "character 22", "as in"),
    ],
)
def test_what_cannot_be_read_is_quoted(recipe: str, slug: str, said: str, hint: str | None) -> None:
    with pytest.raises(UsageError) as refused:
        parse_recipe(recipe)
    assert refused.value.slug == slug and said in refused.value.message
    assert hint is None or (refused.value.hint and hint in refused.value.hint)
