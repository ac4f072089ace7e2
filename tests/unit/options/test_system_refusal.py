"""What the system refuses is told as such; what nobody can have caused but sonde stays a bug."""

import errno
import os
import sys

import pytest

from sonde.cli.main import main
from sonde.options.system_refusal import as_refusal


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "cannot go on: No space left on device"),
        (OSError(errno.EROFS, "Read-only file system", "a"), "cannot use 'a': Read-only file system"),
        (OSError(errno.ELOOP, "Too many levels", b"\xff"), r"cannot use '\xff': Too many levels"),
    ],
)
def test_a_refusal_names_the_file_and_has_a_hint(error: OSError, said: str) -> None:
    refusal = as_refusal(error)
    assert refusal is not None and refusal.message == said and refusal.hint and refusal.exit_code == 1


@pytest.mark.parametrize(
    "error", [OSError("odd"), FileNotFoundError(errno.ENOENT, "none", "a"), OSError(errno.EBADF, "b")]
)
def test_others_are_bugs(error: OSError) -> None:
    assert as_refusal(error) is None


@pytest.mark.parametrize(("number", "code"), [(errno.EMFILE, 1), (errno.EBADF, 70)])
def test_the_command_line_tells_one_from_the_other(
    number: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(words: list[str]) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(sys.modules[main.__module__], "_dispatch", fail)
    assert main(["view"]) == code
    assert ("this is a bug in sonde" in capsys.readouterr().err) == (code == 70)
