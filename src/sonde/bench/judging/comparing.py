"""Comparisons: two samples, their ratio, the verdict, and the reasons for it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.bench.judging.comparison import Comparison, Verdict
from sonde.bench.judging.peeking import restated
from sonde.bench.judging.sample import Sample
from sonde.bench.judging.wording import verdict_in_words
from sonde.bench.policy import Policy
from sonde.errors import UsageError
from sonde.stats import (
    Alternative,
    Estimate,
    Test,
    adjusted,
    compare_means,
    difference_of_means,
    invocations_needed,
    rank_sum_test,
)

_MOST_NEEDED = 10_000
"""More invocations than this are no advice."""
_POWER = 0.8
"""The chance with which the advised number of invocations would establish what is seen now."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two samples to be compared, and what to call them."""

    benchmark: str
    first_name: str
    second_name: str
    first: Sample
    second: Sample
    same_run: bool
    """Whether rounds of the first are rounds of the second."""
    ask: float
    """The level at which its intervals are computed, so that they hold at that of the policy; see `peeking`."""


@dataclass(frozen=True, slots=True, eq=False)
class _Draft:
    """A pair with everything that does not depend on the other pairs."""

    pair: Pair
    paired: bool
    ratio: Estimate | None
    difference: Estimate | None
    test: Test | None
    beyond_tolerance: Test | None
    equivalence: Test | None


def compare_pairs(pairs: Sequence[Pair], policy: Policy) -> tuple[Comparison, ...]:
    """Compare pairs of samples, with the rate of false discoveries among all their verdicts controlled.

    Guarantee: of the differences called established, and of those called regressions, at most 1 - level are false on
        average; likewise of the verdicts `same`.
    Source: Benjamini and Hochberg, Journal of the Royal Statistical Society B, 1995.
    """
    drafts = [_draft(pair, policy) for pair in pairs]
    # Where intervals are asked for at a higher level than they are stated at, p-values grow by as much.
    peeking = [policy.alpha / (1.0 - pair.ask) for pair in pairs]
    two_sided = _adjusted([draft.test for draft in drafts], peeking)
    # The one-sided test that the two-sided interval corresponds to: with no tolerance, the two agree.
    beyond = _adjusted([draft.beyond_tolerance for draft in drafts], [2.0 * factor for factor in peeking])
    same = _adjusted([draft.equivalence for draft in drafts], peeking)
    return tuple(map(_concluded, drafts, two_sided, beyond, same, [policy] * len(drafts), [len(pairs)] * len(drafts)))


def _draft(pair: Pair, policy: Policy) -> _Draft:
    first, second, paired = _values(pair)
    if not len(first) or not len(second):
        return _Draft(pair, False, None, None, None, None, None)
    found = compare_means(second, first, paired=paired)
    ratio = restated(found.estimate(pair.ask), policy.level)
    difference = restated(difference_of_means(second, first, pair.ask, paired=paired), policy.level)
    unsupported = pair.first.unsupported or pair.second.unsupported
    if unsupported:
        ratio, difference = (_without_interval(estimate, unsupported) for estimate in (ratio, difference))
        return _Draft(pair, paired, ratio, difference, None, None, None)
    lower_is_better = pair.first.metric.better == "lower"
    bound = 1.0 + policy.tolerance if lower_is_better else 1.0 / (1.0 + policy.tolerance)
    side: Alternative = "greater" if lower_is_better else "less"
    if ratio.interval is None:
        if difference.interval is not None:  # what the ratio cannot bear, the difference cannot either
            difference = _without_interval(difference, ratio.withheld)
        if not (_is_constant(first) and _is_constant(second)):
            return _Draft(pair, paired, ratio, difference, None, None, None)
        # Values that do not vary, as counts of instructions or bytes, have no spread to infer from; but that each of
        # one side exceeds each of the other is no chance.
        test, beyond = rank_sum_test(second, first), rank_sum_test(second, bound * first, side)
        return _Draft(pair, paired, ratio, difference, test, beyond, None)
    return _Draft(
        pair,
        paired,
        ratio,
        difference,
        found.test(1.0),
        found.test(bound, side),
        found.equivalence(policy.equivalent) if policy.equivalent > 0.0 else None,
    )


def _is_constant(values: npt.NDArray[np.float64]) -> bool:
    return len(values) > 1 and bool((values == values[0]).all())


def _values(pair: Pair) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], bool]:
    """The values to compare: those of rounds that both have, side by side, where alternatives took turns."""
    first, second = pair.first, pair.second
    if pair.same_run:
        place_in_first = {round_: i for i, round_ in enumerate(first.rounds) if round_ is not None}
        place_in_second = {round_: i for i, round_ in enumerate(second.rounds) if round_ is not None}
        common = [round_ for round_ in place_in_first if round_ in place_in_second]
        if len(common) > 1:
            rows = [place_in_first[round_] for round_ in common]
            others = [place_in_second[round_] for round_ in common]
            return first.values[rows], second.values[others], True
    return first.values, second.values, False


def _without_interval(estimate: Estimate, why: str) -> Estimate:
    return Estimate(
        estimate.what, estimate.value, None, estimate.sizes, estimate.method, estimate.assumptions, withheld=why
    )


def _adjusted(tests: Sequence[Test | None], factors: Sequence[float]) -> list[float | None]:
    """The p-values of those that have one, each times its factor, accounted for one another."""
    said = [
        None if test is None or test.withheld else min(1.0, factor * test.p_value)
        for test, factor in zip(tests, factors, strict=True)
    ]
    p_values = [p for p in said if p is not None]
    found = iter(adjusted(p_values).tolist() if p_values else ())
    return [None if p is None else next(found) for p in said]


def _concluded(
    draft: _Draft, p: float | None, beyond_p: float | None, same_p: float | None, policy: Policy, family: int
) -> Comparison:
    verdict = _verdict(draft, p, same_p, policy)
    needed = _needed(draft, policy) if verdict == "unclear" else None
    pair = draft.pair
    return Comparison(
        benchmark=pair.benchmark,
        first_name=pair.first_name,
        second_name=pair.second_name,
        first=pair.first,
        second=pair.second,
        paired=draft.paired,
        ratio=draft.ratio,
        difference=draft.difference,
        test=draft.test,
        adjusted_p=p,
        verdict=verdict,
        why=verdict_in_words(pair.first, pair.second, draft.ratio, verdict, policy, p=p, needed=needed, family=family),
        is_regression=verdict == "worse" and beyond_p is not None and beyond_p <= policy.alpha,
        needed=needed,
    )


def _verdict(draft: _Draft, p: float | None, same_p: float | None, policy: Policy) -> Verdict:
    if draft.ratio is not None and p is not None and p <= policy.alpha:
        grew = draft.ratio.value > 1.0
        return "worse" if grew == (draft.pair.first.metric.better == "lower") else "better"
    if same_p is not None and same_p <= policy.alpha:
        return "same"
    return "unclear"


def _needed(draft: _Draft, policy: Policy) -> int | None:
    """Invocations of each that would probably settle it, if what is seen now were the truth."""
    if draft.test is None or draft.ratio is None or draft.ratio.interval is None:
        return None
    first, second, paired = _values(draft.pair)
    correlation = float(np.corrcoef(first, second)[0, 1]) if paired and first.std() > 0 and second.std() > 0 else None
    spread = float(np.hypot(first.std(ddof=1) / first.mean(), second.std(ddof=1) / second.mean()) / np.sqrt(2.0))
    seen = abs(draft.ratio.value - 1.0)
    effect = max(seen, policy.equivalent - seen)
    if not (spread > 0.0 and effect > 0.0):
        return None
    try:
        needed = invocations_needed(effect, spread, _POWER, level=policy.level, paired_correlation=correlation)
    except UsageError:  # more than can be counted
        return None
    return max(needed, len(first) + 1, len(second) + 1) if needed <= _MOST_NEEDED else None
