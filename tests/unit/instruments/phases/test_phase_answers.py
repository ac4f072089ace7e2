"""What is slow, why, and when: of profiles whose truth is known."""

import random

import pytest

from made_phases import MS, Made, phase_profile, sort_program
from sonde.instruments.phases.analysis import (
    all_reasons,
    figures_of,
    machine_parts,
    phase_changes,
    phase_consistencies,
    phase_sums,
    telling_reason,
    time_regions,
)
from sonde.instruments.phases.options import PhaseDiffOptions, PhaseViewOptions
from sonde.instruments.phases.report import difference_report, phase_report
from sonde.render.terminal.report_text import report_text

PROFILE = sort_program()
SUMS = {PROFILE.phases[each.phase].function.name: each for each in phase_sums(figures_of(PROFILE))}
REASONS = all_reasons(figures_of(PROFILE), list(SUMS.values()))


def test_own_amounts_are_those_of_all_without_those_of_phases_called() -> None:
    main, whole = SUMS["main"], PROFILE.whole_ns
    assert main.total_ns == whole
    assert sum(each.own_ns for each in SUMS.values()) == whole
    assert main.own == (MS, 5, 0)
    assert (SUMS["sort"].calls, SUMS["sort"].total_ns, SUMS["sort"].own_ns) == (6, 60 * MS, 54 * MS)


def test_parts_of_the_machine_and_waiting_add_up_to_the_time() -> None:
    parts = machine_parts(PROFILE, tuple(SUMS.values()))
    assert sum(part.time_ns for part in parts) == PROFILE.whole_ns
    named = {part.name: part.time_ns for part in parts}
    assert named["garbage collection"] == 6 * MS
    assert named["waiting"] == pytest.approx(30 * MS, rel=0.02)


def test_the_counter_of_which_a_phase_has_more_is_named() -> None:
    reason = telling_reason(PROFILE, REASONS[SUMS["read"].phase], None)
    assert reason is not None
    assert PROFILE.counters[reason.counter].name == "page-faults"
    assert reason.times is not None
    assert reason.times > 50
    assert reason.explained == pytest.approx(1.0)
    assert telling_reason(PROFILE, REASONS[SUMS["sort"].phase], None) is None


def test_a_counter_that_has_no_part_in_how_long_calls_take_is_not_named() -> None:
    rng = random.Random(3)
    calls, at = [], 0
    for number in range(200):
        length = MS if number % 2 else round(MS * rng.uniform(0.2, 3))
        calls.append(Made(number % 2, at, at + length, (2 if number % 2 else 40,)))
        at += length
    profile = phase_profile(["varies", "steady"], ["page-faults"], calls, at)
    figures = figures_of(profile)
    varies = phase_consistencies(figures).of[0].length_variation
    reasons = all_reasons(figures, phase_sums(figures))[0]
    assert telling_reason(profile, reasons, None) is not None
    assert reasons[0].explained == 0  # as many, however long it takes
    assert telling_reason(profile, reasons, varies) is None


def test_of_phases_that_are_one_a_reason_is_told_once() -> None:
    calls = []
    for number in range(20):
        at = 10 * number * MS
        inner = Made(1, at + MS, at + 7 * MS, (600,))
        calls += [Made(0, at, at + 8 * MS, (200,), (inner,)), Made(2, at + 8 * MS, at + 10 * MS, (10,))]
    profile = phase_profile(["dumps", "encode", "other"], ["page-faults"], calls, 200 * MS)
    text = report_text(phase_report(profile, PhaseViewOptions()))
    assert text.count("the page faults a second of the rest") == 1
    assert "encode: 60.0% of the time, with " in text


def test_alike_calls_are_a_phase_and_calls_that_are_anything_are_none() -> None:
    rng = random.Random(1)
    calls, at = [], 0
    for number in range(300):
        length = MS if number % 2 else round(MS * 10 ** rng.uniform(-2, 2))
        faults = 300 if number % 2 else round(length * 10 ** rng.uniform(-6, -2))
        calls.append(Made(number % 2, at, at + length, (faults,)))
        at += length
    found = phase_consistencies(figures_of(phase_profile(["chaos", "steady"], ["page-faults"], calls, at)))
    assert found.of[1].explained == pytest.approx(1.0)
    assert found.of[1].is_phase
    chaos = found.of[0].explained
    assert chaos is not None
    assert chaos < 0.2
    assert not found.of[0].is_phase


def test_of_few_calls_it_is_not_said_whether_they_are_alike() -> None:
    found = phase_consistencies(figures_of(PROFILE))
    assert found.of[0].explained is None
    assert found.of[0].is_phase


def test_rare_events_do_not_make_calls_unlike_one_another() -> None:
    rng = random.Random(2)
    calls = [Made(n % 2, n * MS, (n + 1) * MS - 1, (int(rng.random() < 0.1),)) for n in range(400)]
    long = [Made(2, 400 * MS, 900 * MS, (5,))]
    found = phase_consistencies(
        figures_of(phase_profile(["a", "b", "c"], ["context-switches"], [*calls, *long], 900 * MS))
    )
    assert found.of[0].explained == pytest.approx(1.0, abs=0.05)


def test_regions_begin_where_the_rate_of_a_counter_changes() -> None:
    calls = [Made(0, n * MS, (n + 1) * MS, (100 if n < 60 else 1000,)) for n in range(100)]
    profile = phase_profile(["work"], ["page-faults"], calls, 100 * MS)
    regions = time_regions(figures_of(profile).threads[0])
    assert [region.start_ns for region in regions] == [0, 60 * MS]
    assert regions[-1].end_ns == 100 * MS
    assert regions[1].rate == pytest.approx(10 * regions[0].rate)


def test_what_changed_is_named_with_its_counter() -> None:
    calls = [Made(n % 2, n * MS, (n + 1) * MS, (100,)) for n in range(10)]
    slower = [Made(n % 2, 3 * n * MS, (3 * n + (3 if n % 2 else 1)) * MS, (900 if n % 2 else 100,)) for n in range(10)]
    before = phase_profile(["same", "grown"], ["page-faults"], calls, 30 * MS)
    after = phase_profile(["same", "grown"], ["page-faults"], slower, 30 * MS)
    first, *others = phase_changes(before, after)
    assert (first.function.name, first.change_ns) == ("grown", 10 * MS)
    assert first.by is not None
    assert (first.by.name, first.by.before, first.by.after) == ("page-faults", 500, 4500)
    assert [each.change_ns for each in others] == [0]
    report = difference_report(before, after, PhaseDiffOptions())
    assert report.headline == ("grown is 10.0 ms slower (3 times); page-faults ×9.00; total as before.",)
    longer = phase_profile(["same", "grown"], ["page-faults"], slower, 60 * MS)
    faster = difference_report(longer, before, PhaseDiffOptions()).headline
    assert faster == ("grown is 10.0 ms faster (3 times); page-faults ×0.11; total −50%.",)
    alone = [each for each in calls if not each.phase]
    gone = difference_report(before, phase_profile(["same"], ["page-faults"], alone, 15 * MS), PhaseDiffOptions())
    assert gone.headline == ("grown took 5.00 ms (16.7% of the run) and is no phase now; total −50%.",)
    assert report.is_undecided
    assert difference_report(before, before, PhaseDiffOptions()).changed is False


def test_the_first_lines_answer_the_question() -> None:
    text = report_text(phase_report(PROFILE, PhaseViewOptions()), columns=80)
    lines = text.splitlines()
    assert lines[1].startswith("sort: 49.6% of the time")
    assert "read: " in text
    assert "times the page faults" in text
    assert max(map(len, lines)) <= 80
