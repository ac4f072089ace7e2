"""What is read first of a judgement: which alternative is best, what changed, and what cannot be told."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from made_judgements import made_comparison, made_judgement, made_sample, made_summary, many, two_alternatives
from made_measurements import measurements, start_up
from sonde.evidence import Doubt
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import Judgement, judge, lead_of
from sonde.instruments.bench.measurements import Metric, Provenance
from sonde.instruments.bench.practices import lint
from sonde.instruments.bench.report import judgement_report, lint_report
from sonde.render.terminal.report_text import report_text
from sonde.report import Notices

FILES = (Provenance("made 1.0", "old.sonde"), Provenance("made 1.0", "new.sonde"))


def headline(judgement: Judgement) -> tuple[str, ...]:
    return judgement_report(judgement).headline


def judged(means: Mapping[str, float], *, spread: float = 0.02, rounds: int = 30) -> Judgement:
    """Alternatives whose values are spread around these means, in turns."""
    random = np.random.default_rng(7)
    return judge(
        measurements(*[start_up("b", name, mean * random.normal(1.0, spread, rounds)) for name, mean in means.items()])
    )


@pytest.mark.parametrize(
    ("verdict", "ratio", "ends", "said"),
    [
        ("better", 0.725, (0.709, 0.741), "new is 1.38 times [1.35, 1.41] faster than old."),
        ("worse", 1.5, (1.45, 1.55), "new is 1.50 times [1.45, 1.55] slower than old."),
        ("worse", 1.023, (1.011, 1.035), "new is 2.3% [1.1%, 3.5%] slower than old."),
        ("same", 1.0, (0.995, 1.004), "old and new: no difference beyond 1%; new takes 0.995 to 1.004 times as long."),
        ("unclear", 1.0, (0.99, 1.02), "old and new cannot be told apart: new takes 0.99 to 1.02 times as long."),
        ("unclear", 1.0, None, "old and new: unclear by hand."),
    ],
)
def test_of_two_it_says_how_much_faster_or_that_it_cannot_be_told(
    verdict: str, ratio: float, ends: tuple[float, float] | None, said: str
) -> None:
    comparison = made_comparison(verdict, ratio, ends)  # type: ignore[arg-type]  # one of the four verdicts
    assert headline(made_judgement(comparisons=[comparison])) == (said,)


def test_how_many_more_invocations_would_tell_is_a_sentence_of_its_own() -> None:
    comparison = made_comparison("unclear", 1.0, (0.9, 1.1), needed=1234)
    assert headline(made_judgement(comparisons=[comparison]))[1:] == ("1,234 invocations of each would probably tell.",)


def test_of_many_it_names_the_fastest_those_like_it_and_the_slowest() -> None:
    [said] = headline(judged({"a": 1.0, "b": 0.7, "c": 0.701, "d": 1.5}))
    first, second, third = said.split("; ")
    assert first.startswith("b is fastest: 1.4") and first.endswith("] faster than a")
    assert second == "c cannot be told from b"
    assert third.startswith("d is slowest: 1.5") and third.endswith("] slower than a.")


def test_where_the_baseline_is_fastest_the_others_are_told_against_it() -> None:
    [said] = headline(judged({"a": 1.0, "b": 1.5, "c": 2.0}))
    assert said.startswith("a is fastest: b is 1.5") and ", c is 2.0" in said


def test_where_nothing_can_be_told_nothing_is_called_fastest() -> None:
    [said] = headline(judged({"a": 1.0, "b": 1.0, "c": 1.0}, spread=0.1))
    assert "cannot be told from" in said and "is fastest" not in said and "times" not in said


def test_throughput_that_is_higher_is_best() -> None:
    rate = Metric("throughput", "ops/s", "higher")
    random = np.random.default_rng(1)
    series = [
        start_up("b", name, mean * random.normal(1.0, 0.01, 20), metric=rate)
        for name, mean in {"a": 1.0, "b": 2.0}.items()
    ]
    assert headline(judge(measurements(*series)))[0].endswith("higher than a.")


def test_of_files_it_counts_what_changed_and_names_the_extremes() -> None:
    judgement = replace(many(60), provenances=FILES, geometric_mean=1.0234)
    assert headline(judgement) == (
        "10 of 60 benchmarks became slower, 10 faster; 30 are the same, 10 cannot be told.",
        "Worst suite.bench_9 (19.0% [5.0%, 30.0%] slower); best suite.faster_0 (10.0% [5.0%, 20.0%] faster);"
        " geometric mean of ratios 1.023.",
    )


def test_of_files_with_one_benchmark_it_says_what_became_of_that() -> None:
    comparison = made_comparison("worse", 1.2, (1.1, 1.3), is_regression=False)
    policy = Policy(tolerance=0.3)
    judgement = replace(made_judgement(comparisons=[comparison], policy=policy), provenances=FILES)
    assert headline(judgement) == ("json became 1.20 times [1.10, 1.30] slower, within the tolerance of 30%.",)
    unclear = made_judgement(comparisons=[made_comparison("unclear", 1.0, (0.9, 1.1))])
    assert headline(replace(unclear, provenances=FILES)) == (
        "Whether json changed cannot be said: it takes 0.90 to 1.10 times as long as before.",
    )


def test_one_series_alone_has_its_mean() -> None:
    summary = made_summary(made_sample([1.0, 1.1, 0.9]), (0.9, 1.1))
    assert headline(made_judgement(summaries=[summary])) == ("old takes 1.00 s [0.90, 1.10].",)


def test_what_four_commands_are_is_told_in_at_most_25_lines() -> None:
    judgement = judged(
        {f"python {name}.py --input data.json": mean for name, mean in (("a", 1), ("b", 2), ("c", 1.5), ("d", 1.51))}
    )
    doubts = tuple(Doubt(kind, "a sentence", hint="do") for kind in ("turbo", "virtual-machine", "layout-fixed"))
    lines = report_text(judgement_report(replace(judgement, doubts=doubts)), columns=80).splitlines()
    assert "is fastest" in lines[1]
    assert len(lines) <= 25


def test_what_rounds_share_is_doubtful_only_where_something_cannot_be_told() -> None:
    busy, fixed = Doubt("busy-machine", "others ran"), Doubt("layout-fixed", "laid out alike")

    def first_doubts(means: Mapping[str, float]) -> str:
        report = judgement_report(replace(judged(means), doubts=(busy, fixed)))
        doubt, more = report_text(report, columns=200).splitlines()[-2:]
        return f"{doubt} {more.partition(',')[0]}"

    assert first_doubts({"a": 1.0, "b": 2.0}) == "! laid out alike (layout-fixed) -v: 4 remarks"
    assert first_doubts({"a": 1.0, "b": 1.001}) == "! others ran (busy-machine) -v: 1 more doubt"


def test_a_difference_that_rests_on_equal_spreads_which_are_not_is_none() -> None:
    # In rounds, the spread of all is pooled: beside many that hardly vary, one that varies much passes for different.
    random = np.random.default_rng(0)
    values = {name: 1.0 + random.normal(0.0, 0.001, 12) for name in "abcdefgh"}
    values["i"] = 1.035 + 0.05 * np.tile([1.0, -1.0], 6)
    judgement = judge(measurements(*[start_up("b", name, found) for name, found in values.items()]))
    [group] = judgement.groups
    assert {(pair.first, pair.second) for pair in group.unsure} == {(name, "i") for name in "abcdefgh"}
    lead = lead_of(group, judgement.comparisons)
    assert lead is not None and lead.worst == ""
    [notices] = [block for block in judgement_report(judgement).blocks if isinstance(block, Notices)]
    [doubt] = [notice.detail for notice in notices.notices if notice.weight == "doubt"]
    assert doubt.startswith("without what does not hold, 8 differences of 36 cannot be told: i - a, ")


def test_the_report_of_two_alternatives_begins_with_its_answer() -> None:
    lines = report_text(judgement_report(two_alternatives()), columns=80).splitlines()
    assert lines[:2] == [
        "json: python b.py against python a.py",
        "python b.py is 2.3% [1.1%, 3.5%] slower than python a.py, beyond the tolerance",
    ]


def test_how_many_practices_mislead_is_the_first_sentence_of_lint() -> None:
    random = np.random.default_rng(4)
    noise = [start_up("b", name, random.normal(1.0, 0.1, 20)) for name in "ab"]
    linted = lint(judge(measurements(*noise)))
    [one] = linted.comparisons
    wrong = [claim.practice.name for claim in one.claims if claim.kind in ("misleading", "incorrect")]
    [said] = lint_report(linted).headline
    assert said.startswith(f"{len(wrong)} of {len(one.claims)} practices would have misled: {wrong[0]}")


def test_guarantee_equals_are_seldom_called_worse_than_the_best() -> None:
    random = np.random.default_rng(11)
    wrong = 0
    for _ in range(150):
        rounds = random.normal(0.0, 0.1, 12)  # what a round does to all
        series = [start_up("b", name, np.exp(rounds + random.normal(0.0, 0.05, 12))) for name in "abcd"]
        judgement = judge(measurements(*series), detailed=False)
        lead = lead_of(judgement.groups[0], judgement.comparisons)
        assert lead is not None
        wrong += len(lead.tied) < 3
    assert wrong <= 16  # of 150, 5 % are 7.5; beyond 16 lies one case in 500
