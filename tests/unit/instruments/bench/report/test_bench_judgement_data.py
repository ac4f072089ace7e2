"""A judgement as plain data: all of it, and nothing that JSON has no word for."""

import json
import math

import numpy as np

from made_judgements import made_comparison, made_judgement, made_sample, made_steady_sample, made_summary
from sonde.instruments.bench.measurements import Doubt
from sonde.instruments.bench.report import as_plain, judgement_as_data


def test_every_value_of_every_sample_is_in_it() -> None:
    old, new = made_sample([1.0, 1.1, 0.9]), made_sample([1.2, 1.3], alternative="new")
    comparison = made_comparison("unclear", 1.25, (0.9, 1.6), first=old, second=new)
    data = judgement_as_data(made_judgement(summaries=[made_summary(old, (0.8, 1.2))], comparisons=[comparison]))
    assert [sample["values"] for sample in data["samples"]] == [[1.0, 1.1, 0.9], [1.2, 1.3]]
    assert data["summaries"][0]["sample"] == data["comparisons"][0]["first"] == 0
    assert data["comparisons"][0]["second"] == 1


def test_intervals_carry_level_method_and_sizes() -> None:
    data = judgement_as_data(made_judgement(comparisons=[made_comparison("worse", 1.2, (1.1, 1.3))]))
    [comparison] = data["comparisons"]
    assert comparison["ratio"]["interval"] == {"low": 1.1, "high": 1.3, "level": 0.95}
    assert comparison["ratio"]["method"] == "by hand"
    assert comparison["ratio"]["sizes"] == [30, 30]
    assert data["verdicts"] == {"worse": 1, "better": 0, "unclear": 0, "same": 0}
    assert data["has_regression"] is True


def test_an_interval_that_was_withheld_is_null_and_says_why() -> None:
    data = judgement_as_data(made_judgement(summaries=[made_summary(made_sample([1.0]), withheld="one value")]))
    assert data["summaries"][0]["mean"]["interval"] is None
    assert data["summaries"][0]["mean"]["withheld"] == "one value"


def test_what_is_no_finite_number_is_null() -> None:
    comparison = made_comparison("unclear", math.nan, (-math.inf, math.inf))
    text = json.dumps(judgement_as_data(made_judgement(comparisons=[comparison])), allow_nan=False)
    ratio = json.loads(text)["comparisons"][0]["ratio"]
    assert ratio["value"] is None
    assert ratio["interval"] == {"low": None, "high": None, "level": 0.95}


def test_failures_and_steady_states_are_told() -> None:
    failed = made_sample([1.0], failures=["exit code 3: no data"])
    steady = made_steady_sample([[2.0, 1.0, 1.0], [2.0, 1.0, 1.0]], steady_from=1)
    data = judgement_as_data(made_judgement(summaries=[made_summary(failed), made_summary(steady)]))
    assert data["samples"][0]["failures"] == [{"invocation": 1, "outcome": "failed", "detail": "exit code 3: no data"}]
    assert data["samples"][1]["steady_from"] == [1, 1]
    assert data["samples"][1]["steadiness"] == ["warm-up", "warm-up"]


def test_doubts_and_the_method_are_in_it() -> None:
    data = judgement_as_data(made_judgement(doubts=[Doubt("busy", "others ran", "stop them")], unmatched=["x"]))
    assert data["doubts"] == [{"slug": "busy", "text": "others ran", "hint": "stop them"}]
    assert data["unmatched"] == ["x"]
    assert data["method"] == ["Everything here is made up."]
    assert data["policy"]["level"] == 0.95


def test_numbers_of_numpy_become_numbers_of_json() -> None:
    assert as_plain((np.float64(1.5), np.int64(2), np.bool_(True), np.float64("nan"))) == [1.5, 2, True, None]
