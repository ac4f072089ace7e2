"""What usual practices would have said, as plain data: the answer of `sonde bench lint --json`."""

import math
from typing import Any

from sonde.instruments.bench.practices import Claim, Lint, LintedComparison, LintedSeries


def lint_as_data(lint: Lint) -> dict[str, Any]:
    """All claims and reports; shares are between 0 and 1, values in the unit of their metric.

    A ratio is null where the mean of the first is 0; `why` and what each practice says hold all the same.
    """
    return {
        "resamples": lint.resamples,
        "ignore_below": lint.ignore_below,
        "comparisons": [_comparison_as_data(each) for each in lint.comparisons],
        "series": [_series_as_data(each) for each in lint.series],
    }


def _comparison_as_data(linted: LintedComparison) -> dict[str, Any]:
    comparison = linted.comparison
    ratio = comparison.ratio
    interval = ratio.interval if ratio is not None else None
    return {
        "benchmark": comparison.benchmark,
        "first": comparison.first_name,
        "second": comparison.second_name,
        "verdict": comparison.verdict,
        "why": comparison.why,
        "ratio": None if ratio is None else _finite(ratio.value),
        "interval": None if interval is None else [_finite(interval.low), _finite(interval.high)],
        "claims": [
            {**_claim_as_data(claim), "ignoring_small": _claim_as_data(above)}
            for claim, above in zip(linted.claims, linted.claims_above, strict=True)
        ],
    }


def _finite(number: float) -> float | None:
    """JSON has no NaN, as the ratio to a mean of 0 is, and no infinity."""
    return number if math.isfinite(number) else None


def _claim_as_data(claim: Claim) -> dict[str, Any]:
    return {
        "practice": claim.practice.name,
        "about": claim.practice.about,
        "ratio": _finite(claim.ratio),
        "says": claim.says,
        "is": claim.kind,
        "otherwise": claim.otherwise,
        "opposite": claim.opposite,
    }


def _series_as_data(linted: LintedSeries) -> dict[str, Any]:
    sample, mean = linted.summary.sample, linted.summary.mean
    interval = mean.interval if mean is not None else None
    return {
        "benchmark": sample.series.benchmark,
        "alternative": sample.series.alternative,
        "unit": sample.metric.unit,
        "mean": None if mean is None else _finite(mean.value),
        "interval": None if interval is None else [_finite(interval.low), _finite(interval.high)],
        "reports": [
            {
                "practice": report.practice.name,
                "about": report.practice.about,
                "value": _finite(report.value),
                "low": _finite(report.low),
                "high": _finite(report.high),
                "inside": report.inside,
            }
            for report in linted.reports
        ],
    }
