"""What `sonde doctor` says of the tools that `sonde decisions` uses."""

from pathlib import Path

import pytest

from sonde.cli import doctor


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All programs that there are: none yet."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def add(folder: Path, name: str, code: int = 0) -> None:
    (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
    (folder / name).chmod(0o755)


def test_without_tools_two_findings_are_limited_and_have_a_cure(programs: Path) -> None:
    for finding in (doctor._perf(), doctor._java()):
        assert finding.verdict == "limited"
        assert finding.cure.startswith("install ")


def test_perf_that_may_not_sample_is_not_enough(programs: Path) -> None:
    add(programs, "perf", code=1)
    assert (doctor._perf().verdict, "perf_event_paranoid" in doctor._perf().cure) == ("limited", True)
    add(programs, "perf")
    assert doctor._perf().verdict == "ok"


def test_java_without_jfr_has_no_times(programs: Path) -> None:
    add(programs, "java")
    assert (doctor._java().verdict, "no times" in doctor._java().fact) == ("limited", True)
    add(programs, "jfr")
    assert doctor._java().verdict == "ok"
