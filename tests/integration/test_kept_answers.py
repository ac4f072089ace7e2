"""What was measured is told and kept, also where its file cannot be written once the program has run."""

from pathlib import Path
from shlex import split

import pytest

from measuring import run_sonde

PROGRAM = """\
import os, sys
def work(n):
    return sum(range(n))
for each in range(100):
    work(100_000)
os.mkdir("out/run.sonde")
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize(("verb", "code", "ends"), [("phases", 7, 7), ("phases", 0, 1), ("paths", 7, 7)])
def test_a_profile_that_has_no_place_is_kept_elsewhere(tmp_path: Path, verb: str, code: int, ends: int) -> None:
    (tmp_path / "app.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "out").mkdir()
    done = run_sonde(verb, "-o", "out/run.sonde", "app.py", str(code), cwd=tmp_path, TMPDIR=str(tmp_path))
    assert done.returncode == ends, done.stderr
    assert "cannot write 'out/run.sonde'" in done.stderr
    (hint,) = [line for line in done.stderr.splitlines() if line.startswith("hint: ")]
    *_, move, kept, to = split(hint)
    assert (move, to) == ("mv", "out/run.sonde")
    shown = run_sonde("view", kept, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "work" in shown.stdout
    assert shown.stdout.splitlines()[2] in done.stderr  # the answer was printed all the same
