"""Kernels that lack or refuse what is asked for, and places where nothing can be written: said in one message."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from measuring import SONDE, environment
from sonde.base.errors import InputError
from sonde.store.reading import check_beginning

REFUSING = [sys.executable, str(Path(__file__).parents[1] / "oracles" / "refused_calls.py")]
C = "int main(void) { return 0; }\n"


def run(folder: Path, *words: str, under: Sequence[str] = (), **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [*under, *SONDE, *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600, env=environment(**variables), check=False
    )


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter knows the calls of x86-64")
@pytest.mark.parametrize(
    ("refused", "error", "words", "code", "said"),
    [
        (
            "process_vm_readv,ptrace",
            "EPERM",
            ("sample", "-c", "sum(range(9**7))"),
            3,
            "does not let sonde read the memory",
        ),
        (
            "process_vm_readv",
            "ENOSYS",
            ("sample", "--mechanism", "immediate", "-c", "pass"),
            3,
            "hint: in a container: --cap-add SYS_PTRACE; sonde contexts",
        ),
        (
            "timer_create",
            "ENOSYS",
            ("sample", "--mechanism", "immediate", "--trigger", "timer", "-c", "pass"),
            3,
            "hint: --trigger task-clock may do",
        ),
        ("perf_event_open", "ENOSYS", ("contexts", "--time", "both", "--cycles", "a.c"), 3, "perf_event_open"),
        ("memfd_create", "ENOSYS", ("vm", "run", "a.c"), 0, ""),
    ],
    ids=lambda value: value if isinstance(value, str) and "," not in value and " " not in value else "",
)
def test_a_kernel_without_the_interface_is_told_or_done_without(
    refused: str, error: str, words: tuple[str, ...], code: int, said: str, tmp_path: Path, cache: str
) -> None:
    (tmp_path / "a.c").write_text(C)
    done = run(tmp_path, *words, under=[*REFUSING, refused, error], XDG_CACHE_HOME=cache)

    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr and "this is a bug" not in done.stderr


def test_where_nothing_can_be_written_all_but_writing_works(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("def f(): pass\nf()\nprint('ran')\n")
    nowhere = Path("/proc")  # where nobody can make a file, root included
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(nowhere))
    app = str(tmp_path / "app.py")

    measured = run(nowhere, "contexts", app, under=(), **places)
    kept = run(nowhere, "contexts", "-o", "run.sonde", app, under=(), **places)

    assert (measured.returncode, measured.stdout) == (0, "ran\n"), measured.stderr
    assert (kept.returncode, kept.stdout) == (1, "")
    assert re.search(r"^sonde: cannot .*run\.sonde.*\nhint: ", kept.stderr) and "Traceback" not in kept.stderr


def test_a_profile_that_may_not_be_read_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    path.touch(mode=0)

    def said() -> str:
        with pytest.raises(InputError) as caught:
            check_beginning(path)
        return caught.value.message

    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o711)  # for another user to come this far
    child = os.fork()
    if not child:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            os._exit(0 if said() == f"cannot read '{path}': Permission denied" else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
