"""Recipes: passes as people write them, `sroa,newgvn,hoist-loop-invariants{most=3},O2`."""

import re
from collections.abc import Mapping
from typing import Any

from sonde.base.errors import UsageError
from sonde.base.near_names import near_hint, near_or_all
from sonde.llvm import PASS_NAMES, PIPELINE_PASSES
from sonde.passes.eliminate_common_subexpressions import EliminateCommonSubexpressions
from sonde.passes.eliminate_dead_code import EliminateDeadCode
from sonde.passes.hoist_loop_invariants import HoistLoopInvariants
from sonde.passes.llvm_steps import LlvmPipeline, LlvmSinglePass
from sonde.passes.mark_for_inlining import MarkForInlining
from sonde.passes.pipeline import Pipeline, Step
from sonde.passes.transformation import Pass, options_of

PASSES: dict[str, type[Pass]] = {
    each.name: each for each in (EliminateCommonSubexpressions, EliminateDeadCode, HoistLoopInvariants, MarkForInlining)
}
"""Our own passes by name."""
_LEVELS = ("O0", "O1", "O2", "O3")
_STEP = re.compile(r"([^{},\s]+)(?:\{([^{}]*)\})?\s*")
_NEAREST = {"cse": "early-cse", "unroll": "loop-unroll"}
"""What does nearly the same, for names that many know."""


def parse_recipe(text: str, passes: Mapping[str, type[Pass]] = PASSES) -> Pipeline:
    """Read a recipe.

    Args:
        text: names of passes, ours and LLVM's, and levels, separated by commas; options of ours in braces.
        passes: our own passes and those of plug-ins, by name.
    Raises:
        UsageError: `unknown-pass`, `unknown-pass-option`, `bad-pass-option`, `bad-recipe`.

    >>> [step.name for step in parse_recipe("sroa,hoist-loop-invariants{most=3},O2").steps]
    ['sroa', 'hoist-loop-invariants', 'O2']
    """
    steps: list[Step] = []
    at = 0
    while at < len(text) or not steps:
        match = _STEP.match(text, at)
        if match is None or (match.end() < len(text) and text[match.end()] != ","):
            end = at if match is None else match.end()
            raise UsageError(
                f"cannot read the recipe '{text}': a pass, options in braces, or a comma should stand"
                f" at its character {end + 1}",
                slug="bad-recipe",
                hint="as in 'sroa,newgvn,hoist-loop-invariants{most=3},O2'",
            )
        steps.append(_step(match[1], match[2], passes))
        at = match.end() + 1
        if at == len(text):  # a comma at the end
            raise UsageError(
                f"cannot read the recipe '{text}': a pass should follow the last comma",
                slug="bad-recipe",
                hint=text.rstrip(","),
            )
    return Pipeline(tuple(steps))


def _step(name: str, options: str | None, passes: Mapping[str, type[Pass]]) -> Step:
    if name in passes:
        return _own_pass(passes[name], options or "")
    if name not in PASS_NAMES and name not in PIPELINE_PASSES and name not in _LEVELS:
        known = [*passes, *PASS_NAMES, *PIPELINE_PASSES, *_LEVELS]
        raise UsageError(
            f"cannot run the pass '{name}': it is not among the {len(known)} that there are",
            slug="unknown-pass",
            hint=near_or_all(name, sorted(known), synonyms=_NEAREST),
        )
    if options is not None:
        raise UsageError(
            f"cannot give the options '{options}' to '{name}': LLVM's passes are run as they are",
            slug="unknown-pass-option",
            hint=name,
        )
    return LlvmPipeline(int(name[1:])) if name in _LEVELS else LlvmSinglePass(name)


def _own_pass(pass_type: type[Pass], text: str) -> Pass:
    known = options_of(pass_type)
    values: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, has_value, written = part.partition("=")
        if name not in known:
            raise UsageError(
                f"cannot set '{name}' of the pass '{pass_type.name}': its options are {', '.join(known) or 'none'}",
                slug="unknown-pass-option",
                hint=near_hint(name, known, None),
            )
        type_, _, about = known[name]
        values[name.replace("-", "_")] = _value(pass_type.name, name, written if has_value else "true", type_, about)
    return pass_type(**values)


def _value(pass_name: str, name: str, written: str, type_: type, about: str) -> Any:
    if type_ is bool and written in ("true", "false"):
        return written == "true"
    if type_ is int and written.lstrip("-").isdigit():
        return int(written)
    if type_ is str:
        return written
    wanted = "true or false" if type_ is bool else "a whole number"
    raise UsageError(
        f"cannot set '{name}' of the pass '{pass_name}' to '{written}': {wanted} is wanted ({about})",
        slug="bad-pass-option",
    )
