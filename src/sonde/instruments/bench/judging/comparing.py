"""Comparisons: two samples, their ratio, the verdict, and the reasons for it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sonde.base.errors import UsageError
from sonde.instruments.bench.judging.comparison import Comparison, Verdict
from sonde.instruments.bench.judging.peeking import restated
from sonde.instruments.bench.judging.sample import Sample
from sonde.instruments.bench.judging.wording import Reasons, verdict_in_words
from sonde.instruments.bench.policy import Policy
from sonde.stats import (
    Alternative,
    Estimate,
    Interval,
    Test,
    adjusted,
    compare_means,
    invocations_needed,
    is_constant,
    rank_sum_test,
    student_quantile,
)

_MOST_NEEDED = 10_000
"""More invocations than this are no advice."""
_ENOUGH = 5
"""Values that never vary, of each side, from which on they can be the same; fewer have no interval either."""
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

    Worse, better and same are three families: so `worse` does not become easier because much else got better.

    Guarantee: of the differences called worse, of those called better, of those called regressions, and of the verdicts
        `same`, at most 1 - level are false on average, as far as the p-values hold.
    Source: Benjamini and Hochberg, Journal of the Royal Statistical Society B, 1995.
    """
    drafts = [_draft(pair, policy) for pair in pairs]
    # Where intervals are asked for at a higher level than they are stated at, p-values grow by as much.
    peeking = [policy.alpha / (1.0 - pair.ask) for pair in pairs]
    upwards, downwards = (
        _adjusted([_one_sided(draft, side) for draft in drafts], peeking) for side in ("greater", "less")
    )
    # One-sided tests at half the level, as the two ends of an interval are.
    beyond = _adjusted([_p(draft.beyond_tolerance) for draft in drafts], [2.0 * factor for factor in peeking])
    same = _adjusted([_p(draft.equivalence) for draft in drafts], peeking)
    return tuple(
        _concluded(draft, (up, down), beyond_p, same_p, policy, len(pairs))
        for draft, up, down, beyond_p, same_p in zip(drafts, upwards, downwards, beyond, same, strict=True)
    )


def _draft(pair: Pair, policy: Policy) -> _Draft:
    first, second, paired = _values(pair)
    if not len(first) or not len(second):
        return _Draft(pair, False, None, None, None, None, None)
    found = compare_means(second, first, paired=paired, independent=policy.assume_independent)
    ratio = restated(found.estimate(pair.ask), policy.level)
    test = found.test(1.0)
    difference = restated(_difference(first, second, test, ratio, pair.ask), policy.level)
    unsupported = pair.first.unsupported or pair.second.unsupported
    if unsupported:
        ratio, difference = (estimate.without_interval(unsupported) for estimate in (ratio, difference))
        return _Draft(pair, paired, ratio, difference, None, None, None)
    lower_is_better = pair.first.metric.better == "lower"
    bound = 1.0 + policy.tolerance if lower_is_better else 1.0 / (1.0 + policy.tolerance)
    side: Alternative = "greater" if lower_is_better else "less"
    if ratio.interval is None:
        if min(len(first), len(second)) < 2 or not (is_constant(first) and is_constant(second)):
            return _Draft(pair, paired, ratio, difference, None, None, None)
        # Values that do not vary, as counts of instructions or bytes, have no spread to infer from; but that each of
        # one side exceeds each of the other is no chance.
        test, beyond = rank_sum_test(second, first), rank_sum_test(second, bound * first, side)
        return _Draft(pair, paired, ratio, difference, test, beyond, _constant_equivalence(first, second, policy))
    return _Draft(
        pair,
        paired,
        ratio,
        difference,
        test,
        found.test(bound, side),
        found.equivalence(policy.equivalent) if policy.equivalent > 0.0 else None,
    )


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


def _difference(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], test: Test, ratio: Estimate, level: float
) -> Estimate:
    """The difference of means, with what the test of the ratio knows of its error: so the two agree."""
    value = float(second.mean() - first.mean())
    sizes, what = ratio.sizes, "difference of means"
    if ratio.interval is None:
        return Estimate(what, value, None, sizes, "none", ratio.assumptions, ratio.withheld)
    if test.withheld or not test.statistic or not test.degrees_of_freedom:
        return Estimate(what, value, None, sizes, "none", ratio.assumptions, "the means are the same")
    (freedom,) = test.degrees_of_freedom
    reach = abs(value / test.statistic) * student_quantile((1.0 + level) / 2.0, freedom)
    method = f"Student t with the standard error of the ratio, {freedom:.4g} degrees of freedom"
    return Estimate(what, value, Interval(value - reach, value + reach, level), sizes, method, ratio.assumptions)


def _constant_equivalence(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], policy: Policy
) -> Test | None:
    """That values which do not vary differ by no more than the margin: were they that far apart, each would show it."""
    if not policy.equivalent > 0.0 or min(len(first), len(second)) < _ENOUGH:
        return None
    reach = policy.equivalent * np.abs(first)
    reach[reach == 0.0] = np.finfo(np.float64).tiny  # of what is always 0, any difference is beyond all margins
    above, below = rank_sum_test(second, first + reach, "less"), rank_sum_test(second, first - reach, "greater")
    return max(above, below, key=lambda test: test.p_value)


def _one_sided(draft: _Draft, side: str) -> float | None:
    """Twice the p-value of the test to one side, as far as the two-sided one tells it."""
    p = _p(draft.test)
    if p is None or draft.test is None:
        return None
    return p if (_grew(draft) == (side == "greater")) else 1.0


def _p(test: Test | None) -> float | None:
    return None if test is None or test.withheld else test.p_value


def _grew(draft: _Draft) -> bool:
    return draft.difference is not None and draft.difference.value > 0.0


def _adjusted(p_values: Sequence[float | None], factors: Sequence[float]) -> list[float | None]:
    """The p-values that there are, each times its factor, accounted for one another."""
    scaled = [None if p is None else min(1.0, factor * p) for p, factor in zip(p_values, factors, strict=True)]
    known = [p for p in scaled if p is not None]
    found = iter(adjusted(known).tolist() if known else ())
    return [None if p is None else next(found) for p in scaled]


def _concluded(
    draft: _Draft,
    to_each_side: tuple[float | None, float | None],
    beyond_p: float | None,
    same_p: float | None,
    policy: Policy,
    family: int,
) -> Comparison:
    up, down = to_each_side
    p = up if _grew(draft) else down
    is_same = same_p is not None and same_p <= policy.alpha
    has_failed = _has_failed(draft.pair)
    verdict = "worse" if has_failed else _verdict(draft, p, policy, is_same=is_same)
    needed = _needed(draft, policy, family) if verdict == "unclear" else None
    pair = draft.pair
    names = (pair.first_name, pair.second_name)
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
        why=verdict_in_words(
            Reasons(pair.benchmark, names, pair.first, pair.second, draft.ratio, p, family, needed, is_same),
            verdict,
            policy,
        ),
        is_regression=has_failed or (verdict == "worse" and beyond_p is not None and beyond_p <= policy.alpha),
        needed=needed,
    )


def _has_failed(pair: Pair) -> bool:
    """Whether what used to work does not work any more."""
    return not pair.same_run and len(pair.first.values) > 0 and not len(pair.second.values) and pair.second.failed > 0


def _verdict(draft: _Draft, p: float | None, policy: Policy, *, is_same: bool) -> Verdict:
    if p is not None and p <= policy.alpha:
        return "worse" if _grew(draft) == (draft.pair.first.metric.better == "lower") else "better"
    return "same" if is_same else "unclear"


def _needed(draft: _Draft, policy: Policy, family: int) -> int | None:
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
        # Were all others without a difference, the least p-value would have to be so small.
        level = 1.0 - policy.alpha / family
        needed = invocations_needed(effect, spread, _POWER, level=level, paired_correlation=correlation)
    except UsageError:  # more than can be counted
        return None
    return max(needed, len(first) + 1, len(second) + 1) if needed <= _MOST_NEEDED else None
