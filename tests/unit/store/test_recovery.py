"""What a run has left is recovered by the kind that the run was of, whichever that is."""

import os
from pathlib import Path

import pytest

import toy_kind
from sonde import registry
from sonde.base.errors import InputError
from sonde.cli.kinds import kind_of, resolve_profile
from sonde.instruments.kind import Kind
from sonde.store.kind import StoredKind
from sonde.store.recovery import kind_of_run, nothing_to_recover, recover
from sonde.store.run_folder import RunFolder, live_folder, remove_folder

LAST_YEAR_S = 1_700_000_000


class ToyRun:
    """A run that has left its lines, or nothing, and whose program may still run."""

    def __init__(self, folder: Path, kind: StoredKind) -> None:
        self._folder = folder
        self._kind = kind

    def has_ended(self) -> bool:
        return not (self._folder / "runs").exists()

    def write(self, path: Path, *, goes_on: bool) -> None:
        try:
            text = (self._folder / "lines").read_text(encoding="utf-8")
        except FileNotFoundError:
            raise nothing_to_recover(self._folder, "has no lines", wait="for lines" if goes_on else "") from None
        toy_kind.write_toy(path, self._kind, [(line, 1) for line in text.splitlines()])

    def remove(self) -> None:
        remove_folder(self._folder)


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredKind:
    stored = toy_kind.toy_kind(tmp_path)
    listed: Kind[object] = Kind(
        name=stored.name,
        words=stored.words,
        stored=stored,
        recover=lambda folder, path: recover(ToyRun(folder, stored), folder, path),
    )
    monkeypatch.setattr(toy_kind, "TOY", listed, raising=False)
    monkeypatch.setitem(registry.KINDS, "toy", "toy_kind:TOY")
    return stored


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "run.sonde"


def begun(output: Path, *, lines: str = "one\ntwo\n") -> RunFolder:
    folder = RunFolder.beside(output, "toy", force=True)
    if lines:
        (folder.path / "lines").write_text(lines, encoding="utf-8")
    return folder


def older_file(output: Path, kind: StoredKind) -> None:
    toy_kind.write_toy(output, kind, [("older", 1)])
    os.utime(output, (LAST_YEAR_S, LAST_YEAR_S))


def test_a_run_that_was_cut_off_gives_a_file(
    output: Path, kind: StoredKind, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(output).close()

    assert resolve_profile(output) == output
    assert toy_kind.read_toy(output, kind) == [("one", 1), ("two", 1)]
    assert kind_of(output).stored == kind
    assert list(output.parent.iterdir()) == [output]
    assert "was cut off; recovered" in capsys.readouterr().err


def test_of_a_run_that_goes_on_there_is_a_snapshot(
    output: Path, kind: StoredKind, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(output)
    with_launcher = resolve_profile(output)
    folder.close()
    (folder.path / "runs").touch()
    with_program = resolve_profile(output)

    assert with_launcher == with_program == folder.path / "snapshot.sonde"
    assert toy_kind.read_toy(with_program, kind) == [("one", 1), ("two", 1)]
    assert not output.exists()
    assert capsys.readouterr().err.count("still goes on; this is a snapshot") == 2


def test_an_older_file_is_replaced_once_the_run_has_ended(
    output: Path, kind: StoredKind, capsys: pytest.CaptureFixture[str]
) -> None:
    older_file(output, kind)
    folder = begun(output)

    assert toy_kind.read_toy(resolve_profile(output), kind) == [("older", 1)]
    folder.close()
    assert toy_kind.read_toy(resolve_profile(output), kind) == [("one", 1), ("two", 1)]
    assert "is of an earlier run; the one that will replace it still goes on" in capsys.readouterr().err


def test_a_file_that_the_run_wrote_before_it_was_killed_stays(
    output: Path, kind: StoredKind, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(output)
    os.utime(folder.path / "lock", (LAST_YEAR_S, LAST_YEAR_S))
    toy_kind.write_toy(output, kind, [("whole", 1)])
    assert toy_kind.read_toy(resolve_profile(output), kind) == [("whole", 1)]
    assert capsys.readouterr().err == ""
    folder.close()

    assert toy_kind.read_toy(resolve_profile(output), kind) == [("whole", 1)]
    assert f"is newer than the run that was cut off in '{folder.path}'" in capsys.readouterr().err
    assert (folder.path / "lines").exists()


def test_a_run_that_left_nothing_says_so_and_lets_an_older_file_be(
    output: Path, kind: StoredKind, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(output, lines="")
    with pytest.raises(InputError, match=r"the run in '.*' has no lines") as goes_on:
        resolve_profile(output)
    folder.close()
    with pytest.raises(InputError) as ended:
        resolve_profile(output)
    older_file(output, kind)

    assert (goes_on.value.slug, goes_on.value.hint) == ("nothing-to-recover", "wait: for lines")
    assert ended.value.hint == f"rm -r {folder.path}"
    assert toy_kind.read_toy(resolve_profile(output), kind) == [("older", 1)]
    assert "is of an earlier run: cannot recover" in capsys.readouterr().err


def test_a_run_of_a_kind_that_nobody_knows_is_left_alone(output: Path) -> None:
    folder = begun(output)
    folder.close()

    with pytest.raises(InputError, match=r"the run in '.*' is of kind 'toy', known are contexts") as caught:
        resolve_profile(output)
    assert caught.value.slug == "unknown-kind"
    assert (folder.path / "lines").exists()


@pytest.mark.parametrize(("file", "kind_name"), [("memory-run.json", "memory"), ("run.json", "contexts")])
def test_folders_of_earlier_versions_are_known_by_what_is_in_them(file: str, kind_name: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text("{}", encoding="utf-8")

    assert kind_of_run(tmp_path) == kind_name


def test_results_leave_nothing_in_a_folder(output: Path) -> None:
    RunFolder(live_folder(output), "results").close()

    with pytest.raises(InputError, match="what it measured is in") as caught:
        resolve_profile(output)
    assert caught.value.slug == "nothing-to-recover"
