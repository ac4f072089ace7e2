"""`sonde export`: where files go, what is refused, what is said."""

import errno
import json
import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from pprof_reader import read_pprof
from sonde import formats
from sonde.cli import export, main
from sonde.formats import FORMATS, Format, Metric, format_named
from sonde.instruments.contexts.profile import ContextProfile, Function, Loss, Run, contexts_from_self, write_profile

OF_CONTEXTS = [each for each in FORMATS if each.kind == "contexts"]


def _profile(clock: str = "tsc") -> ContextProfile:
    functions = (Function("main", "app", "app.py", 1), Function("work", "app", "app.py", 5))
    own_ns = [5, 95] if clock != "none" else [0, 0]
    tree = contexts_from_self(parent=[-1, 0], function=[0, 1], call_line=[0, 3], calls=[1, 10], self_ns=own_ns)
    return ContextProfile(functions, tree, run=Run(clock=clock), losses=(Loss("contexts-not-stored", 3, "too many"),))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a profile in a folder beside it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here").mkdir()
    write_profile(tmp_path / "elsewhere" / "run.sonde", _profile())
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("each", OF_CONTEXTS, ids=lambda each: each.name)
def test_the_default_output_is_named_after_the_profile_and_lies_in_this_folder(
    each: Format, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "../elsewhere/run.sonde", "--to", each.name]) == 0

    assert [path.name for path in folder.iterdir()] == [f"run{each.suffix}"]
    out, err = capsys.readouterr()
    assert out == ""
    assert f"wrote run{each.suffix}: 2 contexts" in err
    assert "open with: " in err
    assert ("no room to say it: contexts-not-stored" in err) != each.holds_losses


def test_a_dash_means_stdout_and_nothing_else_goes_there(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", "../elsewhere/run.sonde", "--to", "collapsed", "-o", "-"]) == 0

    assert capfdbinary.readouterr().out == b"app.main 5\napp.main;app.work 95\n"
    assert list(folder.iterdir()) == []


def test_json_is_one_versioned_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "../elsewhere/run.sonde", "--to", "pprof", "--metric", "calls", "--json"]) == 0

    answer = json.loads(capsys.readouterr().out)
    size_bytes = (folder / "run.pb.gz").stat().st_size
    assert answer == {
        "schema": "sonde.export/2",
        "format": "pprof",
        "metric": "calls",
        "path": "run.pb.gz",
        "size_bytes": size_bytes,
        "contents": "2 contexts, 11 calls, exact",
        "losses": 1,
        "losses_in_file": True,
    }
    assert read_pprof((folder / "run.pb.gz").read_bytes()).default_sample_type == "calls"


def test_nothing_is_overwritten_without_force(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run.pb.gz").write_text("precious")

    assert main(["export", "../elsewhere/run.sonde", "--to", "pprof"]) == 2
    assert (folder / "run.pb.gz").read_text() == "precious"
    assert "it exists already" in capsys.readouterr().err

    assert main(["export", "../elsewhere/run.sonde", "--to", "pprof", "--force"]) == 0
    assert read_pprof((folder / "run.pb.gz").read_bytes()).samples


def test_a_half_written_file_is_deleted_and_the_old_one_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_half(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
        stream.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    broken = Format("pprof", write_half, ".pb.gz", binary=True, holds_losses=True, open_with="nothing")
    monkeypatch.setattr(formats.known_formats, "FORMATS", (broken,))
    monkeypatch.setattr(formats, "FORMATS", (broken,))
    (folder / "run.pb.gz").write_text("precious")

    assert main(["export", "../elsewhere/run.sonde", "--to", "pprof", "--force"]) == 1

    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("run.pb.gz", "precious")]
    assert "cannot write 'run.pb.gz': No space left on device" in capsys.readouterr().err


def test_a_link_is_followed_and_a_device_stays_a_device(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "target")

    assert main(["export", "../elsewhere/run.sonde", "--to", "collapsed", "-o", "link"]) == 0
    assert main(["export", "../elsewhere/run.sonde", "--to", "collapsed", "-o", os.devnull, "--force"]) == 0

    assert (folder / "link").is_symlink()
    assert (folder / "target").read_text().startswith("app.main 5\n")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--to", "speedscop"], 2, "did you mean '--to speedscope'?"),
        (["--to", "pprof", "-o", "-", "--json"], 2, "drop --json"),
        (["--to", "pprof", "-o", "no/such/run.pb.gz"], 1, "there is no folder 'no/such'"),
        ([], 2, "--to"),
    ],
)
def test_requests_that_cannot_be_met_say_why(
    words: list[str], code: int, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "../elsewhere/run.sonde", *words]) == code

    assert said in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_times_cannot_be_exported_when_only_calls_were_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_profile(folder / "calls.sonde", _profile(clock="none"))

    assert main(["export", "calls.sonde", "--to", "collapsed", "--metric", "time"]) == 2
    assert "counted calls only" in capsys.readouterr().err
    assert main(["export", "calls.sonde", "--to", "collapsed"]) == 0

    assert (folder / "calls.collapsed.txt").read_text() == "app.main 1\napp.main;app.work 10\n"


def test_a_missing_profile_leaves_nothing_behind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "none.sonde", "--to", "chrome"]) == 1

    assert "no such file" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_the_help_names_every_format() -> None:
    assert export.__doc__ is not None
    assert all(f"\n    {format_named(each.name).name} " in export.__doc__ for each in OF_CONTEXTS)
