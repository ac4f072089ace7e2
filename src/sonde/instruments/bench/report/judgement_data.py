"""A judgement as plain data: everything that is printed and everything it was computed from, for programs."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sonde.instruments.bench.judging import Comparison, GroupComparison, Judgement, Sample, Summary


def judgement_as_data(judgement: Judgement) -> dict[str, Any]:
    """All samples with their values, summaries, comparisons with their intervals, and the method, for `--json`.

    Values are in the unit of their metric, which stands beside them. Summaries and comparisons name their samples by
    index into `samples`. What is not a finite number, which JSON has no word for, is null; so are both intervals that
    were withheld, whose reason then stands in `withheld`, and ends of intervals that are infinite.

    Cost: O(n) for n values of samples; iterations are not in it: the results file keeps them.
    """
    samples = _Samples()
    summaries = [_summary(summary, samples) for summary in judgement.summaries]
    comparisons = [_comparison(comparison, samples) for comparison in judgement.comparisons]
    counts = judgement.counts()
    return {
        "has_regression": judgement.has_regression,
        "verdicts": {verdict: counts[verdict] for verdict in ("worse", "better", "unclear", "same")},
        "geometric_mean_ratio": as_plain(judgement.geometric_mean),
        "policy": as_plain(judgement.policy),
        "comparisons": comparisons,
        "groups": [_group(group) for group in judgement.groups],
        "summaries": summaries,
        "samples": [_sample(sample) for sample in samples.listed],
        "unmatched": list(judgement.unmatched),
        "doubts": as_plain(judgement.doubts),
        "provenances": as_plain(judgement.provenances),
        "method": list(judgement.method),
    }


def as_plain(value: object) -> Any:
    """Dictionaries, lists, strings and numbers for any value of statistics and judgements, field by field.

    >>> as_plain({"ends": (1.5, float("inf")), "counts": np.array([1, 2])})
    {'ends': [1.5, None], 'counts': [1, 2]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_plain(one) for key, one in value.items()}
    if isinstance(value, Iterable):
        return [as_plain(one) for one in value]
    return str(value)


class _Samples:
    """Samples in order of appearance; summaries and comparisons share them."""

    def __init__(self) -> None:
        self.listed: list[Sample] = []
        self._number: dict[int, int] = {}

    def number(self, sample: Sample) -> int:
        number = self._number.setdefault(id(sample), len(self.listed))
        if number == len(self.listed):
            self.listed.append(sample)
        return number


def _sample(sample: Sample) -> dict[str, Any]:
    series = sample.series
    return {
        "benchmark": series.benchmark,
        "alternative": series.alternative,
        "levels": dict(series.levels),
        "mode": series.mode,
        "metric": as_plain(sample.metric),
        "n": len(sample.values),
        "values": as_plain(sample.values),
        "invocations": list(sample.counted),
        "rounds": list(sample.rounds),
        "steady_from": list(sample.steady_from),
        "steady_to": list(sample.steady_to),
        "steadiness": [steadiness.kind for steadiness in sample.steadiness],
        "failed": sample.failed,
        "failures": [
            {"invocation": i, "outcome": invocation.outcome, "detail": invocation.detail}
            for i, invocation in enumerate(series.invocations)
            if invocation.outcome != "ok"
        ],
        "warm_up_rounds": sample.warm_up_rounds,
        "unsettled": sample.unsettled,
        "unsupported": sample.unsupported,
    }


def _summary(summary: Summary, samples: _Samples) -> dict[str, Any]:
    return {"sample": samples.number(summary.sample)} | {
        field.name: as_plain(getattr(summary, field.name))
        for field in dataclasses.fields(summary)
        if field.name != "sample"
    }


def _comparison(comparison: Comparison, samples: _Samples) -> dict[str, Any]:
    first, second = samples.number(comparison.first), samples.number(comparison.second)
    return {
        "benchmark": comparison.benchmark,
        "first_name": comparison.first_name,
        "second_name": comparison.second_name,
        "first": first,
        "second": second,
        "verdict": comparison.verdict,
        "is_regression": comparison.is_regression,
        "why": comparison.why,
        "ratio": as_plain(comparison.ratio),
        "difference": as_plain(comparison.difference),
        "test": as_plain(comparison.test),
        "adjusted_p": as_plain(comparison.adjusted_p),
        "paired": comparison.paired,
        "invocations_needed": comparison.needed,
    }


def _group(group: GroupComparison) -> dict[str, Any]:
    return {
        "benchmark": group.benchmark,
        "alternatives": list(group.alternatives),
        "variance": as_plain(group.variance),
        "factors": as_plain(group.factors),
        "pairs": as_plain(group.pairs),
        "withheld": group.withheld,
    }
