"""The package as a user gets it: its wheel, in an environment that has nothing else and no compiler."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from interpreters import ROOT
from wheels.building import build_sdist
from wheels.trying import PRINTED, try_wheel


def _wheel(folder: Path) -> Path:
    """Of the sources as they are: what is compiled is there already."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-build-isolation"]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))  # CMake and Ninja
    subprocess.run(
        [*command, "--no-deps", "-w", folder, ROOT], check=True, capture_output=True, env={**os.environ, "PATH": path}
    )
    return next(folder.glob("*.whl"))


def test_a_wheel_installed_without_anything_else_measures_a_program(tmp_path: Path) -> None:
    trial = try_wheel(_wheel(tmp_path / "wheel"), Path(sys.executable), tmp_path / "trial")

    assert trial.version.startswith("sonde ")
    assert trial.printed == PRINTED
    assert re.search(r"2,000 .*\bline\b", trial.viewed)
    assert "values are exact" in trial.told


@pytest.mark.sweep
def test_the_source_distribution_makes_a_wheel_that_measures_a_program(tmp_path: Path) -> None:
    sdist = build_sdist(tmp_path)
    assert build_sdist(tmp_path / "again").read_bytes() == sdist.read_bytes()
    subprocess.run(["tar", "-xzf", sdist, "-C", tmp_path], check=True)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    made = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-build-isolation",
            "--no-deps",
            "-w",
            tmp_path / "wheel",
            sdist,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    assert made.returncode == 0, made.stderr
    wheel = next((tmp_path / "wheel").glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        assert "sonde/valgrind_tool.tar.xz" in archive.namelist()

    assert try_wheel(wheel, Path(sys.executable), tmp_path / "trial").printed == PRINTED
