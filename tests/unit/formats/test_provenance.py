"""What files say about how far their values may be from the truth, and where the weight of contexts given up is."""

import gzip
import json
from array import array
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from callgrind_reader import read_callgrind
from pprof_reader import read_pprof
from sonde.cli import main
from sonde.formats import FORMATS, METRICS, Format, Metric, doubts, format_named
from sonde.formats.frame_name import NOT_LISTED
from sonde.formats.provenance import statements
from sonde.instruments.contexts.profile import (
    Approximation,
    ContextProfile,
    MeasuredProcess,
    Run,
    Sampling,
    read_profile,
    write_profile,
)
from strategies import profiles
from tree_builder import profile_of

OF_CONTEXTS = [each for each in FORMATS if each.kind == "contexts"]

OUTLINE = """
main 10
  parse @101 20 x5
tiny 3 x2
"""
TOTALS: dict[Metric, int] = {"time": 10 + 20 + 3 + 500, "calls": 1 + 5 + 2 + 40}
BOUNDS = Approximation(metric="time", phi=0.1, epsilon=0.02, floor=17, counters=50)
BURSTS = Sampling(interval_ns=20_000_000, burst_ns=2_000_000, bursts=37, fraction=0.101, adaptive=0.25)


def bounded() -> ContextProfile:
    """A profile of which roots were given up, with 500 ns and 40 calls."""
    exact = profile_of(OUTLINE)
    profile = replace(
        exact,
        contexts=replace(exact.contexts, error=array("q", [0, 9, 4])),
        approximation=BOUNDS,
        pruned_root_calls=40,
        pruned_root_ns=500,
    )
    profile.check_valid()
    return profile


def sampled(profile: ContextProfile) -> ContextProfile:
    size = len(profile.contexts)
    contexts = replace(
        profile.contexts, calls_deviation=array("q", range(size)), ns_deviation=array("q", range(60, 60 + size))
    )
    return replace(profile, contexts=contexts, sampling=BURSTS)


def written(each: Format, profile: ContextProfile, metric: Metric | None = None) -> bytes:
    stream = BytesIO()
    each.write(profile, stream, metric=metric)
    return stream.getvalue()


def top_of_speedscope(data: bytes) -> tuple[int, int]:
    """Width of the whole, and of the boxes at the top that are for what is not listed."""
    document: dict[str, Any] = json.loads(data)
    unlisted = len(document["shared"]["frames"]) - 1
    assert document["shared"]["frames"][unlisted]["name"] == NOT_LISTED
    events = document["profiles"][0]["events"]
    return document["profiles"][0]["endValue"], widths_at_the_top(
        (event["type"] == "O", event["frame"] == unlisted, event["at"]) for event in events
    )


def top_of_chrome(data: bytes, per_microsecond: int) -> tuple[int, int]:
    events = [event for event in json.loads(data)["traceEvents"] if event["ph"] in "BE"]
    ends = [round(event["ts"] * per_microsecond) for event in events]
    return ends[-1], widths_at_the_top(
        (event["ph"] == "B", event.get("name") == NOT_LISTED, at) for event, at in zip(events, ends, strict=True)
    )


def widths_at_the_top(events: Any) -> int:
    depth = width = began = 0
    is_unlisted = False
    for opens, names_unlisted, at in events:
        if opens and not depth:
            began, is_unlisted = at, names_unlisted
        depth += 1 if opens else -1
        if not depth and is_unlisted:
            width += at - began
    return width


def top_of_collapsed(data: bytes) -> tuple[int, int]:
    lines = [line.rsplit(" ", 1) for line in data.decode().splitlines()]
    return sum(int(weight) for _, weight in lines), sum(int(weight) for stack, weight in lines if stack == NOT_LISTED)


def top_of_pprof(data: bytes, value: int) -> tuple[int, int]:
    samples = [([name for name, _ in stack], values[value]) for stack, values in read_pprof(data).samples]
    return sum(weight for _, weight in samples), sum(weight for stack, weight in samples if stack == [NOT_LISTED])


def top_of_callgrind(data: bytes) -> tuple[int, int]:
    sums = read_callgrind(data)
    return sum(sums.own.values()), sums.called["???", NOT_LISTED, 0]


READERS: dict[str, Callable[[bytes, Metric], tuple[int, int]]] = {
    "speedscope": lambda data, _: top_of_speedscope(data),
    "chrome": lambda data, metric: top_of_chrome(data, 1000 if metric == "time" else 1),
    "collapsed": lambda data, _: top_of_collapsed(data),
    "pprof": lambda data, metric: top_of_pprof(data, 0 if metric == "calls" else 1),
    "callgrind": lambda data, _: top_of_callgrind(data),
}


def test_every_format_is_read_here() -> None:
    assert set(READERS) == {each.name for each in OF_CONTEXTS}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
def test_roots_that_were_given_up_are_one_box_at_the_top(each: Format, metric: Metric) -> None:
    whole, unlisted = READERS[each.name](written(each, bounded(), metric), metric)

    assert whole == TOTALS[metric]
    assert unlisted == (500 if metric == "time" else 40)


@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
def test_roots_that_were_not_read_are_in_it_too(each: Format, tmp_path: Path) -> None:
    write_profile(tmp_path / "run.sonde", profile_of(OUTLINE))
    part = read_profile(tmp_path / "run.sonde", heaviest=2)

    whole, unlisted = READERS[each.name](written(each, part, "time"), "time")

    assert (whole, unlisted) == (33, 3)


@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
def test_a_profile_of_which_nothing_was_kept_has_all_its_weight(each: Format) -> None:
    nothing = replace(bounded(), contexts=bounded().contexts.of_rows([]))

    assert READERS[each.name](written(each, nothing, "time"), "time") == (500, 500)


@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
def test_an_exact_profile_read_whole_has_no_such_box(each: Format) -> None:
    data = written(each, profile_of(OUTLINE), "time")

    assert READERS[each.name](data, "time") == (33, 0)


def test_bounds_are_said_with_their_metric_and_amount() -> None:
    said = doubts(bounded())

    assert said == [
        "approximate: hot contexts have at least 10% of the time, that is 53 ns; 50 were monitored at once",
        "approximate: self times of listed contexts are at most 9 ns too low, no context given up has more than 17 ns",
        "approximate: call counts are lower bounds",
        "approximate: what contexts given up had is in '(not listed)' below their callers, or at the top",
    ]


def test_bounds_of_calls_have_no_times_beside_them_when_none_were_measured() -> None:
    profile = bounded()
    zeros = array("q", [0, 0, 0])
    profile = replace(
        profile,
        run=Run(clock="none"),
        contexts=replace(profile.contexts, self_ns=zeros, total_ns=zeros),
        pruned_root_ns=0,
        approximation=replace(BOUNDS, metric="calls"),
    )

    said = " ".join(doubts(profile))

    assert "call counts of listed contexts are at most 9 calls too low" in said
    assert "self times" not in said
    assert " ns" not in said


def test_a_summary_that_gave_nothing_up_is_said_to_be_what_was_counted() -> None:
    profile = replace(profile_of(OUTLINE), approximation=replace(BOUNDS, floor=0))

    assert doubts(profile) == []
    assert "no context was given up, self times are what was counted" in statements(profile)
    assert all(each.startswith("sampled: ") for each in doubts(sampled(profile)))
    assert any(
        each.endswith("what was counted, scaled up from what was watched") for each in statements(sampled(profile))
    )


def test_a_sample_is_said_with_its_share_of_the_run_and_its_largest_standard_errors() -> None:
    assert doubts(sampled(profile_of(OUTLINE))) == [
        "sampled: 10.1% of the run was watched, in 37 bursts of 2000000 ns, 20000000 ns apart (where much was seen"
        " before, 25% of the bursts took place); values are scaled up to the whole run",
        "sampled: standard errors of a listed context's own values are at most 2 calls and 62 ns; each is in the"
        " profile alone",
    ]


@given(profiles(approximate=True))
def test_only_what_is_exact_is_not_doubted(profile: ContextProfile) -> None:
    said = doubts(profile)

    assert any(each.startswith("approximate: ") for each in said) == profile.left_something_out
    assert any(each.startswith("sampled: ") for each in said) == (profile.sampling is not None)


@pytest.mark.parametrize("each", [each for each in OF_CONTEXTS if each.holds_losses], ids=lambda each: each.name)
def test_files_with_room_for_it_hold_every_doubt(each: Format) -> None:
    profile = sampled(bounded())

    data = written(each, profile)

    text = (gzip.decompress(data) if each.binary else data).decode("utf-8", "replace")
    assert [doubt for doubt in doubts(profile) if doubt not in text] == []


def watched(taken_ns: int) -> ContextProfile:
    """A profile of a process with 8 calls, of whose times so much was taken out."""
    costs_ns = (20.0, 21.25, 0.0, 0.0) if taken_ns else ()
    process = MeasuredProcess(7, 1, "a", "3.12.1", "cpython-monitoring", 1, 8, "exited 0", taken_ns, costs_ns)
    return replace(profile_of(OUTLINE), processes=(process,))


@pytest.mark.parametrize("name", ["pprof", "callgrind"])
def test_files_with_comments_say_what_was_taken_out_of_the_times(name: str) -> None:
    each = format_named(name)
    texts = [written(each, watched(taken_ns)) for taken_ns in (330, 0)]
    taken, raw = (gzip.decompress(data) if each.binary else data for data in texts)

    assert b"taken out of the times: 330 ns that it cost to watch the calls, 41 ns each" in taken
    assert b"taken out" not in raw


@pytest.mark.parametrize(("name", "key"), [("speedscope", "sonde"), ("chrome", "otherData")])
@pytest.mark.parametrize("taken_ns", [330, 0])
def test_files_of_json_have_what_was_taken_out_of_the_times_as_a_field(name: str, key: str, taken_ns: int) -> None:
    assert json.loads(written(format_named(name), watched(taken_ns)))[key]["taken_ns"] == taken_ns


@pytest.mark.parametrize(("name", "key"), [("speedscope", "sonde"), ("chrome", "otherData")])
def test_files_of_json_have_the_numbers_as_fields(name: str, key: str) -> None:
    about = json.loads(written(format_named(name), sampled(bounded())))[key]

    assert Approximation(**about["approximation"]) == BOUNDS
    assert Sampling(**about["sampling"]) == BURSTS
    assert (about["pruned_root_calls"], about["pruned_root_ns"]) == (40, 500)
    exact = json.loads(written(format_named(name), profile_of(OUTLINE)))[key]
    assert (exact["approximation"], exact["sampling"], exact["doubts"]) == (None, None, [])


@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
def test_doubts_that_a_format_has_no_room_for_are_printed(
    each: Format, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_profile(tmp_path / "run.sonde", bounded())

    assert main(["export", str(tmp_path / "run.sonde"), "--to", each.name, "-o", str(tmp_path / "out")]) == 0

    said = capsys.readouterr().err
    assert all(
        (f"{each.name} has no room to say it: {doubt}\n" in said) != each.holds_losses for doubt in doubts(bounded())
    )
