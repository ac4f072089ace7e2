"""What alternatives are compared with: the first, or the one that was asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from made_measurements import measurements, start_up
from sonde.base.errors import UsageError
from sonde.cli.main import main
from sonde.instruments.bench import Policy
from sonde.instruments.bench.judging import judge
from sonde.instruments.bench.measurements import Invocation, Measurements, Series
from sonde.instruments.bench.report.headline import headline
from sonde.instruments.bench.results_file import write_results


def three(benchmark: str = "sort", names: str = "abc") -> Measurements:
    random = np.random.default_rng(5)
    return measurements(
        *[start_up(benchmark, name, (i + 1) * random.normal(1.0, 0.01, 20)) for i, name in enumerate(names)]
    )


@pytest.mark.parametrize("asked", ["b", "2"])
def test_ratios_are_against_the_baseline(asked: str) -> None:
    found = judge(three(), baseline=asked).comparisons
    assert [(each.first_name, each.second_name) for each in found] == [("b", "a"), ("b", "c")]
    for each, expected in zip(found, (1 / 2, 3 / 2), strict=True):
        assert each.ratio is not None and each.ratio.value == pytest.approx(expected, rel=0.02)


def test_a_name_that_is_a_number_is_a_name() -> None:
    [first, second] = judge(three(names="321"), baseline="3").comparisons
    assert (first.first_name, first.second_name, second.second_name) == ("3", "2", "1")


def broken(name: str, values: int = 0) -> Series:
    """An alternative that failed three times, after some invocations that ended well."""
    whole = start_up("sort", name, np.linspace(1.0, 1.1, values))
    failed = (Invocation(np.array([]), "failed", "exit code 1", round=values + i) for i in range(3))
    return replace(whole, invocations=(*whole.invocations, *failed))


@pytest.mark.parametrize("place", [0, 2, 3])
@pytest.mark.parametrize("values", [0, 1, 4])
def test_one_that_failed_leaves_the_others_in_their_order(place: int, values: int) -> None:
    series = list(three().series)
    found = judge(measurements(*series[:place], broken("bad", values), *series[place:]), Policy())

    assert {each.first_name for each in found.comparisons} == {"a"}
    (first, *more) = headline(found)
    assert first.startswith("a is fastest: b is 1.99 times [") and ", c is 3.01 times [" in first
    assert more == ["bad failed."]
    assert headline(judge(measurements(*series), Policy())) == (first,)


def test_of_two_that_are_left_one_is_faster() -> None:
    found = judge(measurements(broken("bad"), *three().series[:2], broken("worse")), Policy())
    said = headline(found)
    assert said[0].startswith("b is ") and said[0].endswith(" slower than a.")
    assert said[1:] == ("bad and worse failed.",)


def test_where_all_but_one_failed_nothing_is_compared() -> None:
    said = headline(judge(measurements(broken("bad"), broken("worse"), three().series[0]), Policy()))
    assert said == ("bad and worse failed: only a ended well, and nothing can be compared.",)
    said = headline(judge(measurements(broken("bad"), broken("worse"), broken("worst")), Policy()))
    assert said == ("bad, worse and worst failed: nothing can be compared.",)


def test_one_that_never_ended_well_does_not_hide_the_others_metric() -> None:
    """Of the processor time of what failed, nothing is known."""

    def with_processor_time(series: Series) -> Series:
        timed = [replace(each, process={"user": float(each.values[0])}) for each in series.invocations]
        return replace(series, invocations=tuple(timed))

    a, b, _ = map(with_processor_time, three().series)
    found = judge(measurements(a, b, broken("bad")), Policy(metric="user"))
    said = headline(found)
    assert said[0].startswith("b is ") and said[0].endswith(" than a.")
    assert said[1:] == ("bad failed.",)


@pytest.mark.parametrize(
    ("asked", "hint"), [("ab", "did you mean 'b' or 'a'?"), *((each, "known are a, b, c") for each in ("4", "0", "-1"))]
)
def test_what_is_no_alternative_is_refused_with_those_that_are_near(asked: str, hint: str) -> None:
    with pytest.raises(UsageError, match="neither the name of an alternative nor a number from 1 to 3") as refused:
        judge(three(), baseline=asked)
    assert refused.value.slug == "no-such-alternative"
    assert refused.value.hint == hint


def test_a_benchmark_without_the_baseline_is_compared_with_its_first_and_says_so() -> None:
    both = measurements(*three().series, *three("search", "xy").series)
    judgement = judge(both, baseline="c")
    assert [(each.benchmark, each.first_name) for each in judgement.comparisons] == [
        ("sort", "c"),
        ("sort", "c"),
        ("search", "x"),
    ]
    assert [doubt.kind for doubt in judgement.doubts] == ["other-baseline"]


def test_who_is_best_does_not_depend_on_the_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_results(tmp_path / "r.sonde", three())
    for asked in ("a", "b", "3"):
        assert main(["bench", "show", str(tmp_path / "r.sonde"), "--baseline", asked]) == 0
        assert "a is fastest: " in capsys.readouterr().out


def test_a_baseline_that_is_not_there_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = tmp_path / "ran"
    assert main(["bench", f"touch {ran}", "true", "--baseline", "tru", "--quiet"]) == 2
    assert "cannot compare with 'tru'" in (said := capsys.readouterr().err) and "'true'" in said
    assert not ran.exists()
