"""How many samples a profile rests on, and what is said where they are few."""

import json
from pathlib import Path

import pytest

from graal_logs import entry, unit, write_log, write_profile
from report_json import facts
from sonde.cli import main
from sonde.instruments.decisions.capture.proftool_profile import write_proftool_profile
from sonde.instruments.decisions.groups import ConsistencyOptions, consistent
from sonde.instruments.decisions.model import TimeProfile
from sonde.instruments.decisions.readers import read_run
from sonde.instruments.decisions.time_profiles import few_samples, read_time_profile

METHOD = "demo.Main.main()"


def run_with(folder: Path, samples: int | None) -> Path:
    write_log(folder / "optimization_log", unit(METHOD, "1"))
    write_profile(
        folder / "profile.json", 45_000_000, entry(9_000_000, METHOD, "1"), unit="nanoseconds", samples=samples
    )
    return folder


def slugs(folder: Path) -> list[str]:
    return [doubt.kind for doubt in read_run(folder).doubts]


@pytest.mark.parametrize(("samples", "is_said"), [(0, True), (18, True), (99, True), (100, False), (None, False)])
def test_few_samples_are_a_doubt(tmp_path: Path, samples: int | None, is_said: bool) -> None:
    assert ("few-samples" in slugs(run_with(tmp_path, samples))) == is_said


def test_how_many_there_are_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(run_with(tmp_path, 9))
    assert main(["decisions", "show", run, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "45.0 ms · 9 samples" in out
    assert "! shares of the time rest on 9 samples" in out and "(few-samples)" in out
    assert main(["decisions", "show", run, "--json"]) == 0
    assert facts(json.loads(capsys.readouterr().out), "run")["samples"] == 9


def test_groups_of_such_runs_are_told_of(tmp_path: Path) -> None:
    runs = [read_run(run_with(tmp_path / str(samples), samples)) for samples in (9, 500, 30, 600)]
    remarks = consistent(runs[:2], runs[2:], ConsistencyOptions()).remarks
    assert "the times of 2 of 4 runs rest on few samples, down to 9" in remarks


def test_a_captured_profile_keeps_the_number(tmp_path: Path) -> None:
    write_proftool_profile(tmp_path / "p.json", TimeProfile(18, "samples", (), "JFR", 18), None, frozenset())
    assert read_time_profile(tmp_path / "p.json").samples == 18


def test_perf_tells_the_samples_of_the_event_that_counts(tmp_path: Path) -> None:
    lines = [f"spin 1 {at}.5:  250000 cpu-clock:  55ef work+0x38 (/spin)" for at in range(7)]
    lines.append("spin 1 9.5:  3 page-faults:  55ef work+0x38 (/spin)")
    (tmp_path / "perf.txt").write_text("\n".join(lines))
    assert few_samples(profile := read_time_profile(tmp_path / "perf.txt")) is not None
    assert profile.samples == 7
