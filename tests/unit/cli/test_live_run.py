"""What was counted outlives whatever happens to sonde itself."""

from pathlib import Path

import pytest

from sonde.cli.live_run import LiveRun, RunPlan, live_folder

PLAN = RunPlan(("app",), None, None)


def fail_after_counting(live: LiveRun) -> None:
    with live:
        (live.folder / "1-0.cells").write_bytes(b"counts")
        raise RuntimeError("a bug")


def test_an_orderly_end_removes_the_folder(tmp_path: Path) -> None:
    with LiveRun.begin(tmp_path / "run.sonde", PLAN, force=False) as live:
        (live.folder / "1-0.cells").write_bytes(b"counts")

    assert not live.folder.exists()


def test_an_unexpected_error_keeps_the_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "run.sonde"

    live = LiveRun.begin(output, PLAN, force=False)

    with pytest.raises(RuntimeError):
        fail_after_counting(live)

    assert (live_folder(output) / "1-0.cells").read_bytes() == b"counts"
    assert f"sonde view {output}" in capsys.readouterr().err


def test_a_folder_with_no_output_to_recover_into_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    live = LiveRun.begin(None, PLAN, force=False)

    with pytest.raises(RuntimeError):
        fail_after_counting(live)

    assert list(tmp_path.iterdir()) == []
