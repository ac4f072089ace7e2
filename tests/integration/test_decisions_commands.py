"""`sonde decisions` as it is typed: a program is captured, and what it left is shown, compared and viewed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys


def weigh(number):
    return len(str(number))


total = sum(weigh(each) for each in range(200_000))
print(total)
sys.exit(int(sys.argv[1]))
"""


def sonde(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sonde", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of one program, `decisions-python` and `second`, the second of which failed."""
    folder = tmp_path_factory.mktemp("captured")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "python").symlink_to(sys.executable)  # gives the default folder its name

    first = sonde("decisions", "capture", "./python", "program.py", "0", folder=folder)
    second = sonde("decisions", "capture", "-o", "second", "--", sys.executable, "program.py", "3", folder=folder)

    assert (first.returncode, second.returncode) == (0, 3)
    assert first.stdout == second.stdout == "1088890\n"
    assert "sonde decisions show decisions-python" in first.stderr
    return folder


def test_what_was_captured_is_shown(captured: Path) -> None:
    shown = sonde("decisions", "show", "decisions-python", "--all", folder=captured)

    assert shown.returncode == 0, shown.stderr
    assert "weigh" in shown.stdout


def test_two_runs_are_compared(captured: Path) -> None:
    compared = sonde("decisions", "diff", "decisions-python", "second", "--json", folder=captured)

    assert compared.returncode in (0, 1), compared.stderr
    assert json.loads(compared.stdout)["kind"] == "decisions-diff"


def test_a_folder_is_viewed_as_a_page(captured: Path) -> None:
    viewed = sonde("view", "second", "--html", "page.html", folder=captured)

    assert viewed.returncode == 0, viewed.stderr
    assert "weigh" in (captured / "page.html").read_text()


def test_nothing_is_captured_into_a_folder_with_something(captured: Path) -> None:
    refused = sonde("decisions", "capture", "-o", "second", "--", "./python", "program.py", "0", folder=captured)

    assert refused.returncode == 2 and "something is in it" in refused.stderr
    assert refused.stdout == ""


def test_other_compilers_than_graal_have_no_text_of_profdiff(captured: Path) -> None:
    refused = sonde("decisions", "show", "second", "--format", "profdiff", folder=captured)

    assert refused.returncode == 2 and "profdiff is Graal's" in refused.stderr
