"""What `sonde doctor` says of ways of sampling."""

import pytest

from sonde.cli import doctor
from sonde.instruments.contexts.sources.sampling import abilities
from sonde.instruments.contexts.sources.sampling.abilities import OutsideAbilities, OwnAbilities


@pytest.mark.parametrize(
    ("found", "verdict", "said", "cure"),
    [
        (OwnAbilities(("task-clock", "cycles", "timer", "sleep"), {}, False, 1), "ok", "cycles, timer, sleep", ""),
        (
            OwnAbilities(("task-clock", "timer"), {"cycles": "no", "sleep": ""}, False, 1),
            "limited",
            "not sleep",
            "-trigger",
        ),
        (OwnAbilities(("task-clock",), {"cycles": "no such counter"}, False, 1), "ok", "need hardware counters", ""),
        (OwnAbilities(("task-clock",), {"cycles": ""}, True, 2), "limited", "system calls", "perf_event_paranoid=1"),
        (OwnAbilities(("timer",), {"task-clock": "denied"}, False, 3), "limited", "denied", "perf_event_paranoid=2"),
        (
            OwnAbilities(("timer",), {"task-clock": "invalid"}, False, 1),
            "limited",
            "invalid",
            "--trigger one that works",
        ),
        (OwnAbilities((), {"task-clock": ""}, False, None), "limited", "no sample came", "samples from outside"),
    ],
)
def test_triggers_that_do_not_work_have_a_cure(
    found: OwnAbilities, verdict: str, said: str, cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abilities, "own_abilities", lambda: found)
    finding = doctor._own_sampling()
    assert finding.verdict == verdict and said in finding.fact
    assert cure in finding.cure and bool(cure) == bool(finding.cure)


@pytest.mark.parametrize(
    ("found", "verdict", "cure"),
    [
        (OutsideAbilities(True, None, False), "ok", ""),
        (OutsideAbilities(True, 0, False), "ok", ""),
        (OutsideAbilities(True, 1, False), "limited", "kernel.yama.ptrace_scope=0"),
        (OutsideAbilities(True, 2, True), "ok", ""),
        (OutsideAbilities(False, 3, True), "limited", "SYS_PTRACE"),
        (OutsideAbilities(False, None, False), "limited", "SYS_PTRACE"),
    ],
)
def test_looking_from_outside_needs_the_systems_leave(
    found: OutsideAbilities, verdict: str, cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abilities, "outside_abilities", lambda: found)
    finding = doctor._outside_sampling()
    assert finding.verdict == verdict and cure in finding.cure and bool(cure) == bool(finding.cure)
