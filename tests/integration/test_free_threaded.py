"""Pythons that are built without a GIL: what cannot be done with them is refused, whatever their program does goes on.

Most of it needs one that says that it is one. What is seen of real ones from outside is compared with what they tell,
where there are any (`SONDE_PYTHONS`).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sonde
from free_threaded import free_threaded_pythons, imitation
from interpreters import ROOT
from restless_calls import invented_calls
from sampled_pythons import looked_at, profile_of, running, standing_stacks, told_stacks
from sonde.instruments.contexts.sources.sampling import Found, StackSampling, Target
from sonde.instruments.contexts.verb.sampled_run import layout_losses

_PROGRAM = "import sys; print('printed'); print('said', file=sys.stderr)"
_VERBS = {
    "contexts": ("contexts",),
    "paths": ("paths",),
    "phases": ("phases",),
    "immediate": ("sample", "--mechanism", "immediate"),
    "polling": ("sample", "--mechanism", "polling"),
    "decisions": ("decisions", "capture"),
    "memory": ("memory",),
}


@pytest.fixture(scope="module", params=["imitation", *map(str, free_threaded_pythons())])
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "imitation":
        return imitation(tmp_path_factory.mktemp("imitation"))
    return Path(request.param)


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=pytest.mark.sweep if verb in ("memory", "polling") else ()) for verb in _VERBS]
)
def test_what_would_load_something_is_refused_and_the_program_runs(python: Path, verb: str, tmp_path: Path) -> None:
    done = sonde_of_this_python(tmp_path, *_VERBS[verb], "--", python, "-c", _PROGRAM)

    assert done.returncode == 3
    assert done.stdout == "printed\n"
    first, *rest = done.stderr.splitlines()
    assert first == "said"
    assert "this Python is built without a GIL (free-threaded)" in rest[0]
    assert rest[1].startswith("hint: ")
    assert "pip install" not in rest[1]  # there is none to be had
    assert len(rest) == 2


def test_an_audit_is_refused_before_anything_runs(python: Path, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_PROGRAM, encoding="utf-8")

    done = sonde_of_this_python(tmp_path, "audit", "--", python, "app.py")

    assert (done.returncode, done.stdout) == (3, "")
    assert "without a GIL" in done.stderr
    assert "said" not in done.stderr


def test_sonde_itself_refuses_to_run_there(python: Path, tmp_path: Path) -> None:
    (tmp_path / "block.py").write_text("import sonde\nwith sonde.profile():\n    pass\n", encoding="utf-8")

    helped = run_there(python, tmp_path, "-m", "sonde", "contexts", "--help")
    viewed = run_there(python, tmp_path, "-m", "sonde", "view", "run.sonde")
    block = run_there(python, tmp_path, "block.py")

    assert (helped.returncode, helped.stderr) == (0, "")
    assert (viewed.returncode, viewed.stdout) == (3, "")
    assert viewed.stderr.startswith(f"sonde: cannot run sonde in '{python}': Python ")
    assert block.returncode == 1
    assert "MissingCapability: cannot run sonde in " in block.stderr


def test_it_is_not_built_there(tmp_path: Path) -> None:
    words = ["cmake", "-DSKBUILD_SOABI=cpython-314t-x86_64-linux-gnu", "-S", str(ROOT), "-B", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PATH": _path()})

    assert done.returncode
    assert "sonde cannot be built for a Python without a GIL" in " ".join(done.stderr.split())


def test_what_was_never_tried_is_said_of_what_was_seen() -> None:
    usual = Target(1, "3.14.0", 1, False, 10, "python")
    free = usual._replace(pid=2, is_free_threaded=True)

    assert layout_losses([usual]) == []
    (loss,) = layout_losses([usual, free])
    assert (loss.kind, loss.amount) == ("python-free-threaded", 1)
    assert "3.14.0t" in loss.detail


@pytest.mark.skipif(not free_threaded_pythons(), reason="there is no CPython from 3.14 on that is built without a GIL")
class TestRealOnes:
    """Seen from outside."""

    @pytest.fixture(params=free_threaded_pythons(), ids=lambda path: path.parts[-3])
    def real(self, request: pytest.FixtureRequest) -> Path:
        assert isinstance(request.param, Path)
        return request.param

    def test_threads_that_stand_still_are_seen_exactly_where_they_are(self, real: Path) -> None:
        with running(real, "known_stacks.py") as process:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            sampling = looked_at(process.pid, seconds=0.3, rate=200)
        seen = standing_stacks(profile_of(sampling))
        assert told_stacks(told) <= seen
        assert len(seen - told_stacks(told)) == 1  # the thread that tells, which waits for its input
        assert all(target.is_free_threaded for target in sampling.targets)

    def test_no_frame_is_invented_however_restless_the_program_is(self, real: Path) -> None:
        with running(real, "restless.py") as process:
            assert process.stdout is not None
            process.stdout.readline()
            sampling = looked_at(process.pid, seconds=1.5, rate=10_000, is_processor=True)
        profile = profile_of(sampling)
        assert sampling.sampler.sums()["stacks"] > 100
        assert sum(invented_calls(profile).values()) < 0.001 * profile.total_ns

    def test_nobody_is_asked_for_a_lock(self, real: Path) -> None:
        with running(real, "known_stacks.py") as process:
            assert process.stdout is not None
            process.stdout.readline()
            assert StackSampling(1_000_000, is_processor=False, of_lock=True).try_pid(process.pid) is Found.NO_LOCK


def sonde_of_this_python(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sonde", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def run_there(python: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """With this sonde's files, which are not installed there."""
    environment = {**os.environ, "PYTHONPATH": str(Path(sonde.__file__).parents[1])}
    return subprocess.run([python, *words], capture_output=True, text=True, cwd=folder, env=environment)


def _path() -> str:
    """That of this environment, which has what builds sonde."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
