"""Run wheels for other platforms, and compare their answers with those of the wheel for this machine.

Programs for musl run on any x86-64 that has its loader; those for aarch64 in qemu.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wheels.answers import QUESTIONS, REFUSALS, Answer, Question, difference
from wheels.platforms import PLATFORMS, Platform
from wheels.pythons import find_pythons
from wheels.trying import install_wheel

FETCHERS = {"musllinux-x86_64": "fetch_musl.sh", "manylinux-aarch64": "fetch_aarch64.sh"}
"""By platform: what puts a Python of a version into a folder, as `pythonVERSION`."""
_SECONDS = 200
"""That a command may take: an emulator on a busy machine needs a minute for what takes a second."""


class NoPython(Exception):
    """Why there is none of a version, for a platform."""


@dataclass(frozen=True, slots=True)
class Told:
    """What came of one question to one wheel."""

    platform: str
    version: str
    question: str
    fault: str
    """Empty: it answers as the wheel for this machine does, or refuses where the documentation says so."""
    answer: str
    """In a line."""


def run_elsewhere(wheels: Path, folder: Path, versions: Sequence[str], platforms: Sequence[str]) -> Iterator[Told]:
    """Ask each wheel for another platform all questions.

    Args:
        wheels: a folder that has them, and those for this machine.
        folder: where Pythons are put, and kept; and all else.
        versions: such as 3.13.
        platforms: by name; this machine's own is left out.
    Raises:
        NoPython: there is none of a version.
    """
    here = next(platform for platform in PLATFORMS if platform.is_here)
    pythons = {"{}.{}".format(*python.version): python.path for python in find_pythons([])[0]}
    for version in versions:
        if version not in pythons:
            raise NoPython(f"this machine has no Python {version} to compare with")
        ours = _Installed(here, version, pythons[version], wheels, folder)
        for platform in PLATFORMS:
            if platform.is_here or platform.name not in platforms:
                continue
            theirs = _Installed(platform, version, python_for(platform, version, folder), wheels, folder)
            for question in QUESTIONS:
                yield _compare(question, ours, theirs)


def python_for(platform: Platform, version: str, folder: Path) -> Path:
    """A Python, fetched when it is not in the folder.

    Raises:
        NoPython: it cannot be fetched.
    """
    python = folder / platform.name / f"python{version}"
    if not python.exists():
        command = ["sh", str(Path(__file__).with_name(FETCHERS[platform.name])), str(python.parent), version]
        if subprocess.run(command, env={**os.environ, "PYTHON": sys.executable}, check=False).returncode:
            raise NoPython(f"no Python {version} for {platform.name}")
    return python


class _Installed:
    """One wheel in a folder of its own, and a Python that runs it."""

    def __init__(self, platform: Platform, version: str, python: Path, wheels: Path, folder: Path) -> None:
        tag = version.replace(".", "")
        wheel = next(wheels.absolute().glob(f"sonde-*-cp{tag}-cp{tag}-{platform.tag}.whl"), None)
        if wheel is None:
            raise NoPython(f"{wheels} has no wheel for {version}, {platform.name}")
        self.platform, self.version, self._python = platform, version, python.absolute()
        self._folder = folder.absolute() / "runs" / f"{platform.name}-{version}"
        self._site, self._answers = self._folder / "site", dict[str, Answer]()
        install_wheel(wheel, self._site, extras=("numpy", "scipy"))
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "XDG_CACHE_HOME": str(folder.absolute() / "cache"),
            "PYTHONPATH": str(self._site),
            "LANG": "C.UTF-8",
        }

    def answer(self, question: Question) -> Answer:
        """What it says, asked once."""
        if question.name not in self._answers:
            self._answers[question.name] = question.ask(self._run, self._folder)
        return self._answers[question.name]

    def _run(self, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        command = [str(self._python), "-m", "sonde", *words]
        with subprocess.Popen(
            command, cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        ) as started:  # fmt: skip
            try:
                out, told = started.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                out, told = started.communicate()
                told = f"sonde: it did not end within {_SECONDS} s\n{told}"
        return subprocess.CompletedProcess(command, started.returncode, out, told)


def _compare(question: Question, ours: _Installed, theirs: _Installed) -> Told:
    answer = theirs.answer(question)
    refusal = REFUSALS.get((theirs.platform.name, question.name))
    if refusal:
        fault = "" if answer.exit_code and refusal in answer.told else f"it was to say: {refusal}"
    else:
        fault = difference(question, ours.answer(question), answer)
    return Told(theirs.platform.name, theirs.version, question.name, fault, answer.line)
