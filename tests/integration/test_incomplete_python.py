"""A Python that was built without libffi, or without SQLite, says so before it runs anything; the rest works."""

import subprocess
import sys
from pathlib import Path

import pytest

_SONDE = """
import sys
sys.modules[sys.argv[1]] = None  # as if it had not been built
from sonde.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


def _sonde_without(part: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    (folder / "app.py").write_text("print('it ran')\n")
    (folder / "app.c").write_text("int main(void) { return 0; }\n")
    return subprocess.run([sys.executable, "-c", _SONDE, part, *words], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    "command",
    ["vm -", "vm run app.c", "contexts app.c", "paths app.c", "decisions capture -o kept app.c", "audit app.py"],
)
def test_without_libffi_nothing_is_compiled(command: str, tmp_path: Path) -> None:
    done = _sonde_without("_ctypes", tmp_path, *command.split())
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        f"sonde: cannot run 'sonde {command.split()[0]}': this Python was built without 'ctypes'",
        "hint: install libffi with its headers and build Python again, or use another Python",
    ]


@pytest.mark.parametrize("verb", ["contexts", "paths", "phases", "memory", "sample"])
def test_without_sqlite_no_program_is_run_in_vain(verb: str, tmp_path: Path) -> None:
    done = _sonde_without("_sqlite3", tmp_path, verb, "app.py")
    assert done.returncode == 3 and not done.stdout
    assert "this Python was built without 'sqlite3'\nhint: install SQLite" in done.stderr


def test_without_libffi_a_program_in_python_is_measured(tmp_path: Path) -> None:
    done = _sonde_without("_ctypes", tmp_path, "contexts", "app.py")
    assert done.returncode == 0 and done.stdout.startswith("it ran")


def test_with_debug_the_slug_is_told(tmp_path: Path) -> None:
    done = _sonde_without("_ctypes", tmp_path, "contexts", "--debug", "app.c")
    assert "Traceback" in done.stderr and "slug: incomplete-python" in done.stderr


def test_a_module_that_is_no_part_of_python_stays_a_bug(tmp_path: Path) -> None:
    done = _sonde_without("sonde.store.reading", tmp_path, "view", "app.sonde")
    assert done.returncode == 70 and "this is a bug in sonde" in done.stderr
