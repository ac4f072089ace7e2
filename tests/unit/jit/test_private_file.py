"""Files under names that others can guess."""

import os
import stat
from pathlib import Path

import pytest

from sonde.base.errors import SondeError
from sonde.jit.private_file import PrivateFile


def test_the_file_is_new_and_for_this_user_only(tmp_path: Path) -> None:
    path = tmp_path / "it.map"

    file = PrivateFile(path, hint="")
    file.write(b"one")
    file.close()

    assert path.read_bytes() == b"one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_this_user_left_there_is_replaced_not_reused(tmp_path: Path) -> None:
    path = tmp_path / "it.map"
    path.write_text("an earlier process")
    path.chmod(0o666)
    other_name = tmp_path / "hard link"
    other_name.hardlink_to(path)

    file = PrivateFile(path, hint="")
    file.write(b"one")
    file.close()

    assert path.read_bytes() == b"one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert other_name.read_text() == "an earlier process"


@pytest.mark.parametrize("target", ["there", "not there"])
def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path, target: str) -> None:
    (tmp_path / "there").write_text("precious")
    path = tmp_path / "it.map"
    path.symlink_to(tmp_path / target)

    with pytest.raises(SondeError, match=r"cannot write '.*it\.map': File exists") as refusal:
        PrivateFile(path, hint="remove it")

    assert (refusal.value.slug, refusal.value.hint) == ("cannot-write", "remove it")
    assert (tmp_path / "there").read_text() == "precious"
    assert not (tmp_path / "not there").exists()


def test_what_belongs_to_someone_else_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.map"
    path.write_text("someone else's")
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)

    with pytest.raises(SondeError, match="File exists"):
        PrivateFile(path, hint="")

    assert path.read_text() == "someone else's"


def test_a_folder_or_pipe_of_that_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for name in ("folder", "pipe"):
        with pytest.raises(SondeError, match="File exists"):
            PrivateFile(tmp_path / name, hint="")


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="No such file or directory"):
        PrivateFile(tmp_path / "none" / "it.map", hint="")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    file = PrivateFile(tmp_path / "it.map", hint="")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, file.descriptor)
    os.close(full)

    with pytest.raises(SondeError, match="No space left on device") as refusal:
        file.write(b"one")
    with pytest.raises(SondeError, match="No space left on device"):
        file.close()
    assert refusal.value.slug == "cannot-write"
    assert not file.is_open
