"""What two samples say about the ratio of their means: how sure, for values of their shape and dependence."""

import math

import numpy as np

from sonde.stats.autocorrelation import harmless, judged_independence
from sonde.stats.comparison_assumptions import BY_DESIGN, every_mode_seen, worst
from sonde.stats.dependence_inflation import FEWEST as FEWEST_FOR_DEPENDENCE
from sonde.stats.dependence_inflation import Dependence, dependence
from sonde.stats.distributions import student_quantile
from sonde.stats.equal_variances import brown_forsythe
from sonde.stats.findings import Assumption
from sonde.stats.normality import normality
from sonde.stats.permuted_statistic import FEWEST_FLIPS, flip_factor, permutation_factors, quantile_factors, thinned
from sonde.stats.ratio_statistic import RatioStatistic
from sonde.stats.samples import Sample
from sonde.stats.studentized_bootstrap import drawn_statistics
from sonde.stats.two_samples import TwoSamples

FEWEST = 5
"""Values of each sample below which no interval is stated that would have to hold whatever their shape."""

FEWEST_APART = 20
"""Values of each sample below which samples that did not take turns are not compared, unless they are known to be
independent: how much values resemble those before them cannot be told from fewer, and if they do, up to two of five
comparisons of equal things find a difference. In rounds the random order takes care of that."""

FEWEST_UNBALANCED = 10
UNBALANCED = 3.0
"""With more than 3 times as many values as the other, the smaller sample must have 10: its mean then is nearly all of
the uncertainty, as if it were alone, and below 10 values no method holds for skewed ones."""

BALANCED = 1.5
"""Up to this quotient of sizes, skewness of both samples cancels."""

ENOUGH = 30
"""Balanced samples of this size need no permutation: Student's quantiles are within 1 % for all shapes tried."""

ALPHA = 0.01
"""Samples that vary by the same share are said not to so often."""

SPREADS_DIFFER = 0.05
"""p-value of Brown and Forsythe's test below which permutations, which take spreads for equal, are not used."""


def why_withheld(samples: TwoSamples, *, independent: bool = True) -> str:
    """Why the sizes of the samples, or values that do not vary, do not allow an interval; empty where they do."""
    if why := samples.why_silent():
        return why
    few, many = sorted(samples.sizes)
    if few < FEWEST_APART and not (samples.paired or independent):
        return (
            f"{few} values that did not take turns with the others are too few to tell whether they depend on those"
            f" before them: at least {FEWEST_APART} are needed, unless they are known to be independent"
        )
    if few < FEWEST:
        return f"{few} values are too few to allow for the shape of their distribution: at least {FEWEST} are needed"
    if many > UNBALANCED * few and few < FEWEST_UNBALANCED:
        return (
            f"{few} values against {many} are too few to allow for the shape of their distribution: with more than "
            f"{UNBALANCED:g} times as many in the other sample at least {FEWEST_UNBALANCED} are needed"
        )
    return _why_no_ratio(samples)


def _why_no_ratio(samples: TwoSamples) -> str:
    n, m = samples.sizes
    if samples.second_mean == 0.0 or samples.first_mean == 0.0:
        return f"a mean is 0, so ratios cannot be told, n = {n} and {m}"
    if samples.paired and samples.variance(samples.first_mean / samples.second_mean) <= _rounding(samples):
        return f"all pairs have the same ratio, n = {n}: how it varies is not known"
    return ""


def _rounding(samples: TwoSamples) -> float:
    """What the variance of a mean of differences is that vary by rounding alone."""
    return (4e-16 * samples.first_mean) ** 2


def plain_evidence(samples: TwoSamples) -> RatioStatistic | str:
    """Fieller's: for independent normal values. Or why there can be none."""
    if why := samples.why_silent() or _why_no_ratio(samples):
        return why
    n, m = samples.sizes
    how = "pairs" if samples.paired else "Welch-Satterthwaite degrees of freedom"
    if samples.paired:
        checked = [normality(samples.first - samples.first_mean / samples.second_mean * samples.second)]
    else:
        checked = [normality(samples.first), normality(samples.second)]
    return _evidence(
        samples, (1.0, 1.0), (n - 1.0, m - 1.0), (1.0, 1.0), f"Fieller's interval, {how}", (worst(checked), BY_DESIGN)
    )


def resampled_evidence(samples: TwoSamples) -> RatioStatistic | str:
    """The same with quantiles by the bootstrap in place of Student's. Or why there can be none.

    As for permutations, it is the 2.5 % quantiles that are compared with Student's, whichever level is asked for.
    """
    if why := why_withheld(samples):
        return why
    plain = plain_evidence(samples)
    if isinstance(plain, str):
        return plain
    ratio = samples.first_mean / samples.second_mean
    drawn = drawn_statistics(
        samples.first - samples.first_mean, ratio * (samples.second - samples.second_mean), paired=samples.paired
    )
    factors = quantile_factors(drawn, plain.degrees_of_freedom(ratio))
    low, high = factors if samples.second_mean > 0.0 else (factors[1], factors[0])
    return plain.scaled(low, high, "Fieller's interval, quantiles by bootstrap (1999 draws)")


def robust_evidence(samples: TwoSamples, *, independent: bool = False) -> RatioStatistic | str:
    """The statistic with what dependence and shape of the values do to it. Or why there can be none."""
    if why := why_withheld(samples, independent=independent):
        return why
    return _of_pairs(samples, independent) if samples.paired else _of_two(samples, independent)


def _depends(sample: Sample, independent: bool) -> Dependence:
    return Dependence(0.0, 0.0, 1.0, len(sample)) if independent else dependence(sample)


def _of_pairs(samples: TwoSamples, independent: bool) -> RatioStatistic | str:
    n = len(samples.first)
    differences = samples.first - samples.first_mean / samples.second_mean * samples.second
    differences -= np.add.reduce(differences) / n
    depends = _depends(differences, independent)
    if depends.is_drift:
        return _drift(depends)
    factor, how = 1.0, ""
    if FEWEST_FLIPS <= n < ENOUGH:
        factor, how = flip_factor(differences, n - 1.0), ", quantiles by changing signs of the differences"
    freedom = max(depends.effective_size - 1.0, 1.5)
    return _evidence(
        samples,
        (depends.inflation, depends.inflation),
        (freedom, freedom),
        (factor, factor),
        f"Fieller's interval of {n} pairs{_allowed([depends])}{how}",
        (BY_DESIGN if independent else _independence([depends]), normality(differences), every_mode_seen(n)),
        2.0 ** (1 - n),
        _resemblance(samples, depends),
    )


def _of_two(samples: TwoSamples, independent: bool) -> RatioStatistic | str:
    n, m = samples.sizes
    each = [_depends(samples.first, independent), _depends(samples.second, independent)]
    for depends in each:
        if depends.is_drift:
            return _drift(depends)
    scaled = samples.first * (samples.second_mean / samples.first_mean) - samples.second_mean
    centred = samples.second - samples.second_mean
    spread, p_spread = brown_forsythe([scaled, centred])
    low, high, how = 1.0, 1.0, ""
    is_balanced = max(n, m) <= BALANCED * min(n, m)
    if not p_spread < SPREADS_DIFFER and not (is_balanced and min(n, m) >= ENOUGH):
        dealt, other = thinned(scaled, centred)
        share = _variance(dealt) / (_variance(dealt) + _variance(other))
        usual = 1.0 / (share * share / (len(dealt) - 1.0) + (1.0 - share) * (1.0 - share) / (len(other) - 1.0))
        low, high = permutation_factors(dealt, other, usual)
        how = ", quantiles by permutation"
        if not is_balanced:
            # Permutations are right where both vary by the same share, Student's quantiles where values are normal.
            # From few values it cannot be told which: where Student's are the wider ones, half-way.
            low, high = max(low, math.sqrt(low)), max(high, math.sqrt(high))
            how = ", quantiles by permutation, at least half-way to Student's"
    normal = normality(np.concatenate([_standardised(scaled), _standardised(centred)]))
    finding = f"Brown-Forsythe F = {spread:.3g}, p = {p_spread:.2g}, of values relative to their means"
    return _evidence(
        samples,
        (each[0].inflation, each[1].inflation),
        (max(each[0].effective_size - 1.0, 1.5), max(each[1].effective_size - 1.0, 1.5)),
        (low, high),
        f"Fieller's interval, Welch-Satterthwaite degrees of freedom{_allowed(each)}{how}",
        (
            BY_DESIGN if independent else _independence(each),
            normal,
            Assumption("equal relative spread", None if math.isnan(p_spread) else p_spread >= ALPHA, finding),
            every_mode_seen(min(n, m)),
        ),
        # Two of all ways to deal: everything that is larger to one, or to the other.
        2.0 * math.exp(math.lgamma(n + 1.0) + math.lgamma(m + 1.0) - math.lgamma(n + m + 1.0)),
        _resemblance(samples, each[1]),
    )


def _evidence(
    samples: TwoSamples,
    inflation: tuple[float, float],
    freedoms: tuple[float, float],
    factors: tuple[float, float],
    method: str,
    assumptions: tuple[Assumption, ...],
    smallest_p: float = 0.0,
    resemblance: str = "",
) -> RatioStatistic:
    # In units of the second mean: so squares of squares neither overflow nor vanish, and it is positive.
    unit = samples.second_mean
    low, high = factors if unit > 0.0 else (factors[1], factors[0])
    return RatioStatistic(
        first_mean=samples.first_mean / unit,
        second_mean=1.0,
        first_variance=inflation[0] * (samples.first_variance / unit / unit),
        second_variance=inflation[1] * (samples.second_variance / unit / unit),
        covariance=inflation[0] * (samples.covariance / unit / unit),
        freedoms=freedoms,
        paired=samples.paired,
        low_factor=low,
        high_factor=high,
        method=method,
        assumptions=assumptions,
        smallest_p=smallest_p,
        resemblance=resemblance,
    )


def _resemblance(samples: TwoSamples, depends: Dependence) -> str:
    """What to say where the ratio may be anything; empty where that would be so for independent values too."""
    reach = student_quantile(0.975, len(samples.second) - 1.0) * math.sqrt(samples.second_variance)
    if depends.inflation <= 1.0 or abs(samples.second_mean) <= reach:
        return ""
    return (
        f"values resemble those before them so much (lag-1 autocorrelation {depends.lag_one:.2f}, n = {depends.values})"
        " that the mean of the denominator cannot be told from 0, and the ratio may be anything"
    )


def _independence(each: list[Dependence]) -> Assumption:
    if not all(depends.is_checked for depends in each):
        few = min(depends.values for depends in each)
        return Assumption("independence", None, f"{few} values cannot show it; {FEWEST_FOR_DEPENDENCE} are needed")
    found = " and ".join(f"{depends.lag_one:.2f}" for depends in each)
    allowed = ", allowed for" if any(depends.inflation > 1.0 for depends in each) else ""
    sizes = " and ".join(str(depends.values) for depends in each)
    finding = f"lag-1 autocorrelation {found}{allowed}, n = {sizes}"
    return judged_independence(
        "independence",
        finding,
        is_refuted=any(depends.is_plain for depends in each),
        is_shown=all(harmless(depends.lag_one, depends.values) for depends in each),
    )


def _allowed(each: list[Dependence]) -> str:
    return ", allowing for autocorrelation" if any(depends.inflation > 1.0 for depends in each) else ""


def _drift(depends: Dependence) -> str:
    return (
        f"values drift (lag-1 autocorrelation {depends.lag_one:.2f}, n = {depends.values}): where their mean would go "
        "is not known; alternate the alternatives"
    )


def _variance(centred: Sample) -> float:
    """Of the mean of values whose mean is 0."""
    n = len(centred)
    return float(np.dot(centred, centred)) / (n * (n - 1.0))


def _standardised(centred: Sample) -> Sample:
    mean_square = float(np.dot(centred, centred)) / len(centred)
    return centred / math.sqrt(mean_square) if mean_square > 0.0 else centred
