"""Why a program could not be looked at: what is said of it, and what is to be changed."""

from pathlib import Path

import pytest

from sonde.instruments.contexts.sources.sampling import (
    Found,
    OwnSampling,
    OwnSamplingPlan,
    RingState,
    StackSampling,
    Target,
)
from sonde.instruments.contexts.verb import own_sampled_run, sampled_process, sampled_run
from sonde.launch import Outcome

ENDED = Outcome(pid=1, status=0, started_at=0.0, duration_ns=10**9, processor_ns=10**9)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Found.UNKNOWN_VERSION, "3.11 to 3.15"),
        (Found.NO_SYMBOLS, "symbols"),
        (Found.OTHER_MACHINE, "another architecture"),
        (Found.NOT_PYTHON, "ran no CPython"),
    ],
)
def test_what_was_known_of_a_program_is_known_when_it_has_ended(
    found: Found, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter([found, Found.NO_PROCESS])
    sampling = StackSampling(1_000_000, is_processor=True)
    monkeypatch.setattr(sampling, "_add", lambda _: next(answers))
    sampling.wait_for(1)
    for _ in range(2):
        sampling._waited_for[1] = sampling._waited_for[1]._replace(next_try=0.0)
        sampling._look_for_interpreters()
    sampled_run.explain_nothing(sampling, ENDED)
    assert said in capsys.readouterr().err


def test_root_without_the_capability_is_not_told_to_become_root(monkeypatch: pytest.MonkeyPatch) -> None:
    for user, said in ((0, "--cap-add SYS_PTRACE"), (1000, "sudo")):
        monkeypatch.setattr(sampled_process, "geteuid", lambda user=user: user)
        monkeypatch.setattr(sampled_process, "getuid", lambda user=user: user)
        assert said in (sampled_process.why_not(Found.FORBIDDEN, 1).hint or "")


@pytest.mark.parametrize(
    ("note", "said", "hint"),
    [
        ("", "no room", "TMPDIR"),
        ("python\n3.12.1\n[Errno 28] No space left", "could not start in python (Python 3.12.1)", "TMPDIR"),
        ("python\n3.8.1\nsonde has no agent for Python 3.8.1", "no agent for Python 3.8.1", "leave out --mechanism"),
        ("python\n3.12.1\nthe system gives no counter for it: denied", "no counter", "--trigger timer"),
    ],
)
def test_an_agent_that_could_not_begin_says_why(
    note: str, said: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "17.refused").write_text(note)
    sampling = OwnSampling(OwnSamplingPlan("immediate", "task-clock", 1_000_000), tmp_path)
    own_sampled_run.explain_no_samples(sampling, ENDED)
    told = capsys.readouterr().err
    assert said in told and hint in told


@pytest.mark.parametrize(
    ("state", "trigger", "said", "hint"),
    [
        (RingState.TAKEN, "sleep", "set a handler of its own", "--trigger task-clock"),
        (RingState.TAKEN, "task-clock", "set a handler of its own", "--trigger timer"),
        (RingState.BLOCKED, "timer", "blocked sonde's signal", "from outside"),
        (RingState.CLOSED, "cycles", "closed the file", "--trigger timer"),
        (RingState.REPLACED, "timer", "became another one", "--follow"),
        (RingState.ENDED, "timer", "no sample was due", "-r 10kHz"),
    ],
)
def test_what_the_program_did_before_the_first_sample_is_said(
    state: RingState, trigger: str, said: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Seen(OwnSampling):
        targets = [Target(1, "3.12.1", 1, True, 0, "app.py")]  # noqa: RUF012 # as the property that it replaces
        states = [state]  # noqa: RUF012

    own_sampled_run.explain_no_samples(Seen(OwnSamplingPlan("immediate", trigger, 1_000_000), tmp_path), ENDED)
    told = capsys.readouterr().err
    assert said in told and hint in told
