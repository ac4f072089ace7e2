"""Files of audits: what was written is read back, and damage is noticed."""

from dataclasses import replace
from pathlib import Path

import pytest

from changed_profiles import change_profile
from made_audits import made_audit
from sonde.base.errors import InputError, InternalError
from sonde.evidence import Loss
from sonde.instruments.audit.profile import ProfiledRun, Profiler, read_audit, write_audit


def test_an_audit_is_read_back_equal(tmp_path: Path) -> None:
    path, profile = tmp_path / "audit.sonde", made_audit(1, rounds=6, without=lambda program: program)
    missing = Profiler("absent", missing="not installed", clock="processor", tells_program_only=True)
    failed = ProfiledRun("honest", 6, False, 5, 4, failure="wrote no profile", changed="exit code 1")
    profile = replace(
        profile,
        profilers=(*profile.profilers, missing),
        runs=(*profile.runs, failed),
        losses=(Loss("audit-cut-off", 3, "cut off"),),
    )
    write_audit(path, profile)
    assert read_audit(path) == profile


def test_a_run_of_nobody_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "audit.sonde"
    write_audit(path, made_audit(1, rounds=6))
    change_profile(path, "UPDATE run SET profiler = 'nobody' WHERE id = 3")
    with pytest.raises(InputError, match="nobody"):
        read_audit(path)


def test_an_answer_of_a_function_that_is_not_there_is_refused() -> None:
    profile = made_audit(1, rounds=6)
    wrong = replace(profile, functions=profile.functions[:2])
    with pytest.raises(InternalError, match="of 2"):
        wrong.check_valid()
