"""Try a wheel as somebody who has just installed it: in an environment that has nothing else, without a compiler."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PROGRAM = """\
import json

def words(count):
    return [f"word {number}" for number in range(count)]

def line(word):
    return json.dumps({word: len(word)}, sort_keys=True)

print(len("".join(line(word) for word in words(2000))))
"""
"""A program whose calls are known: `line` 2,000 times, from one place."""
LINES = 2000
PRINTED = "30890\n"


@dataclass(frozen=True, slots=True)
class Trial:
    """What was done with it, and how long that took."""

    version: str
    """What `sonde --version` says."""
    told: str
    """By `sonde contexts`, on stderr."""
    printed: str
    """By the program."""
    viewed: str
    """By `sonde view`."""
    install_s: float
    report_s: float


class TrialFailed(Exception):
    """What a command said that failed."""


def try_wheel(wheel: Path, python: Path, folder: Path) -> Trial:
    """Install it, profile a program, and look at the profile.

    Args:
        wheel: for this Python.
        python: or a script that runs it in an emulator.
        folder: empty; all is written there.
    Raises:
        TrialFailed: with what was said, or with what is wrong in it.
    """
    began = time.monotonic()
    site, home = folder / "site", folder / "home"
    home.mkdir(parents=True)
    install_wheel(wheel, site)
    installed = time.monotonic()
    program = folder / "app.py"
    program.write_text(PROGRAM, encoding="utf-8")
    # PATH has nothing: no compiler, above all.
    environment = {"PATH": str(home), "HOME": str(home), "PYTHONPATH": str(site), "LANG": "C.UTF-8"}
    sonde = [str(python), "-m", "sonde"]
    version = _run([*sonde, "--version"], environment, folder).stdout.strip()
    measured = _run([*sonde, "contexts", "-o", "app.sonde", "app.py"], environment, folder)
    reported = time.monotonic()
    viewed = _run([*sonde, "view", "app.sonde"], environment, folder).stdout
    if f"{LINES:,}" not in measured.stderr or measured.stdout != PRINTED or f"{LINES:,}" not in viewed:
        raise TrialFailed(f"the report is not what it should be:\n{measured.stdout}{measured.stderr}")
    return Trial(version, measured.stderr, measured.stdout, viewed, installed - began, reported - installed)


def install_wheel(wheel: Path, site: Path, extras: Sequence[str] = ()) -> None:
    """Put it into a folder, whatever this Python is; nothing is compiled.

    Args:
        extras: what else is installed for its Python and platform, from the registry.
    Raises:
        TrialFailed: with what pip said.
    """
    interpreter, abi, platform = wheel.stem.split("-")[2:]
    olds = [platform.replace("2_28", old) for old in ("2_27", "2_17") if "2_28" in platform]
    target = [
        "--python-version",
        f"3.{interpreter[3:]}",
        "--abi",
        abi,
        "--abi",
        "abi3",
        "--target",
        str(site),
        "--upgrade",
    ]
    target += [word for each in (platform, *olds) for word in ("--platform", each)]
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "install",
        "--no-compile",
        "--only-binary=:all:",
    ]
    site.parent.mkdir(parents=True, exist_ok=True)
    if extras:
        _run([*pip, *target, *extras], dict(os.environ), site.parent)
    _run([*pip, "--no-index", "--no-deps", *target, str(wheel)], dict(os.environ), site.parent)


def _run(command: list[str], environment: dict[str, str], folder: Path) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise TrialFailed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done
