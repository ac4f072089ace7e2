"""Answers about audits that golden files hold."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from golden_answers import Case
from made_audits import PLANTED, honest, made_audit
from sonde.evidence import Loss
from sonde.instruments.audit.profile import DENSE, AuditProfile, Profiler, write_audit

_ALL = frozenset({"text", "json", "markdown", "page"})


def _file(made: Callable[[], AuditProfile]) -> Callable[[Path], object]:
    return lambda path: write_audit(path, made())


def planted() -> AuditProfile:
    """Four profilers, three of which are wrong; and one that is not there."""
    profile = made_audit(3, PLANTED, rounds=8, without=lambda program: program)
    absent = Profiler("absent", missing="not installed: python -m pip install absent")
    return replace(profile, profilers=(*profile.profilers, absent))


def believed() -> AuditProfile:
    """Nothing is wrong."""
    return made_audit(4, {"honest": honest, "another": honest}, rounds=8)


def cut_off() -> AuditProfile:
    """Nothing can be said."""
    profile = made_audit(5, {"honest": honest}, rounds=2)
    runs = [
        replace(run, own={}, charged={}, failure="killed") if run.profiler == DENSE else run for run in profile.runs
    ]
    return replace(profile, runs=tuple(runs), losses=(Loss("audit-cut-off", 32, "the audit was cut off"),))


CASES: dict[str, Case] = {
    "view/audit": Case(("view", "a.sonde"), {"a.sonde": _file(planted)}, forms=_ALL),
    "view/audit-believed": Case(("view", "a.sonde"), {"a.sonde": _file(believed)}),
    "view/audit-cut-off": Case(("view", "a.sonde"), {"a.sonde": _file(cut_off)}),
}
