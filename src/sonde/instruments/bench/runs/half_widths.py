"""How precise the comparisons of what was measured so far are."""

from dataclasses import replace

from sonde.instruments.bench.judging import Sample, judge, take_samples
from sonde.instruments.bench.measurements import Measurements
from sonde.instruments.bench.policy import Policy
from sonde.instruments.bench.runs.course import HalfWidths
from sonde.stats import Estimate, expected_half_width, is_constant


def half_widths_by(policy: Policy) -> HalfWidths:
    """What asks for the intervals that will be reported under a policy, at another level.

    For several alternatives those are the intervals of their ratios to the first. For one, it is the width that the
    interval of its mean has on average: its own varies by a third from sample to sample, and who stops where it is
    small by chance stops too early.
    """

    def half_widths(measurements: Measurements, level: float) -> dict[tuple[str, str], float | None]:
        if len(measurements.series) == 1:
            (sample,) = take_samples(measurements.series, policy)
            key = (measurements.series[0].benchmark, measurements.series[0].alternative)
            return {key: 0.0 if _is_constant(sample) else _expected(sample, level)}
        judgement = judge(measurements, replace(policy, level=level), detailed=False)
        return {
            (one.benchmark, one.second_name): 0.0
            if _is_constant(one.first) and _is_constant(one.second)
            else _relative(one.ratio)
            for one in judgement.comparisons
        }

    return half_widths


def _is_constant(sample: Sample) -> bool:
    """Whether all values are the same, as peak memory may be: that gives no interval, and repeating does not help."""
    return len(sample.values) > 1 and is_constant(sample.values)


def _expected(sample: Sample, level: float) -> float | None:
    if not len(sample.values) or not sample.values.mean():
        return None
    width = expected_half_width(sample.values, level)
    return None if width is None else width / abs(float(sample.values.mean()))


def _relative(estimate: Estimate | None) -> float | None:
    if estimate is None or estimate.interval is None or not estimate.value:
        return None
    return estimate.interval.half_width / abs(estimate.value)
