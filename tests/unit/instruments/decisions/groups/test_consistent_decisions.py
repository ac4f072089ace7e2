"""Differences between groups of runs."""

import tracemalloc

import pytest

from group_runs import direct, inlined, made_run, unit_trees
from sonde.base.errors import UsageError
from sonde.instruments.decisions.experiments import HeatPolicy
from sonde.instruments.decisions.groups import (
    CallSubject,
    ConsistencyOptions,
    ContextSubject,
    DecisionSubject,
    MethodSubject,
    ReceiverSubject,
    TimeSubject,
    consistent,
)
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Phase, ReceiverProfile, ReceiverType

ALL = ConsistencyOptions(heat=HeatPolicy(percentile=1.0))


def _runs(
    count: int, name: str, calls: list[CallSite], decisions: tuple[tuple[str, int], ...] = ()
) -> list[DecisionRun]:
    return [
        made_run(
            f"{name}{index}",
            {
                "hot": (80, unit_trees("hot", calls, decisions)),
                "mild": (15, unit_trees("mild", [])),
                "cold": (5, unit_trees("cold", [])),
            },
        )
        for index in range(count)
    ]


def test_an_inlined_call_is_one_finding_with_what_follows_from_it() -> None:
    fast = _runs(5, "f", [inlined("foo", 3, inlined("bar", 1, direct("baz", 2)), direct("qux", 5))])
    slow = _runs(5, "s", [direct("foo", 3)])
    (finding,) = consistent(fast, slow).findings
    assert finding.subject == CallSubject("hot", 3, "foo")
    assert [difference.label for difference in finding.differences] == ["direct", "inlined"]
    assert finding.score == pytest.approx(0.8)
    subjects = {follower.subject for follower in finding.followers}
    assert {MethodSubject("foo"), MethodSubject("bar")} <= subjects
    assert sum(isinstance(subject, ContextSubject) for subject in subjects) == 4
    assert [reason.text for reason in finding.fast_reasons] == ["small"]
    assert [(reason.text, reason.runs, reason.asked) for reason in finding.slow_reasons] == [
        ("too big: 300 nodes", 3, 3)
    ]


def test_a_call_is_one_feature_whichever_root_it_was_compiled_in() -> None:
    def run(name: str, call: CallSite) -> DecisionRun:
        return made_run(
            name,
            {
                "a": (50, unit_trees("a", [inlined("helper", 1, call)])),
                "b": (50, unit_trees("b", [inlined("helper", 7, call)])),
            },
        )

    answer = consistent(
        [run(f"f{index}", inlined("leaf", 4)) for index in range(4)],
        [run(f"s{index}", direct("leaf", 4)) for index in range(4)],
        ALL,
    )
    assert answer.findings[0].subject == CallSubject("helper", 4, "leaf")
    assert answer.findings[0].weight == pytest.approx(1.0)
    assert len(answer.findings) == 1


def test_differences_in_code_that_takes_little_time_come_last() -> None:
    fast = _runs(4, "f", [inlined("foo", 3)], (("Unroll", 9),))
    slow = _runs(4, "s", [direct("foo", 3)], (("Unroll", 9),))
    for run, call in ((run, inlined) for run in fast):
        run.units[1].load().inlining.children.append(call("rare", 1))
    answer = consistent(fast, slow, ALL)
    assert [finding.subject for finding in answer.findings][:2] == [
        CallSubject("hot", 3, "foo"),
        CallSubject("mild", 1, "rare"),
    ]
    assert answer.findings[1].score == pytest.approx(0.15)


def test_one_exception_is_forgiven_only_when_asked() -> None:
    fast = _runs(6, "f", [inlined("foo", 3)])
    slow = [*_runs(5, "s", [direct("foo", 3)]), *_runs(1, "odd", [inlined("foo", 3)])]
    assert consistent(fast, slow).findings == ()
    answer = consistent(fast, slow, ConsistencyOptions(allow=1))
    assert answer.findings[0].subject == CallSubject("hot", 3, "foo")
    assert answer.findings[0].differences[0].exceptions == 1
    assert answer.findings[0].p_value > answer.smallest_p_value


def test_a_property_that_only_counts_makes_no_difference() -> None:
    fast, slow = _runs(4, "f", [], (("Peel", 9),)), _runs(4, "s", [], (("Peel", 9),))
    assert consistent(fast, slow).findings == ()
    answer = consistent(_runs(4, "f", [], (("Peel", 9),)), slow[:3] + _runs(1, "x", []))
    assert answer.findings == ()
    answer = consistent(_runs(4, "f", [], (("Peel", 9),)), _runs(4, "x", []))
    assert answer.findings[0].subject == DecisionSubject("hot", 9, "Peel", "Done")


def test_receivers_that_differ_stand_under_the_call_they_explain() -> None:
    def call(indirect: bool, *shares: float) -> CallSite:
        profile = ReceiverProfile(True, tuple(ReceiverType(f"T{at}", share) for at, share in enumerate(shares)))
        return CallSite("go", 3, inlined=not indirect, alive=indirect, indirect=indirect, receivers=profile)

    answer = consistent(_runs(5, "f", [call(False, 1.0)]), _runs(5, "s", [call(True, 0.3, 0.7)]))
    (finding,) = answer.findings
    assert finding.subject == CallSubject("hot", 3, "go")
    assert ReceiverSubject("hot", 3, "go") in {follower.subject for follower in finding.followers}
    assert [reason.text for reason in finding.slow_reasons] == ["called on 70% T1, 30% T0"]


def test_lambdas_with_other_names_are_the_same_call() -> None:
    name = "A$$Lambda$14/0x0000000800c03{:03x}.apply(Object)"
    fast = [_runs(1, f"f{index}", [inlined(name.format(index), 3)])[0] for index in range(4)]
    slow = [_runs(1, f"s{index}", [inlined(name.format(900 + index), 3)])[0] for index in range(4)]
    assert consistent(fast, slow).findings == ()


def test_a_method_hot_in_one_run_only_is_looked_at_in_all() -> None:
    def run(name: str, call: CallSite, period: int) -> DecisionRun:
        return made_run(
            name,
            {
                "hot": (90, unit_trees("hot", [])),
                "edge": (period, unit_trees("edge", [call])),
                "rest": (40, unit_trees("rest", [])),
            },
        )

    # 'edge' is just above the limit in two runs, just below in the others: that is no difference, what it calls is.
    fast = [run(f"f{index}", inlined("leaf", 1), 9 + index % 2 * 60) for index in range(4)]
    slow = [run(f"s{index}", direct("leaf", 1), 9 + index % 2 * 60) for index in range(4)]
    answer = consistent(fast, slow)
    assert [finding.subject for finding in answer.findings] == [CallSubject("edge", 1, "leaf")]


def test_shares_of_time_alone_are_told_as_such() -> None:
    fast = [
        made_run(f"f{at}", {"a": (70 + at, unit_trees("a", [])), "b": (30 - at, unit_trees("b", []))})
        for at in range(4)
    ]
    slow = [
        made_run(f"s{at}", {"a": (30 + at, unit_trees("a", [])), "b": (70 - at, unit_trees("b", []))})
        for at in range(4)
    ]
    subjects = {finding.subject for finding in consistent(fast, slow).findings}
    assert {TimeSubject("a"), TimeSubject("b")} <= subjects


def test_of_one_run_on_each_side_nothing_is_concluded() -> None:
    answer = consistent(_runs(1, "f", [inlined("foo", 3)]), _runs(1, "s", [direct("foo", 3)]))
    assert answer.findings[0].p_value == 1.0
    assert not answer.is_conclusive(answer.findings[0])
    assert any("nothing can be concluded from 1 fast and 1 slow runs" in remark for remark in answer.remarks)


def test_runs_without_times_are_compared_with_a_remark() -> None:
    fast = [made_run(f"f{at}", {"hot": (1, unit_trees("hot", [inlined("foo", 3)]))}, timed=False) for at in range(4)]
    slow = [made_run(f"s{at}", {"hot": (1, unit_trees("hot", [direct("foo", 3)]))}, timed=False) for at in range(4)]
    answer = consistent(fast, slow)
    assert answer.findings[0].subject == CallSubject("hot", 3, "foo")
    assert answer.remarks[0].startswith("8 of 8 runs have no times")


def test_groups_that_make_no_sense_are_refused() -> None:
    fast, slow = _runs(2, "f", []), _runs(2, "s", [])
    for first, second, slug in (
        ([], slow, "empty-group"),
        (fast, [slow[0], fast[0]], "run-twice"),
        ([fast[0], fast[0]], slow, "run-twice"),
    ):
        with pytest.raises(UsageError) as caught:
            consistent(first, second)
        assert caught.value.slug == slug
    slow[0].kind = "hotspot"
    with pytest.raises(UsageError, match="3 of graal, 1 of hotspot") as caught:
        consistent(fast, slow)
    assert caught.value.slug == "mixed-compilers"
    for wrong in ({"allow": -1}, {"least_gap": 1.0}, {"false_discovery_rate": 0.0}):
        with pytest.raises(UsageError) as caught:
            ConsistencyOptions(**wrong)
        assert caught.value.slug == "consistency-options"


def test_progress_is_told_run_by_run() -> None:
    told: list[tuple[int, int]] = []
    consistent(_runs(2, "f", []), _runs(1, "s", []), progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_what_detailed_phases_decided_is_left_out_and_counted_unless_it_is_asked_for() -> None:
    def run(name: str, bytes_: int) -> DecisionRun:
        trees = unit_trees("hot", [])
        finished = Phase("asm-printer", [Decision("InstructionCount", "Analysis", (), (("bytes", bytes_),))])
        trees.optimizations.children.append(finished)
        return made_run(name, {"hot": (80, trees)})

    fast, slow = [run(f"f{at}", 5) for at in range(4)], [run(f"s{at}", 9) for at in range(4)]
    answer = consistent(fast, slow)
    assert (answer.findings, answer.left_out) == ((), 8)

    answer = consistent(fast, slow, ConsistencyOptions(remove_detailed_phases=False))
    assert {finding.subject.kind for finding in answer.findings} == {"decision"}
    assert answer.left_out == 0
    assert len(fast[0].units[0].load().optimizations.children) == 2


@pytest.mark.parametrize("is_recursive", [True, False])
def test_trees_of_any_depth_are_one_finding_in_space_that_grows_with_their_size(is_recursive: bool) -> None:
    def nested(depth: int) -> CallSite:
        call = inlined("m", 1)
        for level in range(depth):
            call = inlined("m" if is_recursive else f"m{level}", 1, call)
        return inlined("top", 1, call)

    def peak(depth: int) -> int:
        fast, slow = _runs(4, "f", [nested(depth)]), _runs(4, "s", [direct("top", 1)])
        tracemalloc.start()
        try:
            (finding,) = consistent(fast, slow).findings
            assert finding.subject == CallSubject("hot", 1, "top")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(4_000) < 3 * peak(2_000)  # of the square of the depth it would be four times
    assert peak(4_000) < 40_000_000
