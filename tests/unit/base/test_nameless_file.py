"""Files without a name are there on systems that have none in memory, too."""

import errno
import os
from pathlib import Path

import pytest

from sonde.base.nameless_file import nameless_file


@pytest.mark.parametrize("refused", [None, errno.ENOSYS, errno.EPERM])
def test_it_is_a_file_of_which_nothing_is_left(
    refused: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, flags: int) -> int:
        assert refused is not None
        raise OSError(refused, os.strerror(refused))

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if refused is not None:
        monkeypatch.setattr(os, "memfd_create", refuse)
    with os.fdopen(nameless_file("kept"), "w+b") as file:
        assert not os.get_inheritable(file.fileno())
        file.write(b"kept")
        file.flush()
        assert Path(f"/proc/self/fd/{file.fileno()}").read_bytes() == b"kept"
        assert list(tmp_path.iterdir()) == []


def test_no_room_for_descriptors_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, flags: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "memfd_create", refuse)
    with pytest.raises(OSError, match="Too many"):
        nameless_file("kept")
