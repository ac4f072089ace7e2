"""Verdicts on planted profilers: on programs drawn at random, each fault is found, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from made_audits import PLANTED, START_NS, Program, counts_calls, honest, made_audit
from sonde.instruments.audit.analysis import Verdict, audit_of
from sonde.instruments.audit.profile import AuditProfile, ProfiledRun


def faults_of(profile: AuditProfile) -> dict[str, list[str]]:
    return {each.profiler.name: [fault.kind for fault in each.faults] for each in audit_of(profile).verdicts}


def verdict_of(profile: AuditProfile, name: str) -> Verdict:
    return next(each for each in audit_of(profile).verdicts if each.profiler.name == name)


@pytest.mark.parametrize("seed", range(20))
def test_planted_profilers_are_judged_right(seed: int) -> None:
    assert faults_of(made_audit(seed)) == {
        "honest": [],
        "drops": ["loses-time"],
        "calls": ["counts-calls"],
        "callers": ["charges-callers"],
    }


def test_a_busy_machine_does_not_change_the_verdicts() -> None:
    profile = made_audit(1, noise=0.5)
    assert faults_of(profile)["honest"] == []
    assert faults_of(profile)["drops"] == ["loses-time"]


def test_a_profiler_that_tells_of_one_function_is_not_compared() -> None:
    profile = made_audit(3, {"honest": honest, "one": honest})
    runs = [replace(run, own={0: 1.0}) if run.profiler == "one" else run for run in profile.runs]
    others = [replace(each, file="library.py") for each in profile.functions[1:]]
    of_program = [replace(each, tells_program_only=each.name == "one") for each in profile.profilers]
    profile = replace(profile, runs=tuple(runs), functions=(profile.functions[0], *others), profilers=tuple(of_program))
    assert [verdict_of(profile, name).looked_at for name in ("honest", "one")] == [True, False]


def test_nothing_is_compared_with_a_dense_sample_that_saw_too_little() -> None:
    profile = made_audit(4)
    random = np.random.default_rng(1)
    seen = [
        replace(run, own={int(number): 1.0 for number in random.choice(12, 2, replace=False)}, charged={})
        if run.profiler == "dense sample"
        else run
        for run in profile.runs
    ]
    for runs in (seen, [replace(run, own={}) if run.profiler == "dense sample" else run for run in seen]):
        audit = audit_of(replace(profile, runs=tuple(runs)))
        assert audit.is_too_short and not audit_of(profile).is_too_short
        assert {(each.looked_at, each.faults, each.not_compared) for each in audit.verdicts} == {(False, (), "length")}


def test_a_profiler_that_works_long_after_the_program_loses_no_time() -> None:
    profile = made_audit(2, {"honest": honest})
    slow = [_working_long(run) if run.profiler == "honest" else run for run in profile.runs]
    assert faults_of(replace(profile, runs=tuple(slow))) == {"honest": []}


def test_what_a_profiler_takes_for_any_program_is_no_lost_time() -> None:
    once_ns = 300_000_000
    profile = made_audit(9, {"honest": honest})
    runs = [
        replace(
            run,
            program_wall_ns=run.program_wall_ns + once_ns,
            program_processor_ns=run.program_processor_ns + once_ns,
            told_ns=round(0.99 * (run.told_ns or 0)),
        )
        if run.profiler == "honest"
        else run
        for run in profile.runs
    ]
    began_ns = START_NS + once_ns
    nothing = [
        ProfiledRun("honest", at, False, began_ns, began_ns, began_ns, began_ns, is_of_nothing=True) for at in range(10)
    ]
    assert faults_of(replace(profile, runs=tuple(runs))) == {"honest": ["loses-time"]}
    assert faults_of(replace(profile, runs=(*runs, *nothing))) == {"honest": []}


def _working_long(run: ProfiledRun) -> ProfiledRun:
    later = 2 * run.program_wall_ns
    return replace(
        run,
        program_wall_ns=run.program_wall_ns + later,
        program_processor_ns=run.program_processor_ns + later,
    )


def shifted(program: Program) -> Program:
    time = program.time * np.linspace(1, 2, len(program.time))
    return Program(time / time.sum(), program.calls, program.callers)


def test_who_says_the_same_of_a_program_that_changed_is_blind() -> None:
    profile = made_audit(3, {"honest": honest, "calls": counts_calls}, without=shifted)
    assert faults_of(profile) == {"honest": [], "calls": ["counts-calls", "blind"]}


def test_nobody_is_blind_to_what_makes_no_difference() -> None:
    profile = made_audit(3, {"calls": counts_calls}, without=lambda program: program)
    assert faults_of(profile) == {"calls": ["counts-calls"]}


def test_another_answer_for_no_known_reason_differs() -> None:
    def wrong(program: Program, random: np.random.Generator) -> tuple[dict[int, float], float]:
        return {number: float(share) for number, share in enumerate(sorted(program.time))}, 1.0

    profile = made_audit(4, {"wrong": wrong})
    verdict = verdict_of(profile, "wrong")
    assert verdict.accuracy is not None
    kinds = {fault.kind for fault in verdict.faults}
    assert kinds and kinds <= {"differs", "charges-callers", "counts-calls"}
    assert verdict.accuracy.high < 0.95


def test_what_fails_now_and_then_is_told_and_judged_by_the_rest() -> None:
    profile = made_audit(5, {"honest": honest})
    runs = [
        replace(run, failure="wrote no profile: killed", own={}, told_ns=None)
        if run.profiler == "honest" and run.round < 2
        else run
        for run in profile.runs
    ]
    verdict = verdict_of(replace(profile, runs=tuple(runs)), "honest")
    assert [(fault.kind, fault.words) for fault in verdict.faults] == [
        ("fails", "wrote no profile: killed (2 of 10 runs)")
    ]
    assert verdict.answers == 8 and verdict.accuracy is not None


def test_a_program_too_short_is_told_with_how_long_it_should_be() -> None:
    profile = made_audit(6, {"honest": honest})
    few = [
        replace(run, own=dict(enumerate(np.random.default_rng(run.round).multinomial(8, [0.2] * 5).tolist())))
        if run.profiler == "dense sample"
        else run
        for run in profile.runs
    ]
    needed = audit_of(replace(profile, runs=tuple(few))).needed
    assert needed is not None and needed > 1
    assert audit_of(profile).needed is None


def test_the_control_is_about_one() -> None:
    control = audit_of(made_audit(7)).control
    assert control is not None and control.low <= 1 <= control.high


def test_the_same_profile_has_the_same_verdicts() -> None:
    profile = made_audit(8, PLANTED, rounds=6)
    assert audit_of(profile) == audit_of(profile)


def test_of_few_looks_it_is_not_said_that_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("made_audits.DENSE_SAMPLES", 30)
    monkeypatch.setattr("made_audits.SAMPLES", 10)
    honest: set[object] = set()
    for seed in (0, 1):
        audit = audit_of(made_audit(seed, {"honest": PLANTED["honest"], "calls": PLANTED["calls"]}, rounds=6))
        told = {verdict.profiler.name: verdict for verdict in audit.verdicts}
        honest |= {told["honest"].faults, told["honest"].looked_at}
        assert {fault.kind for fault in told["calls"].faults} <= {"counts-calls", "differs"}
    assert honest == {(), False}
