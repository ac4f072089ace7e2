"""pprof files, read back by an independent decoder."""

from collections import Counter
from io import BytesIO

from hypothesis import given

from exact_stacks import chain, exact_stacks
from pprof_reader import Pprof, read_pprof
from sonde.formats import Metric, write_pprof
from sonde.formats.frame_name import NOT_LISTED
from sonde.formats.protobuf import varint
from sonde.instruments.contexts.profile import ContextProfile, Function, Loss, MeasuredProcess, Run, contexts_from_self
from strategies import profiles


def _written(profile: ContextProfile, *, metric: Metric | None = None, max_frames: int = 10**9) -> Pprof:
    stream = BytesIO()
    write_pprof(profile, stream, metric=metric, max_frames=max_frames)
    return read_pprof(stream.getvalue())


def _stacks(pprof: Pprof, value: int) -> Counter[tuple[str, ...]]:
    stacks: Counter[tuple[str, ...]] = Counter()
    for frames, values in pprof.samples:
        stacks[tuple(name for name, _ in reversed(frames))] += values[value]
    return +stacks


@given(profiles(surrogates=True, approximate=True))
def test_every_stack_has_its_exact_values(profile: ContextProfile) -> None:
    pprof = _written(profile)

    assert pprof.sample_types == [("calls", "count"), ("time", "nanoseconds")][: 1 + profile.has_time]
    assert _stacks(pprof, 0) == exact_stacks(profile, "calls")
    if profile.has_time:
        assert _stacks(pprof, 1) == exact_stacks(profile, "time")


@given(profiles(timed=True, approximate=True))
def test_values_add_up_to_the_totals_at_any_budget(profile: ContextProfile) -> None:
    for max_frames in (0, 3, 10):
        pprof = _written(profile, max_frames=max_frames)

        assert _stacks(pprof, 0).total() == profile.total_calls
        assert _stacks(pprof, 1).total() == profile.total_ns


@given(profiles(timed=True, approximate=True))
def test_the_chosen_metric_is_shown_first(profile: ContextProfile) -> None:
    assert _written(profile).default_sample_type == "time"
    assert _written(profile, metric="calls").default_sample_type == "calls"


@given(profiles(approximate=True))
def test_the_same_profile_gives_the_same_bytes(profile: ContextProfile) -> None:
    first, second = BytesIO(), BytesIO()

    write_pprof(profile, first)
    write_pprof(profile, second)

    assert first.getvalue() == second.getvalue()


def test_a_callers_line_is_the_one_it_calls_from_and_the_leafs_is_its_definition() -> None:
    functions = (Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 50))
    tree = contexts_from_self(
        parent=[-1, 0, 0, 1], function=[0, 1, 1, 1], call_line=[0, 3, 4, 55], calls=[1] * 4, self_ns=[0] * 4
    )

    pprof = _written(ContextProfile(functions, tree))

    assert [frames for frames, _ in pprof.samples] == [
        [("app.main", 1)],
        [("app.work", 50), ("app.main", 3)],
        [("app.work", 50), ("app.work", 55), ("app.main", 3)],
        [("app.work", 50), ("app.main", 4)],
    ]
    assert pprof.functions[1] == ("app.work", "work", "app.py", 50)


def test_origin_and_losses_are_comments() -> None:
    tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[1], self_ns=[5])
    profile = ContextProfile(
        (Function("f", "m", "f.py", 7),),
        tree,
        run=Run(command=("app.py", "two words"), started_at="2026-01-02T03:04:05Z", duration_ns=9, complete=False),
        processes=(MeasuredProcess(1, 0, "app.py", "3.12.1", "cpython-monitoring", 1, 1, "exited 0"),),
        losses=(Loss("contexts-not-stored", 3, "three were too many"),),
        pruned_contexts=2,
    )

    pprof = _written(profile)

    said = "\n".join(pprof.comments)
    assert "app.py 'two words'" in said
    assert "cpython-monitoring" in said
    assert "contexts-not-stored: 3: three were too many" in said
    assert "2 lighter contexts" in said
    assert "cut off" in said
    assert pprof.time_nanos == 1_767_323_045 * 10**9
    assert pprof.duration_nanos == 9


def test_a_deep_chain_stays_within_its_budget_and_says_so() -> None:
    pprof = _written(chain(5_000), max_frames=100_000)

    frames = sum(len(stack) for stack, _ in pprof.samples)
    assert 90_000 < frames < 101_000
    assert _stacks(pprof, 0).total() == 5_000
    (unlisted,) = [values for stack, values in pprof.samples if stack[0][0] == NOT_LISTED]
    folded = unlisted[0]
    assert any(f"{folded} lighter contexts" in comment for comment in pprof.comments)


def test_numbers_of_every_size_are_encoded_as_the_format_has_it() -> None:
    assert varint(0) == b"\x00"
    assert varint(127) == b"\x7f"
    assert varint(128) == b"\x80\x01"
    assert varint(2**63 - 1) == b"\xff" * 8 + b"\x7f"
    assert varint(-1) == b"\xff" * 9 + b"\x01"
