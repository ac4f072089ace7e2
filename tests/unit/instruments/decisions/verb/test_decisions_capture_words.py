"""What `sonde decisions capture` says at the end."""

import argparse
from pathlib import Path

import pytest

import sonde.instruments.decisions.capture
from sonde.instruments.decisions.verb import capture as decisions_capture


@pytest.mark.parametrize(
    ("leaves", "said"),
    [(True, "sonde: recorded in "), (False, "sonde: nothing was recorded: the command ended with exit code ")],
)
def test_it_says_whether_there_is_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], leaves: bool, said: str
) -> None:
    def fake(_command: object, folder: Path, _options: object) -> int:
        (folder / "remarks").mkdir(parents=True)
        (folder / "sonde-run.json").write_text("{}")
        if leaves:
            (folder / "remarks" / "a.opt.yaml").write_text("--- !Passed\n")
        return 7

    monkeypatch.setattr(sonde.instruments.decisions.capture, "capture", fake)
    parser = argparse.ArgumentParser()
    decisions_capture.configure(parser)
    arguments = parser.parse_args(["-o", str(tmp_path / "run")])
    arguments.program = ["clang", "x.c"]

    assert decisions_capture.run(arguments) == 7
    assert capsys.readouterr().err.startswith(said)
