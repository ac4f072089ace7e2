"""Processor time and wall-clock time are told apart, wherever profiles meet or are told."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.formats.provenance import statements
from sonde.formats.speedscope import write_speedscope
from sonde.instruments.contexts.profile import (
    ContextProfile,
    Sampling,
    TimeKind,
    merge_profiles,
    read_profile,
    write_profile,
)
from sonde.instruments.contexts.profile.comparison import accuracy, diff_contexts
from sonde.instruments.contexts.report import contexts_report
from sonde.render.terminal.report_text import report_text
from tree_builder import profile_of

TREE = "main 10\n  work @3 20 x4"


def made(kind: TimeKind, unseen_ns: int = 0) -> ContextProfile:
    profile = profile_of(TREE)
    return replace(profile, run=replace(profile.run, time_kind=kind, unseen_wait_ns=unseen_ns))


def looked_at(kind: TimeKind) -> ContextProfile:
    """A sample of stacks."""
    sampling = Sampling(1_000_000, 0, bursts=5, fraction=1.0, has_calls=False)
    return replace(made(kind), sampling=sampling)


WALL, PROCESSOR = made("wall"), made("processor", 20_000)
CALLS_ONLY = profile_of("main\n  work @3 x4", clock="none")


def test_what_times_are_of_is_kept_in_the_file(tmp_path: Path) -> None:
    write_profile(tmp_path / "run.sonde", PROCESSOR)

    assert read_profile(tmp_path / "run.sonde").run == PROCESSOR.run


@pytest.mark.parametrize("parts", [(WALL, PROCESSOR), (PROCESSOR, PROCESSOR, WALL)])
def test_wall_clock_time_and_processor_time_are_not_merged(parts: tuple[ContextProfile, ...]) -> None:
    with pytest.raises(InputError, match="one has wall-clock time, the other processor time"):
        merge_profiles(parts)


def test_merged_processor_time_has_the_larger_bound() -> None:
    merged = merge_profiles([PROCESSOR, made("processor", 30_000)])

    assert (merged.run.time_kind, merged.run.unseen_wait_ns, merged.total_ns) == ("processor", 30_000, 60)


def test_where_times_are_left_out_their_clocks_do_not_matter() -> None:
    merged = merge_profiles([WALL, CALLS_ONLY, PROCESSOR])

    assert (merged.has_time, merged.run.time_kind, merged.run.unseen_wait_ns) == (False, "wall", 0)


def test_times_of_different_clocks_are_not_compared_but_calls_are() -> None:
    with pytest.raises(InputError, match="one profile has wall-clock time, the other processor time"):
        diff_contexts(WALL, PROCESSOR)
    with pytest.raises(InputError, match="one profile has wall-clock time, the other processor time"):
        accuracy(PROCESSOR, WALL)

    assert not diff_contexts(WALL, PROCESSOR, metric="calls").has_changes
    assert not diff_contexts(PROCESSOR, PROCESSOR).has_changes


@pytest.mark.parametrize(
    ("one", "other", "hint"),
    [
        (WALL, PROCESSOR, "record both with the same --clock"),
        (looked_at("processor"), looked_at("lock"), "record both with the same --what"),
        (
            looked_at("processor"),
            WALL,
            "record the one whose calls were counted by sonde contexts --clock cpu,"
            " or the sampled one by sonde sample --what wall",
        ),
        (PROCESSOR, looked_at("lock"), "record the sampled one by sonde sample --what cpu"),
    ],
)
def test_the_hint_has_options_of_what_recorded_the_profiles(
    one: ContextProfile, other: ContextProfile, hint: str
) -> None:
    with pytest.raises(InputError) as merged:
        merge_profiles([one, other])
    with pytest.raises(InputError) as compared:
        diff_contexts(one, other)

    assert merged.value.hint == hint
    assert compared.value.hint == (f"--metric calls, or {hint}" if one.has_calls and other.has_calls else hint)


@pytest.mark.parametrize(("profile", "is_said"), [(PROCESSOR, True), (WALL, False), (CALLS_ONLY, False)])
def test_reports_and_exports_say_what_times_are_of(profile: ContextProfile, *, is_said: bool) -> None:
    exported = BytesIO()
    write_speedscope(profile, exported)
    told = (
        report_text(contexts_report(profile), columns=80, is_verbose=True),
        "\n".join(statements(profile)),
        exported.getvalue().decode(),
    )

    assert ["processor time" in each for each in told] == [is_said] * 3
    assert ["20.0 us" in each for each in told[:2]] == [is_said] * 2
