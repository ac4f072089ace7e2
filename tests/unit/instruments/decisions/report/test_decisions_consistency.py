"""What tells groups of runs apart, on a terminal and as data: ranked, with ranges, and what cannot be concluded."""

import json
from dataclasses import replace
from typing import Any, Literal

import pytest

from made_consistency import SUBJECTS, consistency, everything, found
from made_decisions import GET, WORK
from report_json import all_rows, facts, notices
from sonde.base.fitted_text import display_width
from sonde.instruments.decisions.groups import CallSubject, Consistency, Difference, Subject
from sonde.instruments.decisions.model import Offsets
from sonde.instruments.decisions.options import ConsistencyLimits
from sonde.instruments.decisions.report import consistency_report
from sonde.instruments.decisions.report.subject_words import range_text, subject_kind, subject_texts
from sonde.render.report_json import report_data
from sonde.render.terminal.report_text import report_text


def printed(
    said: Consistency, limits: ConsistencyLimits | None = None, *, width: int = 80, is_verbose: bool = False
) -> str:
    return report_text(consistency_report(said, limits), columns=width, is_verbose=is_verbose)


def data_of(said: Consistency) -> Any:
    return json.loads(json.dumps(report_data(consistency_report(said))))


@pytest.mark.parametrize("width", [20, 80, 120])
@pytest.mark.parametrize("subject", SUBJECTS, ids=subject_kind)
def test_every_subject_fits(subject: Subject, width: int) -> None:
    text = printed(consistency(found(subject)), width=width)
    assert all(display_width(line) <= width for line in text.splitlines())
    assert subject_texts(subject, 200, offsets="bytecode index")[0] in printed(
        consistency(found(subject)), ConsistencyLimits(wide=True), width=1000
    )


def test_nothing_found_is_said() -> None:
    text = printed(consistency(remarks=("nothing can be concluded from 2 fast and 2 slow runs",)))
    assert text.splitlines()[1] == "nothing is one way in all fast runs and another in all slow ones."
    assert "! nothing can be concluded from 2 fast and 2 slow runs" in text


def test_what_may_be_chance_stands_apart() -> None:
    text = printed(everything())
    assert text.index("what tells fast from slow") < text.index("may be chance") < text.index("0.3")


def test_rows_limit_findings_and_the_rest_is_counted() -> None:
    many = consistency(*(found(CallSubject(WORK, at, GET)) for at in range(30)))
    assert "\N{HORIZONTAL ELLIPSIS} 20 more" in printed(many, ConsistencyLimits(rows=10))


def test_what_is_no_share_is_not_in_percent() -> None:
    assert range_text(Difference("types", (3.0, 4.0), (1.0,), 0, 0.1, 0.1), is_fast=True) == "3-4"


def test_data_has_every_value() -> None:
    data = data_of(everything())
    first = all_rows(data, "findings")[0]
    assert (first["about"], first["subject"]["callee"], first["conclusive"]) == ("call", GET, True)
    assert first["differences"][0]["fast"] == [1.0, 0.75]
    assert [row["about"] for row in all_rows(data, "followers")] == [
        "call",
        "call in context",
        "decision",
        "method",
        "phase",
        "receivers",
    ]
    assert first["slow_reasons"][0] == {"text": "too big", "runs": 2, "asked": 3}
    assert [row["conclusive"] for row in all_rows(data, "chance")] == [False]
    assert [notice["text"] for notice in notices(data)] == ["1 of 10 runs have no times"]
    assert [row["group"] for row in all_rows(data, "runs")] == ["fast"] * 5 + ["slow"] * 5


@pytest.mark.parametrize(
    ("offsets", "lines_from", "told"),
    [
        ("bytecode index", "file", "at bci 5 in "),
        ("line", "file", "at line 5 in "),
        ("line", "method", "at line 6 of "),
    ],
)
def test_places_are_told_in_what_they_count(offsets: Offsets, lines_from: Literal["file", "method"], told: str) -> None:
    made = replace(consistency(found(SUBJECTS[0])), offsets=offsets, lines_from=lines_from)

    assert told in printed(made, is_verbose=True)
    limits = facts(data_of(made), "limits")
    assert (limits["offsets"], limits["lines_from"]) == (offsets, lines_from)


def test_one_difference_follows() -> None:
    first = found(SUBJECTS[0])
    first.followers = [found(SUBJECTS[3])]

    assert "1 difference follows: " in printed(consistency(first))


def test_decisions_that_were_left_out_are_counted_only_if_there_are_any() -> None:
    made = replace(consistency(found(SUBJECTS[0])), left_out=1200)

    assert "1,200 decisions of detailed phases not compared: --no-remove-detailed-phases" in printed(
        made, is_verbose=True
    )
    assert facts(data_of(made), "limits")["left_out"] == 1200
    assert "not compared" not in printed(replace(made, left_out=0), is_verbose=True)
