"""Which capture a command is for, the folder, and the manifest."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.decisions.capture import Captured, CaptureOptions, capture
from sonde.instruments.decisions.capture import capture as capture_module
from sonde.instruments.decisions.readers import RunPlace

LINES: list[str] = []


class Fake:
    KINDS = ("hotspot",)

    def recognises(self, command: Sequence[str], /) -> bool:
        return command[0] == "fake"

    def run(self, command: Sequence[str], folder: Path, options: CaptureOptions, /) -> Captured:
        (folder / "log.xml").write_text("record")
        return Captured("hotspot", 137, folder / "log.xml", compiler="Fake 1", remarks=("killed",))


@pytest.fixture(autouse=True)
def _table(monkeypatch: pytest.MonkeyPatch) -> None:
    module = __import__("sonde.instruments.decisions.capture.capture", fromlist=["capture"])
    assert capture_module is module.capture
    monkeypatch.setattr(module, "CAPTURES", {"fake": "fake"})
    monkeypatch.setattr(module, "_load", lambda place: Fake())
    LINES.clear()


def test_the_manifest_says_what_lies_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "run"
    assert capture(["fake", "x"], folder, say=LINES.append) == 137
    written = json.loads((folder / "sonde-run.json").read_text())
    assert written.pop("captured")
    assert written == {
        "schema": "sonde.decision-run/1",
        "kind": "hotspot",
        "record": "log.xml",
        "profile": None,
        "command": ["fake", "x"],
        "compiler": "Fake 1",
        "exit_code": 137,
        "directory": str(Path.cwd()),
    }
    assert LINES == ["killed"]


def test_the_exit_code_stays_when_the_manifest_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "sonde-run.json").mkdir()
    assert capture(["fake"], tmp_path, CaptureOptions(force=True), say=LINES.append) == 137
    assert [f"cannot write down in '{tmp_path}' what lies there: Is a directory", "killed"] == LINES


def test_readers_read_the_manifest(tmp_path: Path) -> None:
    capture(["fake"], tmp_path / "run", say=LINES.append)
    manifest = RunPlace(tmp_path / "run").manifest
    assert manifest is not None
    assert (manifest.kind, manifest.record) == ("hotspot", tmp_path / "run" / "log.xml")


def test_a_folder_in_use_is_refused_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    with pytest.raises(UsageError, match="something is in it") as caught:
        capture(["fake"], tmp_path)
    assert caught.value.slug == "capture-folder"
    capture(["fake"], tmp_path, CaptureOptions(force=True), say=LINES.append)
    assert (tmp_path / "precious").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="it is a file"):
        capture(["fake"], tmp_path / "file")


@pytest.mark.parametrize(("command", "kind"), [([], None), (["mvn", "test"], None), (["fake"], "llvm")])
def test_commands_that_nothing_is_known_of_are_refused_before_a_folder_is_made(
    tmp_path: Path, command: list[str], kind: str | None
) -> None:
    with pytest.raises(UsageError) as caught:
        capture(command, tmp_path / "run", CaptureOptions(kind=kind))  # type: ignore[arg-type]
    assert caught.value.slug == "unknown-capture"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize("refuses", [False, True])
def test_a_capture_that_fails_leaves_nothing_that_was_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_there: bool, refuses: bool
) -> None:
    def fail(_: object, __: object, folder: Path, ___: object) -> Captured:
        (folder / "remarks" / "inner").mkdir(parents=True)
        if refuses:
            (folder / "settings").write_text("ours")
            (folder / "remarks" / "refused").write_text("ours")
            raise UsageError("cannot capture it", slug="nothing-compiled")
        return Captured("llvm", 1, folder / "remarks", remarks=("it did not start",))

    monkeypatch.setattr(Fake, "run", fail)
    folder = tmp_path / "outer" / "run"
    if was_there:
        folder.mkdir(parents=True)
        (folder / "precious").write_text("theirs")
    options = CaptureOptions(force=was_there)
    if refuses:
        with pytest.raises(UsageError, match="cannot capture it"):
            capture(["fake"], folder, options)
    else:
        assert capture(["fake"], folder, options, say=LINES.append) == 1
        assert LINES == ["it did not start"]
    assert [path.name for path in tmp_path.rglob("*")] == (["outer", "run", "precious"] if was_there else [])
